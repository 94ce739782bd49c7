#include "kernels/rank_shares.hpp"

#include <stdexcept>

#include "kernels/rank_level_sums.hpp"

namespace karat {
namespace {

// What is added up from the best score level on. Score levels above which nothing weighs anything have share 1.
//
// Counted: every row weighs 1. A score level without own rows then adds nothing but rows, and nothing is asked of its
// share: it takes no division.
template <bool kIsStraight, bool kIsCounted>
class ShareWalk {
public:
    double share = 1, share_before = 1;
    LongSum own, all, area;
    // Σ p/N and Σ p·s/N of the score levels so far; the same with N and s of the score level before.
    LongSum rate, lost, rate_before, lost_before;

    void pass(const LevelSums& level) {
        const double p = level.weight[1], n_before = all.value();
        all.part += level.weight[0] + p;
        if (!kIsCounted || p > 0) add(p, n_before);
        if (++n_levels_ % kBlock != 0) return;
        for (LongSum* sum : {&own, &all, &area, &rate, &lost, &rate_before, &lost_before})
            sum->close();
    }

    // The x of the score level.
    double here() const { return kIsStraight ? (share + share_before) / 2 : share; }

private:
    void add(double p, double n_before) {
        share_before = n_before > 0 ? own.value() / n_before : 1;
        own.part += p;
        const double n = all.value();
        if (!(n > 0)) return;
        share = own.value() / n;
        const double moved = p / n;
        rate.part += moved;
        lost.part += moved * share;
        if (kIsStraight && n_before > 0) {
            rate_before.part += p / n_before;
            lost_before.part += p * share_before / n_before;
        }
        area.part += p * here();
    }

    int64_t n_levels_ = 0;
};

// Calls use(walk) with a walk of the kind that the rows take.
template <bool kIsStraight, class Use>
auto with_walk(const RankTask& task, const Use& use) {
    return task.weights == nullptr ? use(ShareWalk<kIsStraight, true>())
                                   : use(ShareWalk<kIsStraight, false>());
}

// Calls use(score level, lift of a row of the rest, lift of an own row) for each score level, after a first walk
// that adds up everything.
template <bool kIsStraight, class Walk, class Reader, class Use>
void each_lift_of(Walk whole, const Reader& reader, const RankTask& task, const Use& use) {
    Walk walk = whole;
    each_level(reader, task, [&](const LevelSums& level) { whole.pass(level); });
    const double area = whole.area.value() / whole.own.value();
    each_level(reader, task, [&](const LevelSums& level) {
        double rate = whole.rate.value() - walk.rate.value();
        double lost = whole.lost.value() - walk.lost.value();
        walk.pass(level);
        if (kIsStraight) {
            // Half of c is p of the score level itself, half p of the one below, whose N before is N.
            rate = (rate + whole.rate_before.value() - walk.rate_before.value()) / 2;
            lost = (lost + whole.lost_before.value() - walk.lost_before.value()) / 2;
        }
        use(level, -lost, walk.here() + rate - area - lost);
    });
}

template <class Reader, class Use>
void each_lift(const Reader& reader, const RankTask& task, bool is_straight, const Use& use) {
    const auto each = [&](auto kind) {
        constexpr bool is_of_lines = decltype(kind)::value;
        with_walk<is_of_lines>(task, [&](auto walk) { each_lift_of<is_of_lines>(walk, reader, task, use); });
    };
    is_straight ? each(std::true_type()) : each(std::false_type());
}

template <bool kIsStraight, class Walk>
class WalkedLifts final : public LiftsUpwards {
public:
    WalkedLifts(Walk walk, const PackedScores& packed) : reader_(packed), task_(packed.task) {
        int64_t n_levels = 0;
        each_level(reader_, task_, [&](const LevelSums& level) {
            if (n_levels++ % kBlock == 0) passed_.push_back({walk, level.last});
            walk.pass(level);
        });
        const Lifts all = half(walk.lost.value(), walk.rate.value(), walk);
        common_ = {-all.of_rest, all.of_own - all.of_rest - walk.area.value() / walk.own.value()};
    }

private:
    struct Passed {
        Walk walk;
        int64_t last;  // words below this one come next
    };

    // Σ p·s/N and Σ p/N. With straight lines half of c is p of the score level itself, half p of the one below, whose N
    // before is N.
    static Lifts half(double lost, double rate, const Walk& walk) {
        if (!kIsStraight) return {lost, rate};
        return {(lost + walk.lost_before.value()) / 2, (rate + walk.rate_before.value()) / 2};
    }

    void make_stretch() override {
        if (passed_.empty()) throw std::runtime_error("the words were altered");
        Passed from = passed_.back();
        passed_.pop_back();
        stretch_.clear();
        each_level(reader_, task_, end_, from.last, [&](const LevelSums& level) {
            const double lost = from.walk.lost.value(), rate = from.walk.rate.value();
            from.walk.pass(level);
            const Lifts above = half(lost, rate, from.walk);
            stretch_.push_back({above.of_rest, from.walk.here() - above.of_own + above.of_rest});
        });
        if (stretch_.empty()) throw std::runtime_error("the words were altered");
        end_ = from.last;
        left_ = stretch_.size();
    }

    const RowReader reader_;
    const RankTask& task_;
    std::vector<Passed> passed_;
    int64_t end_ = 0;  // words below this one have had their turn
};

}  // namespace

std::unique_ptr<LiftsUpwards> lifts_upwards(const PackedScores& packed, bool is_straight) {
    const auto each = [&](auto kind) {
        constexpr bool is_of_lines = decltype(kind)::value;
        return with_walk<is_of_lines>(packed.task, [&](auto walk) -> std::unique_ptr<LiftsUpwards> {
            return std::make_unique<WalkedLifts<is_of_lines, decltype(walk)>>(walk, packed);
        });
    };
    return is_straight ? each(std::true_type()) : each(std::false_type());
}

std::array<double, 2> lift_squares(const PackedScores& packed, bool is_straight) {
    LongSum sums[2];
    int64_t n_levels = 0;
    const auto add = [&](const LevelSums& level, double of_rest, double of_own) {
        // Rows without weight count for nothing, also where their lift is no number.
        if (level.square[0] > 0) sums[0].part += level.square[0] * of_rest * of_rest;
        if (level.square[1] > 0) sums[1].part += level.square[1] * of_own * of_own;
        if (++n_levels % kBlock == 0)
            for (LongSum& sum : sums) sum.close();
    };
    with_reader(packed, [&](const auto& reader) {
        each_lift(reader, packed.task, is_straight, add);
    });
    return {sums[0].value(), sums[1].value()};
}

}  // namespace karat
