#include "kernels/rank_areas.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/read_words.hpp"

namespace karat {
namespace {

// Sums of each slot, made stretch by stretch so that long ones lose little. A small table has
// copies, which take turns: the next addition need not wait for the last one.
class SlotSums {
public:
    explicit SlotSums(size_t n_slots)
        : n_slots_(n_slots),
          copies_(n_slots <= 64 ? 4 : 1),
          part_(copies_ * n_slots),
          whole_(n_slots) {}

    // Where the term of word i goes.
    double* copy(int64_t i) { return part_.data() + (i & (copies_ - 1)) * n_slots_; }

    // Ends a stretch. A large table waits for more terms than it has slots.
    void close(int64_t n_terms) {
        terms_ += n_terms;
        if (terms_ >= static_cast<int64_t>(n_slots_)) flush();
    }
    std::vector<double> finish() {
        flush();
        return std::move(whole_);
    }

private:
    void flush() {
        for (size_t i = 0; i < part_.size(); ++i) whole_[i % n_slots_] += part_[i];
        std::fill(part_.begin(), part_.end(), 0.0);
        terms_ = 0;
    }

    size_t n_slots_;
    int64_t copies_;
    std::vector<double> part_, whole_;
    int64_t terms_ = 0;
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

// In a rung the rows of the own class come first. So the pairs of a row with those above it, twice,
// and with those beside it, once, are what was seen above the rung and what was seen till here.

// Two classes: the area is one sum.
template <class Reader>
uint64_t count_other(const Reader& reader, int64_t n) {
    uint64_t above = 0, seen = 0, area = 0;
    for (int64_t i = n - 1, before = i; i >= 0; before = i--) {
        const uint64_t is_own = reader.slot(i);
        above = reader.same(i, before) ? above : seen;
        area += (above + seen) & (is_own - 1);
        seen += is_own;
    }
    return area;
}

template <class Reader>
void count_each(const Reader& reader, int64_t n, uint64_t own, uint64_t* areas) {
    uint64_t above = 0, seen = 0;
    for (int64_t i = n - 1, before = i; i >= 0; before = i--) {
        const uint64_t slot = reader.slot(i);
        above = reader.same(i, before) ? above : seen;
        areas[slot] += above + seen;
        seen += slot == own;
    }
}

}  // namespace

// Pairs of n < 2^32 rows are less than 2^62.
void check_pairs(const PackedScores& packed) {
    if (packed.task.n() >> 32 == 0) return;
    const std::vector<int64_t> rows = count_classes(packed);
    for (int64_t c = 0; c < packed.task.k; ++c)
        if (c != packed.task.own && rows[c] > 0 && rows[packed.task.own] > INT64_MAX / 2 / rows[c])
            throw std::overflow_error("the pairs are too many to be counted in 63 bits");
}

std::vector<int64_t> count_areas(const PackedScores& packed) {
    check_pairs(packed);
    const int64_t n = packed.task.n();
    std::vector<uint64_t> areas(n_slots(packed));
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    with_reader(packed, [&](const auto& reader) {
        if (packed.task.k == 2) {
            areas[0] = count_other(reader, n);
        } else {
            count_each(reader, n, own, areas.data());
        }
    });
    areas[own] = 0;
    const std::vector<uint64_t> found = by_class(packed, areas);
    return std::vector<int64_t>(found.begin(), found.end());
}

std::vector<double> weigh_areas(const PackedScores& packed) {
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    const RowReader reader(packed);
    const int64_t n = packed.task.n();
    SlotSums sums(n_slots(packed));
    LongSum seen;
    double above = 0;
    each_stretch(n, [&](int64_t first, int64_t last) {
        // Three loops, each of which waits for one thing: memory, the sum so far, the slot's sum.
        double weights[kBlock], pairs[kBlock];
        reader.weights(first, last - first, weights);
        // What a loop changes is kept out of memory.
        LongSum till_here = seen;
        double strictly = above;
        for (int64_t i = last - 1; i >= first; --i) {
            strictly = i + 1 < n && reader.same(i, i + 1) ? strictly : till_here.value();
            pairs[i - first] = strictly + till_here.value();
            till_here.part += only_if(reader.slot(i) == own, weights[i - first]);
        }
        above = strictly;
        seen = till_here;
        for (int64_t i = last - 1; i >= first; --i)
            sums.copy(i)[reader.slot(i)] += weights[i - first] * pairs[i - first];
        seen.close();
        sums.close(last - first);
    });
    std::vector<double> areas = sums.finish();
    areas[own] = 0;
    return by_class(packed, areas);
}

std::vector<int64_t> count_classes(const PackedScores& packed) {
    const size_t slots = n_slots(packed);
    const int64_t copies = slots <= 64 ? 4 : 1;
    std::vector<int64_t> rows(static_cast<size_t>(copies) * slots);
    with_reader(packed, [&](const auto& reader) {
        for (int64_t i = 0; i < packed.task.n(); ++i)
            rows[static_cast<size_t>(i & (copies - 1)) * slots + reader.slot(i)] += 1;
    });
    for (size_t i = slots; i < rows.size(); ++i) rows[i % slots] += rows[i];
    return by_class(packed, rows);
}

std::vector<double> weigh_classes(const PackedScores& packed) {
    const RankTask& task = packed.task;
    const int64_t most = task.is_pooled ? task.scores.width : task.k;
    SlotSums sums(static_cast<size_t>(task.is_pooled ? 1 : task.k));
    for (int64_t first = 0; first < task.scores.n_rows; first += kBlock) {
        const int64_t last = std::min(task.scores.n_rows, first + kBlock);
        for (int64_t row = first; row < last; ++row) {
            const int64_t code = task.codes[row];
            if (code < 0 || code >= most)
                throw std::runtime_error("the classes changed while they were counted");
            sums.copy(row)[task.is_pooled ? 0 : code] += task.weights[row];
        }
        sums.close(last - first);
    }
    std::vector<double> totals = sums.finish();
    if (!task.is_pooled) return totals;
    return {totals[0] * static_cast<double>(task.scores.width - 1), totals[0]};
}

}  // namespace karat
