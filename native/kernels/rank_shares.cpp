#include "kernels/rank_shares.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/choose_isa.hpp"
#include "kernels/rank_cumulated.hpp"
#include "kernels/rank_level_sums.hpp"

namespace karat {
namespace {

// What is added up from the best score level on: Σ p/N and Σ p·s/N, the same with N and s of the score level before,
// and F by steps (0) and by straight lines (1).
struct ShareTotals {
    LongSum rate, lost, rate_before, lost_before, area[2];

    void close() {
        for (LongSum* sum : {&rate, &lost, &rate_before, &lost_before, &area[0], &area[1]}) sum->close();
    }
    // What all lifts share, of `own` weight of the own class.
    Lifts shared(int kind, double own) const {
        // Half of c is p of the score level itself, half p of the one below, whose N before is N.
        const double halved[2][2] = {
            {lost.value(), rate.value()},
            {(lost.value() + lost_before.value()) / 2, (rate.value() + rate_before.value()) / 2}};
        const auto [all_lost, all_rate] = halved[kind];
        return {-all_lost, all_rate - all_lost - area[kind].value() / own};
    }
};

// The lifts less `shared` of score level j: by the sums so far, those of the score level before with this one, its
// share and the one before.
inline void set_lifts(double rate, double lost, double rate_before, double lost_before, double share,
                      double share_before, LiftStretch& to, int64_t j) {
    const double line_lost = (lost + lost_before) / 2, line_rate = (rate + rate_before) / 2;
    to.of_rest[0][j] = lost;
    to.of_own[0][j] = share - rate + lost;
    to.of_rest[1][j] = line_lost;
    to.of_own[1][j] = (share + share_before) / 2 - line_rate + line_lost;
}

// Rows that weigh 1, a stretch of words at a time.
template <class Reader>
class CountedLifts final : public ShareLifts {
public:
    CountedLifts(const Reader& reader, const PackedScores& packed) : reader_(reader), packed_(packed) {
        ShareTotals totals;
        int64_t own = 0;
        each_stretch(packed.task.n(), [&](int64_t first, int64_t last) {
            found_.restart();
            passed_.push_back({totals, first, last, own, found_.own[0], found_.all[0], found_.share[0]});
            own = count_stretch(reader_, packed_, first, last, own, found_);
            add(totals);
        });
        for (const int kind : {0, 1}) shared_[kind] = totals.shared(kind, static_cast<double>(own));
    }

    size_t n_stretches() const override { return passed_.size(); }

    int64_t make(size_t stretch) override {
        const Passed& from = passed_[stretch];
        found_.own[0] = from.own_above;
        found_.all[0] = from.all_above;
        found_.share[0] = from.share_above;
        count_stretch(reader_, packed_, from.first, from.last, from.own, found_);
        make_terms();
        // Each becomes the sum before it, or up to it.
        double rate = 0, lost = 0, rate_before = 0, lost_before = 0;
        for (int64_t j = 1; j <= found_.n; ++j) {
            const double of_rate = rates_[j], of_lost = losses_[j];
            rates_[j] = rate;
            losses_[j] = lost;
            rate += of_rate;
            lost += of_lost;
            rates_before_[j] = rate_before += rates_before_[j];
            losses_before_[j] = lost_before += losses_before_[j];
        }
        const ShareTotals& t = from.totals;
        const double *const own = found_.own, *const all = found_.all, *const share = found_.share;
        for (int64_t j = 1; j <= found_.n; ++j)
            set_lifts(t.rate.whole + rates_[j], t.lost.whole + losses_[j], t.rate_before.whole + rates_before_[j],
                      t.lost_before.whole + losses_before_[j], share[j], share[j - 1], levels_, j - 1);
        for (int64_t j = 1; j <= found_.n; ++j) {
            const double p = own[j] - own[j - 1];
            levels_.square[1][j - 1] = p;
            levels_.square[0][j - 1] = all[j] - all[j - 1] - p;
        }
        return found_.n;
    }

private:
    // What stands where a stretch begins: `own` rows above its first word, and at the last score level that ends above.
    struct Passed {
        ShareTotals totals;
        int64_t first, last, own;
        double own_above, all_above, share_above;
    };

    void make_terms() {
        double* const share = found_.share;
        const double *const own = found_.own, *const all = found_.all;
        lanes().cumulative.shares(own, all, found_.n, share, areas_);
        for (int64_t j = 1; j <= found_.n; ++j) {
            const double p = own[j] - own[j - 1];
            rates_[j] = p / all[j];
            losses_[j] = rates_[j] * share[j];
            rates_before_[j] = p / all[j - 1];
            losses_before_[j] = rates_before_[j] * share[j - 1];
        }
        // Nothing stands above the best score level.
        if (all[0] == 0) rates_before_[1] = losses_before_[1] = 0;
    }

    void add(ShareTotals& totals) {
        make_terms();
        for (int64_t j = 1; j <= found_.n; ++j) {
            totals.rate.part += rates_[j];
            totals.lost.part += losses_[j];
            totals.rate_before.part += rates_before_[j];
            totals.lost_before.part += losses_before_[j];
        }
        totals.area[0].part += areas_[0];
        totals.area[1].part += (areas_[0] + areas_[1]) / 2;
        totals.close();
    }

