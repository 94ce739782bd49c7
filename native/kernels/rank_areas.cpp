#include "kernels/rank_areas.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <type_traits>

#include "kernels/choose_isa.hpp"
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

// In a score level the rows of the own class come first. So the pairs of a row with those above it, twice,
// and with those beside it, once, are what was seen above the score level and what was seen till here.
void count_rows(const RowReader& reader, int64_t n, uint64_t own, uint64_t* areas) {
    uint64_t above = 0, seen = 0;
    for (int64_t i = n - 1, before = i; i >= 0; before = i--) {
        const uint64_t slot = reader.slot(i);
        above = reader.same(i, before) ? above : seen;
        areas[slot] += above + seen;
        seen += slot == own;
    }
}

// Counts stretches of words independently of each other. With most_tied the score levels of many classes are
// kept, until they have more words; without, their ties are taken off.
template <class Word>
class OrderedCounter {
public:
    OrderedCounter(const PackedScores& packed, const Word* words, std::optional<int64_t> most_tied,
                   int n_threads, Poll poll)
        : reader_(packed, words),
          words_(words),
          n_(packed.task.n()),
          n_tasks_((n_ + kTaskItems - 1) / kTaskItems),
          n_slots_(n_ < kItemsForThreads ? 1 : thread_limit(n_threads)),
          own_(static_cast<uint64_t>(packed.task.k - 1)),
          poll_(poll),
          class_bits_(packed.layout.class_bits),
          n_areas_(n_slots(packed)),
          most_tied_(most_tied),
          found_(static_cast<size_t>(n_tasks_)),
          ties_(static_cast<size_t>(n_slots_)) {}

    // Nothing where too many words are tied.
    std::optional<OrderedAreas> run() {
        find_places();
        if (has_too_many_ties()) return std::nullopt;
        OrderedAreas found{own_ == 1 ? of_two() : of_many(), {}, n_tied_};
        for (const auto& of_slot : ties_)
            for (size_t slot = 0; slot < of_slot.size(); ++slot)
                found.areas[slot] -= of_slot[slot];
        for (const Places& part : found_)
            found.borders.insert(found.borders.end(), part.borders.begin(), part.borders.end());
        return found;
    }

private:
    static constexpr int64_t kTaskItems = 32 * kBlock, kItemsForThreads = 200000;

    // Where the own rows of a task are.
    struct Places {
        uint64_t own = 0, sum = 0;
        std::vector<Border> borders;
    };

    bool has_too_many_ties() const { return most_tied_ && n_tied_ > *most_tied_; }

    // Two classes: an own row stands above so many of the rest as its place says, less the own ones
    // before it.
    std::vector<uint64_t> of_two() const {
        uint64_t own = 0, places = 0;
        for (const Places& part : found_) {
            own += part.own;
            places += part.sum;
        }
        return {2 * places - own * (own - 1), 0};
    }

    std::vector<uint64_t> of_many() const {
        std::vector<uint64_t> above(found_.size() + 1);
        for (size_t task = found_.size(); task > 0; --task)
            above[task - 1] = above[task] + found_[task - 1].own;
        std::vector<std::vector<uint64_t>> parts(static_cast<size_t>(n_slots_));
        // Copies take turns: the next addition need not wait for the last one.
        constexpr size_t kCopies = 4;
        each_task([&](int slot, int64_t task, int64_t begin, int64_t end) {
            parts[slot].resize(kCopies * n_areas_);
            uint64_t* copies[kCopies];
            for (size_t copy = 0; copy < kCopies; ++copy)
                copies[copy] = parts[slot].data() + copy * n_areas_;
            uint64_t seen = 2 * above[task + 1];
            const auto add = [&](uint64_t* areas, int64_t i) {
                const uint64_t of_row = reader_.slot(i);
                areas[of_row] += seen;
                seen += 2 * (of_row == own_);
            };
            int64_t i = end;
            for (; i - begin >= 4; i -= 4) {
                add(copies[0], i - 1);
                add(copies[1], i - 2);
                add(copies[2], i - 3);
                add(copies[3], i - 4);
            }
            while (i > begin) add(copies[0], --i);
        });
        std::vector<uint64_t> areas(n_areas_);
        for (const auto& part : parts)
            for (size_t i = 0; i < part.size(); ++i) areas[i % n_areas_] += part[i];
        return areas;
    }

    template <class Use>
    void each_task(const Use& use) const {
        parallel(n_slots_, n_tasks_, [&](int slot, int64_t task) {
            use(slot, task, task * kTaskItems, std::min(n_, (task + 1) * kTaskItems));
        }, poll_);
    }

