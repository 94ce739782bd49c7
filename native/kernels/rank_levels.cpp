#include "kernels/rank_levels.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/choose_isa.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/rank_cumulated.hpp"
#include "kernels/read_words.hpp"

namespace karat {
namespace {

template <class Use>
void weigh_up(const RowReader& reader, const RankTask& task, const Use& use) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    Cumulated found;
    LongSum own, all;
    each_stretch(task.n(), [&](int64_t first, int64_t last) {
        found.restart();
        int64_t m = 1;
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        LongSum own_here = own, all_here = all;
        for (int64_t i = last - 1; i >= first; --i) {
            const double weight = weights[i - first];
            own_here.part += only_if(reader.slot(i) == last_slot, weight);
            all_here.part += weight;
            found.own[m] = own_here.value();
            found.all[m] = all_here.value();
            // Where no weight stands there is no share.
            m += (i == 0 || !reader.same(i - 1, i)) && all_here.value() > 0;
        }
        own_here.close();
        all_here.close();
        own = own_here;
        all = all_here;
        found.n = m - 1;
        use(found);
    });
}

// The sums over the score levels of own weight × share: the share of the score level, and of the one before.
struct ShareSums {
    double here = 0, before = 0, own = 0;
};

// Words without rows, in stretches that threads count independently of each other.
template <class Word>
class ShareCounter {
public:
    ShareCounter(const PackedScores& packed, const Word* words, int n_threads, Poll poll)
        : words_(words),
          n_(packed.task.n()),
          n_stretches_((n_ + kBlock - 1) / kBlock),
          n_slots_(n_ < kItemsForThreads ? 1 : thread_limit(n_threads)),
          task_stretches_(n_slots_ == 1 ? n_stretches_ : kTaskStretches),
          n_tasks_(n_ == 0 ? 0 : (n_stretches_ + task_stretches_ - 1) / task_stretches_),
          class_bits_(packed.layout.class_bits),
          own_(static_cast<uint32_t>(packed.task.k - 1)),
          poll_(poll),
          above_(static_cast<size_t>(n_tasks_)),
          sums_(static_cast<size_t>(n_stretches_)) {}

    ShareSums run() {
        count_above();
        parallel(n_slots_, n_tasks_, [&](int, int64_t task) { add_task(task); }, poll_);
        ShareSums whole;
        whole.own = static_cast<double>(total_);
        // In the order of the words, however they were divided.
        for (const ShareSums& stretch : sums_) {
            whole.here += stretch.here;
            whole.before += stretch.before;
        }
        return whole;
    }

private:
    static constexpr int64_t kTaskStretches = 32, kItemsForThreads = 200000;

    // Words of a stretch: the first is that of the largest scores.
    int64_t last_of(int64_t stretch) const { return n_ - stretch * kBlock; }
    int64_t first_of(int64_t stretch) const {
        return std::max<int64_t>(last_of(stretch) - kBlock, 0);
    }
    int64_t end_of(int64_t task) const {
        return std::min(n_stretches_, (task + 1) * task_stretches_);
    }

    void count_above() {
        if (n_tasks_ < 2) return;
        const auto kernel = lanes().cumulative.places[sizeof(Word) == 8];
        parallel(n_slots_, n_tasks_, [&](int, int64_t task) {
            int32_t borders[kBlock];
            for (int64_t s = task * task_stretches_; s < end_of(task); ++s) {
                const int64_t first = first_of(s);
                uint64_t sums[2];
                kernel(words_ + first, last_of(s) - first, class_bits_, own_, sums, borders);
                above_[task] += static_cast<int64_t>(sums[0]);
            }
        }, poll_);
        int64_t seen = 0;
        for (int64_t& here : above_) {
            const int64_t own = here;
            here = seen;
            seen += own;
        }
    }

    // What stands at or above the last score level that ends at or above `last`, where `own` stand above.
    void begin(int64_t last, int64_t own, Cumulated& found) const {
        const Word* from = words_ + last;
        const Word* const end = words_ + n_;
        const Word cut = static_cast<Word>(words_[last - 1] >> class_bits_);
        const Word* level_end = std::partition_point(
            from, end, [&](Word word) { return word >> class_bits_ == cut; });
        if (level_end == end) return;
        const Word* own_begin = std::partition_point(from, level_end, [&](Word word) {
            return (word & ((Word{1} << class_bits_) - 1)) != own_;
        });
        found.own[0] = static_cast<double>(own - (level_end - own_begin));
        found.all[0] = static_cast<double>(end - level_end);
        found.share[0] = found.own[0] / found.all[0];
    }

