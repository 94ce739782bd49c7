#include "kernels/pack_scores.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/choose_isa.hpp"
#include "kernels/rejected.hpp"
#include "kernels/sort_words.hpp"

namespace karat {
namespace {

constexpr int64_t kTaskItems = 32 * kBlock;
constexpr int64_t kItemsForThreads = 200000;

// Copies items, which lie anywhere, side by side.
template <class Item>
void gather(const Scores& scores, int64_t first, int64_t n, void* out) {
    Item* to = static_cast<Item*>(out);
    if (scores.width == 1) {
        const char* at = scores.at(first);
        for (int64_t i = 0; i < n; ++i, at += scores.row_stride)
            std::memcpy(to + i, at, sizeof *to);
        return;
    }
    int64_t column = first % scores.width;
    const char* row = scores.data + first / scores.width * scores.row_stride;
    for (int64_t i = 0; i < n; ++i) {
        std::memcpy(to + i, row + column * scores.column_stride, sizeof *to);
        if (++column == scores.width) {
            column = 0;
            row += scores.row_stride;
        }
    }
}

void gather(const Scores& scores, int64_t first, int64_t n, void* out) {
    if (scores.is_double) {
        gather<uint64_t>(scores, first, n, out);
    } else {
        gather<uint32_t>(scores, first, n, out);
    }
}

// What is not finite is somewhere.
[[noreturn]] void reject_scores(const Scores& scores) {
    for (int64_t item = 0; item < scores.n(); ++item) {
        const double value = scores.value(item);
        if (std::isnan(value)) throw Rejected("nan", Argument::pred, item);
        if (std::isinf(value)) throw Rejected("infinite", Argument::pred, item);
    }
    // Only when someone wrote to the array meanwhile.
    throw std::runtime_error("the scores changed while they were read");
}

// Integers in the order of the scores, −0.0 beside 0.0. Of what is no number, too: someone may write
// to the array, and a sort by < must not see NaN.
int64_t place_of(double score) {
    const double value = score + 0.0;
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

class Packer {
public:
    Packer(const RankTask& task, int n_threads, Poll poll)
        : task_(task),
          n_(task.n()),
          n_tasks_((n_ + kTaskItems - 1) / kTaskItems),
          n_slots_(n_ < kItemsForThreads ? 1 : thread_limit(n_threads)),
          poll_(poll) {}

    PackedScores survey() {
        check();
        stage();
        PackedScores packed;
        packed.task = task_;
        packed.layout = choose_layout(span(), task_.scores.is_double, n_, task_.k,
                                      task_.weights != nullptr || task_.wants_rows);
        check_codes();
        if (task_.weights != nullptr) check_weights(task_.weights, task_.scores.n_rows);
        if (staged_ != nullptr) pack(packed);
        return packed;
    }

    void pack(PackedScores& packed) {
        allocate(packed);
        const bool is_wide = packed.layout.is_wide;
        const WordBlocks blocks(packed.task, packed.layout, staged_);
        const auto work = [&](int, int64_t index) {
            const int64_t end = std::min(n_, (index + 1) * kTaskItems);
            for (int64_t first = index * kTaskItems; first < end; first += kBlock) {
                void* to = is_wide ? static_cast<void*>(packed.wide.get() + first)
                                   : packed.narrow.get() + first;
                blocks.make(first, std::min(kBlock, end - first), to);
            }
        };
        parallel(n_slots_, n_tasks_, work, poll_);
        packed.has_words = true;
    }

private:
    void check() const {
        if (task_.k < 1 || task_.k > int64_t{1} << 31)
            throw std::invalid_argument("k must be between 1 and 2^31");
        if (task_.own < 0 || task_.own >= task_.k)
            throw std::invalid_argument("own must be one of the k classes");
    }

    // Scores that do not lie side by side are copied, while their span is taken, to where the
    // words will be: they are read from far memory once.
    void stage() {
        if (task_.scores.is_contiguous()) return;
        if (task_.scores.is_double) {
            wide_ = paged<uint64_t>(n_);
            staged_ = reinterpret_cast<char*>(wide_.get());
        } else {
            narrow_ = paged<uint32_t>(n_);
            staged_ = reinterpret_cast<char*>(narrow_.get());
        }
    }

    char* staged(int64_t item) const {
        return staged_ == nullptr ? nullptr : staged_ + item * task_.scores.item_bytes();
    }

    FloatSpan span() {
        const auto take = lanes().cumulative.span[task_.scores.is_double];
        std::vector<FloatSpan> spans(static_cast<size_t>(n_tasks_));
        const auto work = [&](int, int64_t index) {
            const int64_t first = index * kTaskItems, n = std::min(kTaskItems, n_ - first);
            void* to = staged(first);
            if (to == nullptr) return take(task_.scores.at(first), n, &spans[index]);
            gather(task_.scores, first, n, to);
            take(to, n, &spans[index]);
        };
        parallel(n_slots_, n_tasks_, work, poll_);
        FloatSpan whole = FloatSpan::none();
        for (const FloatSpan& each : spans) {
            whole.least = std::min(whole.least, each.least);
            whole.most = std::max(whole.most, each.most);
            whole.small = std::min(whole.small, each.small);
            whole.bits |= each.bits;
        }
        if (n_ > 0 && !is_finite(whole, task_.scores.is_double)) {
            reject_codes();
            reject_scores(task_.scores);
        }
        return whole;
    }

    // The staged scores become words where they lie, if these have the same size.
    void allocate(PackedScores& packed) {
        if (packed.layout.is_wide) {
            packed.wide = wide_ ? std::move(wide_) : paged<uint64_t>(n_);
        } else {
            packed.narrow = narrow_ ? std::move(narrow_) : paged<uint32_t>(n_);
        }
    }

    void check_codes() const {
        const int64_t rows = task_.scores.n_rows, tasks = (rows + kTaskItems - 1) / kTaskItems;
        const int64_t most = task_.is_pooled ? task_.scores.width : task_.k;
        std::atomic<bool> is_bad{false};
        const auto work = [&](int, int64_t index) {
            const int64_t first = index * kTaskItems;
            int64_t low, high;
            lanes().span[static_cast<int>(Kind::i32)](
                task_.codes + first, std::min(kTaskItems, rows - first), &low, &high);
            if (low < 0 || high >= most) is_bad = true;
        };
        parallel(n_slots_, tasks, work, poll_);
        if (is_bad) reject_codes();
    }

    void reject_codes() const {
        const int64_t most = task_.is_pooled ? task_.scores.width : task_.k;
        for (int64_t row = 0; row < task_.scores.n_rows; ++row)
            if (task_.codes[row] < 0 || task_.codes[row] >= most)
                throw Rejected("range", Argument::truth, row);
    }

    const RankTask& task_;
    int64_t n_, n_tasks_;
    int n_slots_;
    Poll poll_;
    Paged<uint32_t> narrow_;
    Paged<uint64_t> wide_;
    char* staged_ = nullptr;
};

}  // namespace

bool Scores::is_contiguous() const {
    if (n() <= 1) return true;
    if (width == 1) return row_stride == item_bytes();
    return column_stride == item_bytes() && (n_rows == 1 || row_stride == width * item_bytes());
}

WordBlocks::WordBlocks(const RankTask& task, const KeyLayout& layout, const char* scores)
    : task_(task), layout_(layout), scores_(scores) {}

void WordBlocks::make(int64_t first, int64_t n, void* out) const {
    alignas(64) uint32_t slots[kBlock];
    // Both were looked at before: what is wrong was written meanwhile.
    if (!read_slots(first, n, slots))
        throw std::runtime_error("the classes changed while they were read");
    pack(slots, first, n, out);
}

void WordBlocks::make_keys(int64_t first, int64_t n, void* out) const {
    static constexpr uint32_t no_slots[kBlock] = {};
    pack(no_slots, first, n, out);
}

void WordBlocks::pack(const uint32_t* slots, int64_t first, int64_t n, void* out) const {
    const char* from = scores_ == nullptr ? task_.scores.at(first)
                                          : scores_ + first * task_.scores.item_bytes();
    lanes().cumulative.pack[task_.scores.is_double][layout_.is_wide](from, slots, n, first, layout_,
                                                                 out);
}

bool WordBlocks::read_slots(int64_t first, int64_t n, uint32_t* slots) const {
    if (!task_.is_pooled)
        return lanes().cumulative.slots(task_.codes + first, n, static_cast<uint32_t>(task_.own),
                                    static_cast<uint32_t>(task_.k - 1), slots) < task_.k;
    const int64_t width = task_.scores.width;
    int64_t row = first / width, column = first % width;
    for (int64_t i = 0; i < n; ++i) {
        slots[i] = task_.codes[row] == column;
        if (++column == width) {
            column = 0;
            ++row;
        }
    }
    return true;
}

PackedScores survey_scores(const RankTask& task, int n_threads, Poll poll) {
    return Packer(task, n_threads, poll).survey();
}

void pack_words(PackedScores& packed, int n_threads, Poll poll) {
    if (!packed.has_words) Packer(packed.task, n_threads, poll).pack(packed);
}

PackedScores pack_scores(const RankTask& task, int n_threads, Poll poll) {
    PackedScores packed = survey_scores(task, n_threads, poll);
    pack_words(packed, n_threads, poll);
    return packed;
}

void sort_packed(PackedScores& packed, int n_threads, Poll poll) {
    pack_words(packed, n_threads, poll);
    const int64_t n = packed.task.n();
    const auto sort = [&](auto* words) {
        using Word = std::remove_reference_t<decltype(*words)>;
        if (!packed.is_shown)
            return sort_words(words, n, packed.layout.word_bits(), n_threads, poll);
        const auto own = uninitialised<Word>(n);
        std::copy_n(words, n, own.get());
        sort_words(own.get(), n, 8 * sizeof(Word), n_threads, poll);
        std::copy_n(own.get(), n, words);
    };
    packed.layout.is_wide ? sort(packed.wide.get()) : sort(packed.narrow.get());
}

void check_scores(const Scores& scores) {
    alignas(64) uint64_t block[kBlock];
    const auto take = lanes().cumulative.span[scores.is_double];
    for (int64_t first = 0; first < scores.n(); first += kBlock) {
        const int64_t n = std::min(kBlock, scores.n() - first);
        FloatSpan span;
        if (scores.is_contiguous()) {
            take(scores.at(first), n, &span);
        } else {
            gather(scores, first, n, block);
            take(block, n, &span);
        }
        if (!is_finite(span, scores.is_double)) reject_scores(scores);
    }
}

void check_weights(const double* weights, int64_t n) {
    for (int64_t row = 0; row < n; ++row) {
        const double weight = weights[row];
        if (weight >= 0 && weight <= std::numeric_limits<double>::max()) continue;
        throw Rejected(std::isfinite(weight) ? "negative_weight" : "bad_weight", Argument::weights,
                       row);
    }
}

void settle(PackedScores& packed) {
    const KeyLayout& layout = packed.layout;
    if (layout.drop == 0) return;
    const int64_t n = packed.task.n();
    uint64_t* words = packed.wide.get();
    const uint64_t row_mask = (uint64_t{1} << layout.row_bits) - 1;
    std::vector<std::pair<int64_t, uint64_t>> run;
    for (int64_t first = 0, last; first < n; first = last) {
        last = first + 1;
        while (last < n && (words[last] ^ words[first]) >> layout.below() == 0) ++last;
        if (last - first == 1) continue;
        run.clear();
        for (int64_t i = first; i < last; ++i) {
            const int64_t item = static_cast<int64_t>(words[i] & row_mask);
            if (item >= n) throw std::runtime_error("the words were altered");
            run.emplace_back(place_of(packed.task.scores.value(item)), words[i]);
        }
        // Words of equal scores are in the order of their rows.
        std::sort(run.begin(), run.end());
        for (int64_t i = first; i < last; ++i) words[i] = run[i - first].second;
    }
}

}  // namespace karat
