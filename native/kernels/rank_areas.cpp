#include "kernels/rank_areas.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/read_words.hpp"

namespace karat {
namespace {

// Sums of doubles, made block by block so that a long one loses little.
class BlockSums {
public:
    explicit BlockSums(size_t n) : block_(n), total_(n), room_(most()) {}

    // Where the terms of the present row go; `settled` after each row.
    double* terms() { return block_.data(); }
    void settled() {
        if (--room_ == 0) flush();
    }
    std::vector<double> finish() {
        flush();
        return std::move(total_);
    }

private:
    int64_t most() const {
        return std::max<int64_t>(4096, 16 * static_cast<int64_t>(block_.size()));
    }
    void flush() {
        for (size_t i = 0; i < block_.size(); ++i) total_[i] += block_[i];
        std::fill(block_.begin(), block_.end(), 0.0);
        room_ = most();
    }

    std::vector<double> block_, total_;
    int64_t room_;
};

size_t n_slots(const PackedScores& packed) { return size_t{1} << packed.layout.class_bits; }

// From slots to classes.
template <class T>
std::vector<T> by_class(const PackedScores& packed, const std::vector<T>& slots) {
    std::vector<T> classes(static_cast<size_t>(packed.task.k));
    for (int64_t slot = 0; slot < packed.task.k; ++slot)
        classes[packed.task.class_of_slot(slot)] = slots[slot];
    return classes;
}

}  // namespace

std::vector<int64_t> count_areas(const PackedScores& packed) {
    const uint64_t last = static_cast<uint64_t>(packed.task.k - 1);
    std::vector<uint64_t> areas(n_slots(packed)), rows(n_slots(packed));
    with_reader(packed, [&](const auto& reader) {
        // Rows of the own class above the present score, and those of its rung too: in a rung they
        // come first. Each pair above counts 2, each tied one 1.
        uint64_t above = 0, seen = 0;
        for (int64_t n = packed.task.n(), i = n - 1; i >= 0; --i) {
            const uint64_t slot = reader.slot(i);
            if (i + 1 < n && !reader.same(i, i + 1)) above = seen;
            areas[slot] += above + seen;
            rows[slot] += 1;
            seen += slot == last;
        }
    });
    areas[last] = 0;
    for (uint64_t slot = 0; slot < last; ++slot)
        if (rows[last] > 0 && rows[slot] > (uint64_t{INT64_MAX} / 2) / rows[last])
            throw std::overflow_error("the pairs are too many to be counted in 63 bits");
    const std::vector<uint64_t> found = by_class(packed, areas);
    return std::vector<int64_t>(found.begin(), found.end());
}

std::vector<double> weigh_areas(const PackedScores& packed) {
    const uint64_t last = static_cast<uint64_t>(packed.task.k - 1);
    const RowReader reader(packed);
    BlockSums sums(n_slots(packed));
    double above = 0;
    each_rung(reader, packed.task.n(), [&](int64_t first, int64_t end) {
        double own = 0;
        for (int64_t i = first; i < end; ++i)
            if (reader.slot(i) == last) own += reader.weight(i);
        for (int64_t i = first; i < end; ++i) {
            const uint64_t slot = reader.slot(i);
            if (slot != last) sums.terms()[slot] += reader.weight(i) * (2 * above + own);
            sums.settled();
        }
        above += own;
    });
    return by_class(packed, sums.finish());
}

std::vector<int64_t> count_classes(const PackedScores& packed) {
    std::vector<int64_t> rows(n_slots(packed));
    with_reader(packed, [&](const auto& reader) {
        for (int64_t i = 0; i < packed.task.n(); ++i) rows[reader.slot(i)] += 1;
    });
    return by_class(packed, rows);
}

std::vector<double> weigh_classes(const PackedScores& packed) {
    const RankTask& task = packed.task;
    BlockSums sums(static_cast<size_t>(task.k));
    for (int64_t row = 0; row < task.scores.n_rows; ++row) {
        const double weight = task.weights[row];
        const int64_t code = task.codes[row];
        if (code < 0 || code >= (task.is_pooled ? task.scores.width : task.k))
            throw std::runtime_error("the classes changed while they were counted");
        if (task.is_pooled) {
            sums.terms()[1] += weight;
            sums.terms()[0] += weight * static_cast<double>(task.scores.width - 1);
        } else {
            sums.terms()[code] += weight;
        }
        sums.settled();
    }
    return sums.finish();
}

}  // namespace karat