    void add_task(int64_t task) {
        const auto count = lanes().cumulative.count_up[sizeof(Word) == 8];
        Cumulated found;
        int64_t own = above_[task];
        const int64_t first_stretch = task * task_stretches_;
        begin(last_of(first_stretch), own, found);
        for (int64_t s = first_stretch; s < end_of(task); ++s) {
            if (s > first_stretch) found.restart();
            const int64_t first = first_of(s), last = last_of(s);
            found.n = count(words_ + first, last - first, first == 0, 0, class_bits_, own_, &own,
                            n_ - last, found.own + 1, found.all + 1);
            double sums[2];
            lanes().cumulative.shares(found.own, found.all, found.n, found.share, sums);
            sums_[s].here = sums[0];
            sums_[s].before = sums[1];
        }
        if (task + 1 == n_tasks_) total_ = own;
    }

    const Word* words_;
    const int64_t n_, n_stretches_;
    const int n_slots_;
    const int64_t task_stretches_, n_tasks_;
    const int class_bits_;
    const uint32_t own_;
    Poll poll_;
    std::vector<int64_t> above_;   // own rows above each task
    std::vector<ShareSums> sums_;  // of each stretch
    int64_t total_ = 0;            // own rows
};

ShareSums share_sums(const PackedScores& packed, int n_threads, Poll poll) {
    if (!packed.layout.has_rows)
        return packed.layout.is_wide
                   ? ShareCounter<uint64_t>(packed, packed.wide.get(), n_threads, poll).run()
                   : ShareCounter<uint32_t>(packed, packed.narrow.get(), n_threads, poll).run();
    ShareSums sums;
    const auto add = [&](Cumulated& found) {
        double stretch[2];
        lanes().cumulative.shares(found.own, found.all, found.n, found.share, stretch);
        sums.here += stretch[0];
        sums.before += stretch[1];
        sums.own = found.own[found.n];
    };
    const RowReader reader(packed);
    if (packed.task.weights != nullptr) {
        weigh_up(reader, packed.task, add);
    } else {
        count_up(reader, packed, add);
    }
    return sums;
}

template <class Reader>
int64_t count_levels(const Reader& reader, int64_t n) {
    int64_t levels = n > 0;
    for (int64_t i = 1; i < n; ++i) levels += !reader.same(i - 1, i);
    return levels;
}

template <class Reader>
void count_levels_of(const Reader& reader, const RankTask& task, int64_t limit, ScoreLevels& levels) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    levels.counts = uninitialised<int64_t>(2 * limit);
    int64_t* to = levels.counts.get();
    int64_t last = levels.last, level = 0;
    for (; last > 0 && level < limit; ++level) {
        int64_t first = last, own = 0;
        do {
            reader.fetch_scores(first - 1);
            own += reader.slot(--first) == last_slot;
        } while (first > 0 && reader.same(first - 1, first));
        to[2 * level] = last - first - own;
        to[2 * level + 1] = own;
        levels.scores[level] = reader.score(first);
        last = first;
    }
    levels.u = level;
    levels.last = last;
}

// Calls use(found, m) for stretches of the words before `last`, with their first m score levels, `limit` at most in all;
// `own` rows of the own class stand above. Both are then those of the next call.
template <class Reader, class Use>
void walk_levels(const Reader& reader, const PackedScores& packed, int64_t limit, int64_t& last, int64_t& own,
                 const Use& use) {
    const int64_t n = packed.task.n();
    Cumulated found;
    found.own[0] = static_cast<double>(own);
    found.all[0] = static_cast<double>(n - last);
    while (last > 0 && limit > 0) {
        const int64_t first = std::max<int64_t>(last - kBlock, 0);
        own = count_stretch(reader, packed, first, last, own, found);
        last = first;
        const int64_t m = std::min(found.n, limit);
        use(found, m);
        limit -= m;
        if (limit == 0) {
            // The stretch may go on below.
            last = n - static_cast<int64_t>(found.all[m]);
            own = static_cast<int64_t>(found.own[m]);
        }
        found.restart();
    }
}

// Of the first m score levels of a stretch.
template <class Reader>
void write_scores(const Reader& reader, int64_t n, const Cumulated& found, int64_t m, double* scores) {
    for (int64_t j = 0; j < m; ++j) {
        // The last word of the score level, of which all have one score.
        const int64_t i = n - static_cast<int64_t>(found.all[j + 1]);
        reader.fetch_scores(i);
        scores[j] = reader.score(i);
    }
}

// Rows of the rest and of the own class by turns.
void write_counts(const Cumulated& found, int64_t m, int64_t* counts) {
    for (int64_t j = 0; j < m; ++j) {
        const double own = found.own[j + 1] - found.own[j];
        counts[2 * j] = static_cast<int64_t>(found.all[j + 1] - found.all[j] - own);
        counts[2 * j + 1] = static_cast<int64_t>(own);
    }
}