    const Reader reader_;
    const PackedScores& packed_;
    Cumulated found_;
    double areas_[2] = {};
    double rates_[kBlock + 1], losses_[kBlock + 1], rates_before_[kBlock + 1], losses_before_[kBlock + 1];
    std::vector<Passed> passed_;
};

// The walk over rows with weights. Score levels above which nothing weighs anything have share 1.
struct WeighedWalk {
    ShareTotals totals;
    LongSum own, all;
    double share = 1, share_before = 1;
    int64_t n_levels = 0;

    void pass(const LevelSums& level) {
        add(level.weight[1], level.weight[0] + level.weight[1]);
        if (++n_levels % kBlock != 0) return;
        totals.close();
        own.close();
        all.close();
    }

private:
    void add(double p, double weight) {
        const double n_before = all.value();
        all.part += weight;
        share_before = n_before > 0 ? own.value() / n_before : 1;
        own.part += p;
        const double n = all.value();
        if (!(n > 0)) return;
        share = own.value() / n;
        totals.rate.part += p / n;
        totals.lost.part += p / n * share;
        if (n_before > 0) {
            totals.rate_before.part += p / n_before;
            totals.lost_before.part += p * share_before / n_before;
        }
        totals.area[0].part += p * share;
        totals.area[1].part += p * (share + share_before) / 2;
    }
};

class WeighedLifts final : public ShareLifts {
public:
    explicit WeighedLifts(const PackedScores& packed) : reader_(packed), task_(packed.task) {
        WeighedWalk walk;
        weigh_each_level(reader_, task_, 0, task_.n(), [&](const LevelSums& level) {
            if (walk.n_levels % kBlock == 0) passed_.push_back({walk, level.last});
            walk.pass(level);
        });
        for (const int kind : {0, 1}) shared_[kind] = walk.totals.shared(kind, walk.own.value());
    }

    size_t n_stretches() const override { return passed_.size(); }

    int64_t make(size_t stretch) override {
        WeighedWalk walk = passed_[stretch].walk;
        const int64_t end = stretch + 1 < passed_.size() ? passed_[stretch + 1].last : 0;
        int64_t n = 0;
        weigh_each_level(reader_, task_, end, passed_[stretch].last, [&](const LevelSums& level) {
            if (n == kBlock) throw std::runtime_error("the words were altered");
            const double rate = walk.totals.rate.value(), lost = walk.totals.lost.value();
            walk.pass(level);
            const ShareTotals& t = walk.totals;
            set_lifts(rate, lost, t.rate_before.value(), t.lost_before.value(), walk.share, walk.share_before, levels_,
                      n);
            for (const int side : {0, 1}) levels_.square[side][n] = level.square[side];
            ++n;
        });
        return n;
    }

private:
    struct Passed {
        WeighedWalk walk;
        int64_t last;  // words below this one come next
    };

    const RowReader reader_;
    const RankTask& task_;
    std::vector<Passed> passed_;
};

// Σ square·(less + shared)², in four parts by turns.
double sum_of_squares(const double* square, const double* less, double shared, int64_t n) {
    // Where no lift is a number, rows without weight still count for nothing.
    if (!std::isfinite(shared))
        return std::any_of(square, square + n, [](double each) { return each > 0; }) ? shared : 0.0;
    double parts[4] = {};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        for (int part = 0; part < 4; ++part) {
            const double lift = less[j + part] + shared;
            parts[part] += square[j + part] * lift * lift;
        }
    for (int part = 0; j < n; ++j, ++part) {
        const double lift = less[j] + shared;
        parts[part] += square[j] * lift * lift;
    }
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

}  // namespace

std::unique_ptr<ShareLifts> share_lifts(const PackedScores& packed) {
    if (packed.task.weights != nullptr) return std::make_unique<WeighedLifts>(packed);
    return with_reader(packed, [&](const auto& reader) -> std::unique_ptr<ShareLifts> {
        return std::make_unique<CountedLifts<std::decay_t<decltype(reader)>>>(reader, packed);
    });
}

void LiftsUpwards::take_stretch() {
    if (stretch_ == 0) throw std::runtime_error("the words were altered");
    left_ = lifts_.make(--stretch_);
}

std::array<std::array<double, 2>, 2> lift_squares(ShareLifts& lifts) {
    LongSum sums[2][2];
    for (size_t stretch = 0; stretch < lifts.n_stretches(); ++stretch) {
        const int64_t n = lifts.make(stretch);
        const LiftStretch& levels = lifts.levels();
        for (const int kind : {0, 1}) {
            const Lifts shared = lifts.shared(kind);
            sums[kind][0].part = sum_of_squares(levels.square[0], levels.of_rest[kind], shared.of_rest, n);
            sums[kind][1].part = sum_of_squares(levels.square[1], levels.of_own[kind], shared.of_own, n);
            for (LongSum& sum : sums[kind]) sum.close();
        }
    }
    return {{{sums[0][0].value(), sums[0][1].value()}, {sums[1][0].value(), sums[1][1].value()}}};
}

}  // namespace karat