    void find_places() {
        const auto kernel = lanes().cumulative.places[sizeof(Word) == 8];
        each_task([&](int slot, int64_t task, int64_t begin, int64_t end) {
            if (has_too_many_ties()) return;
            Places& here = found_[static_cast<size_t>(task)];
            int32_t borders[kBlock];
            for (int64_t first = begin; first < end; first += kBlock) {
                if (is_border(first)) tie(slot, here, first);
                uint64_t sums[2];
                const int64_t m = kernel(words_ + first, std::min(kBlock, end - first), class_bits_,
                                         static_cast<uint32_t>(own_), sums, borders);
                here.own += sums[0];
                here.sum += sums[1] + sums[0] * static_cast<uint64_t>(first);
                for (int64_t i = 0; i < m; ++i) tie(slot, here, first + borders[i]);
            }
        });
    }

    void tie(int slot, Places& here, int64_t at) {
        const Border border = border_at(reader_, n_, at);
        if (most_tied_) {
            here.borders.push_back(border);
            n_tied_ += border.last - border.first;
            return;
        }
        std::vector<uint64_t>& ties = ties_[static_cast<size_t>(slot)];
        ties.resize(n_areas_);
        const uint64_t own = static_cast<uint64_t>(border.last - border.border);
        for (int64_t i = border.first; i < border.border; ++i) ties[reader_.slot(i)] += own;
    }

    bool is_border(int64_t i) const {
        return i > 0 && reader_.same(i - 1, i) && reader_.slot(i) == own_ &&
               reader_.slot(i - 1) != own_;
    }

    const WholeReader<Word> reader_;
    const Word* words_;
    const int64_t n_, n_tasks_;
    const int n_slots_;
    const uint64_t own_;
    Poll poll_;
    const int class_bits_;
    const size_t n_areas_;
    const std::optional<int64_t> most_tied_;
    std::vector<Places> found_;                // of each task
    std::vector<std::vector<uint64_t>> ties_;  // of each thread
    std::atomic<int64_t> n_tied_{0};
};

std::optional<OrderedAreas> count_ordered(const PackedScores& packed,
                                          std::optional<int64_t> most_tied, int n_threads,
                                          Poll poll) {
    const auto count = [&](const auto* words) {
        using Word = std::remove_cv_t<std::remove_pointer_t<decltype(words)>>;
        return OrderedCounter<Word>(packed, words, most_tied, n_threads, poll).run();
    };
    return packed.layout.is_wide ? count(packed.wide.get()) : count(packed.narrow.get());
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

std::optional<OrderedAreas> count_as_ordered(const PackedScores& packed, int64_t most_tied,
                                             int n_threads, Poll poll) {
    return count_ordered(packed, most_tied, n_threads, poll);
}

std::vector<int64_t> areas_of_classes(const PackedScores& packed,
                                      const std::vector<uint64_t>& slots) {
    std::vector<uint64_t> areas = slots;
    areas[static_cast<size_t>(packed.task.k - 1)] = 0;
    const std::vector<uint64_t> found = by_class(packed, areas);
    return std::vector<int64_t>(found.begin(), found.end());
}

std::vector<int64_t> count_areas(const PackedScores& packed, int n_threads, Poll poll) {
    check_pairs(packed);
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    if (packed.layout.has_rows) {
        std::vector<uint64_t> areas(n_slots(packed));
        count_rows(RowReader(packed), packed.task.n(), own, areas.data());
        return areas_of_classes(packed, areas);
    }
    return areas_of_classes(packed, count_ordered(packed, {}, n_threads, poll)->areas);
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

namespace {

std::vector<int64_t> count_two(const RankTask& task) {
    int64_t ones = 0;
    uint32_t all = 0;
    for (int64_t first = 0; first < task.scores.n_rows; first += kBlock) {
        const int64_t last = std::min(task.scores.n_rows, first + kBlock);
        uint32_t here = 0;
        for (int64_t row = first; row < last; ++row) {
            here += static_cast<uint32_t>(task.codes[row]);
            all |= static_cast<uint32_t>(task.codes[row]);
        }
        ones += here;
    }
    if (all > 1) throw std::runtime_error("the classes changed while they were counted");
    return {task.scores.n_rows - ones, ones};
}

// Before the words are made.
std::vector<int64_t> count_codes(const RankTask& task) {
    if (task.is_pooled) return {task.n() - task.scores.n_rows, task.scores.n_rows};
    if (task.k == 2) return count_two(task);
    const size_t k = static_cast<size_t>(task.k);
    const int64_t copies = k <= 64 ? 4 : 1;
    std::vector<int64_t> rows(static_cast<size_t>(copies) * k);
    for (int64_t row = 0; row < task.scores.n_rows; ++row) {
        const int64_t code = task.codes[row];
        if (code < 0 || code >= task.k)
            throw std::runtime_error("the classes changed while they were counted");
        rows[static_cast<size_t>(row & (copies - 1)) * k + static_cast<size_t>(code)] += 1;
    }
    for (size_t i = k; i < rows.size(); ++i) rows[i % k] += rows[i];
    rows.resize(k);
    return rows;
}

}  // namespace

std::vector<int64_t> count_classes(const PackedScores& packed) {
    if (!packed.has_words) return count_codes(packed.task);
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