void write_positives(const Cumulated& found, int64_t m, double* __restrict tps, double* __restrict fps) {
    for (int64_t j = 0; j < m; ++j) {
        tps[j] = found.own[j + 1];
        fps[j] = found.all[j + 1] - found.own[j + 1];
    }
}

void weigh_levels_of(const RowReader& reader, const RankTask& task, int64_t limit, ScoreLevels& levels) {
    const uint64_t last_slot = static_cast<uint64_t>(task.k - 1);
    levels.weights = uninitialised<double>(2 * limit);
    levels.squares = uninitialised<double>(2 * limit);
    double sums[2] = {}, squares[2] = {};
    for (int64_t last = levels.last; last > 0 && levels.u < limit;) {
        const int64_t first = last > kBlock ? last - kBlock : 0;
        double weights[kBlock];
        reader.weights(first, last - first, weights);
        for (int64_t i = last - 1; i >= first && levels.u < limit; --i) {
            const double weight = weights[i - first];
            const bool is_own = reader.slot(i) == last_slot;
            sums[is_own] += weight;
            squares[is_own] += weight * weight;
            if (i > 0 && reader.same(i - 1, i)) continue;
            if (sums[0] + sums[1] > 0) {
                levels.scores[levels.u] = reader.score(i);
                for (const int side : {0, 1}) {
                    levels.weights[2 * levels.u + side] = sums[side];
                    levels.squares[2 * levels.u + side] = squares[side];
                }
                ++levels.u;
            }
            levels.last = i;
            sums[0] = sums[1] = squares[0] = squares[1] = 0;
        }
        last = first;
    }
}

}  // namespace

ScoreLevels levels_of(const PackedScores& packed, int64_t last, int64_t limit) {
    ScoreLevels levels;
    levels.last = last;
    with_reader(packed, [&](const auto& reader) {
        // No more memory than is filled.
        if (limit >= last) limit = count_levels(reader, last);
        levels.scores = uninitialised<double>(limit);
        if (packed.task.weights == nullptr) count_levels_of(reader, packed.task, limit, levels);
    });
    if (packed.task.weights != nullptr)
        weigh_levels_of(RowReader(packed), packed.task, limit, levels);
    return levels;
}

ThresholdPoints threshold_points(const PackedScores& packed, bool wants_counts) {
    ThresholdPoints points;
    const int64_t n = packed.task.n();
    // Memory beyond the score levels that there are is never touched.
    points.thresholds = uninitialised<double>(n + 1);
    points.tps = uninitialised<double>(n + 1);
    points.fps = uninitialised<double>(n + 1);
    if (wants_counts) points.counts = uninitialised<int64_t>(2 * n);
    points.thresholds[0] = std::numeric_limits<double>::infinity();
    points.tps[0] = points.fps[0] = 0;
    points.n = 1;
    with_reader(packed, [&](const auto& reader) {
        int64_t last = n, own = 0;
        walk_levels(reader, packed, n, last, own, [&](const Cumulated& found, int64_t m) {
            write_scores(reader, n, found, m, points.thresholds.get() + points.n);
            write_positives(found, m, points.tps.get() + points.n, points.fps.get() + points.n);
            if (wants_counts) write_counts(found, m, points.counts.get() + 2 * (points.n - 1));
            points.n += m;
        });
    });
    return points;
}

ThresholdSteps threshold_steps(const PackedScores& packed, int64_t last, int64_t own, int64_t limit) {
    ThresholdSteps steps;
    steps.last = last;
    steps.own = own;
    limit = std::min(limit, last);
    steps.thresholds = uninitialised<double>(limit);
    steps.tps = uninitialised<double>(limit);
    steps.fps = uninitialised<double>(limit);
    with_reader(packed, [&](const auto& reader) {
        walk_levels(reader, packed, limit, steps.last, steps.own, [&](const Cumulated& found, int64_t m) {
            write_scores(reader, packed.task.n(), found, m, steps.thresholds.get() + steps.n);
            write_positives(found, m, steps.tps.get() + steps.n, steps.fps.get() + steps.n);
            steps.n += m;
        });
    });
    return steps;
}

double step_area(const PackedScores& packed, int n_threads, Poll poll) {
    return share_sums(packed, n_threads, poll).here;
}

double trapezoid_area(const PackedScores& packed, int n_threads, Poll poll) {
    const ShareSums sums = share_sums(packed, n_threads, poll);
    return sums.own > 0 ? (sums.here + sums.before) / 2 / sums.own
                        : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace karat
