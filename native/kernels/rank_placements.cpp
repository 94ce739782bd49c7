#include "kernels/rank_placements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/rank_areas.hpp"
#include "kernels/rank_level_sums.hpp"
#include "kernels/rank_shares.hpp"

namespace karat {
namespace {

__extension__ typedef unsigned __int128 uint128;

// Of all differences from the mean of `rows` numbers, in the unit `whole`: exact but for the last
// division.
SideSpread spread_of(uint64_t rows, uint64_t sum, uint128 squares, uint64_t whole) {
    SideSpread side;
    side.weight = side.square = static_cast<double>(rows);
    const uint128 excess = static_cast<uint128>(rows) * squares - static_cast<uint128>(sum) * sum;
    const double unit = static_cast<double>(whole);
    side.spread = static_cast<double>(excess) / side.weight / (unit * unit);
    return side;
}

// Where a walk downwards stands: words still to read, own rows and rest so far, and twice the pairs
// in which a row of the rest stands above an own row, tied ones once.
struct Checkpoint {
    int64_t last;
    uint64_t own, rest, missed;
};

// Walks downwards: every row has so many rows of the other side above it.
template <class Square, class Reader>
class CountedSpread {
public:
    CountedSpread(const Reader& reader, int64_t n, uint64_t own_slot)
        : reader_(reader), n_(n), own_slot_(own_slot) {}

    PlacementSpread run() {
        walk();
        const uint64_t pairs = at_.own * at_.rest;
        PlacementSpread made;
        made.counted = 2 * pairs - at_.missed;
        made.pairs = static_cast<double>(made.counted);
        made.sides = {spread_of(at_.rest, made.counted, squares_[0], 2 * at_.own),
                      spread_of(at_.own, at_.missed, squares_[1], 2 * at_.rest)};
        made.size = pairs > 0 ? size() : std::numeric_limits<double>::quiet_NaN();
        return made;
    }

private:
    void walk() {
        int64_t i = n_ - 1;
        while (i >= 0) {
            passed_.push_back(at_);
            passed_.back().last = i + 1;
            const int64_t stop = i >= kBlock ? i - kBlock + 1 : 0;
            // What the loop changes is kept out of memory.
            uint64_t own = at_.own, all = at_.own + at_.rest, missed = 0;
            Square both = 0, mine = 0;
            while (i >= stop) {
                if (i > 0 && reader_.same(i - 1, i)) {
                    at_.own = own, at_.rest = all - own;
                    i = pass_tied(i);
                    own = at_.own, all = at_.own + at_.rest;
                    continue;
                }
                const uint64_t is_own = reader_.slot(i--) == own_slot_, mask = uint64_t{0} - is_own;
                const uint64_t rest = all - own, above = (rest & mask) | (own & ~mask);
                const Square square = static_cast<Square>(above) * above;
                both += square;
                mine += is_own ? square : 0;
                missed += above & mask;
                own += is_own;
                ++all;
            }
            at_.own = own, at_.rest = all - own;
            at_.missed += 2 * missed;
            squares_[0] += static_cast<uint128>(both - mine) * 4;
            squares_[1] += static_cast<uint128>(mine) * 4;
        }
    }

    // A score level of several rows that ends with word i; the word before it.
    int64_t pass_tied(int64_t i) {
        const Tied tied = tied_at(i);
        const uint64_t above = 2 * at_.rest + tied.rest, under = 2 * at_.own + tied.own;
        squares_[1] += static_cast<uint128>(above) * above * tied.own;
        squares_[0] += static_cast<uint128>(under) * under * tied.rest;
        at_.missed += above * tied.own;
        at_.own += tied.own;
        at_.rest += tied.rest;
        return tied.before;
    }

    struct Tied {
        uint64_t own, rest;
        int64_t before;
    };
    Tied tied_at(int64_t i) const {
        Tied tied{reader_.slot(i) == own_slot_, reader_.slot(i) != own_slot_, i - 1};
        while (tied.before >= 0 && reader_.same(tied.before, i)) {
            const uint64_t is_own = reader_.slot(tied.before--) == own_slot_;
            tied.own += is_own;
            tied.rest += 1 - is_own;
        }
        return tied;
    }

    // Σ|V − A| of the own rows: those with fewer above them than the mean hold half of it, and come
    // first.
    double size() const {
        const double mean = static_cast<double>(at_.missed) / static_cast<double>(at_.own);
        size_t block = passed_.size() - 1;
        while (block > 0 && 2 * static_cast<double>(passed_[block].rest) > mean) --block;
        Checkpoint here = passed_[block];
        for (int64_t i = here.last - 1; i >= 0;) {
            const Tied tied = tied_at(i);
            const uint64_t above = 2 * here.rest + tied.rest;
            if (static_cast<double>(above) > mean) break;
            here.missed += above * tied.own;
            here.own += tied.own;
            here.rest += tied.rest;
            i = tied.before;
        }
        const double short_of =
            static_cast<double>(here.own) * mean - static_cast<double>(here.missed);
        return short_of / static_cast<double>(at_.rest);
    }

    const Reader& reader_;
    const int64_t n_;
    const uint64_t own_slot_;
    Checkpoint at_{};
    uint128 squares_[2] = {};  // of twice the rows above, tied ones once
    std::vector<Checkpoint> passed_;
};

// Σw·D, Σw²·D and Σw²·D² of the weight D of the other side above a row: it differs from its mean as
// what is below does.
struct WeighedPlaces {
    LongSum weight, square, above, linear, quadratic;

    void add(double w, double w2, double d) {
        weight.part += w;
        square.part += w2;
        above.part += w * d;
        linear.part += w2 * d;
        quadratic.part += w2 * d * d;
    }
    void close() {
        for (LongSum* sum : {&weight, &square, &above, &linear, &quadratic}) sum->close();
    }
    SideSpread spread(double other) const {
        SideSpread side;
        side.weight = weight.value();
        side.square = square.value();
        const double mean = above.value() / side.weight;
        const double found =
            quadratic.value() - 2 * mean * linear.value() + mean * mean * side.square;
        side.spread = std::isnan(found) ? found : std::max(found, 0.0) / (other * other);
        return side;
    }
};

PlacementSpread weigh_spread(const PackedScores& packed) {
    WeighedPlaces own, rest;
    double seen[2] = {};
    int64_t n_levels = 0;
    const RowReader reader(packed);
    weigh_each_level(reader, packed.task, 0, packed.task.n(), [&](const LevelSums& level) {
        own.add(level.weight[1], level.square[1], seen[0] + level.weight[0] / 2);
        rest.add(level.weight[0], level.square[0], seen[1] + level.weight[1] / 2);
        seen[0] += level.weight[0];
        seen[1] += level.weight[1];
        if (++n_levels % kBlock == 0) {
            own.close();
            rest.close();
        }
    });
    PlacementSpread made;
    const double n_own = own.weight.value(), n_rest = rest.weight.value();
    made.sides = {rest.spread(n_own), own.spread(n_rest)};
    made.pairs = 2 * rest.above.value();
    // The own rows whose V is above the mean hold half of all distances from it; they come first.
    const double area = made.pairs / (2 * n_own * n_rest);
    double above = 0, sum = 0;
    weigh_each_level(reader, packed.task, 0, packed.task.n(), [&](const LevelSums& level) {
        const double gap = 1 - area - (above + level.weight[0] / 2) / n_rest;
        above += level.weight[0];
        if (gap <= 0) return false;
        sum += level.weight[1] * gap;
        return true;
    });
    const bool has_both = n_own > 0 && n_rest > 0;
    made.size = has_both ? 2 * sum : std::numeric_limits<double>::quiet_NaN();
    return made;
}

size_t n_slots(const PackedScores& packed) { return size_t{1} << packed.layout.class_bits; }

// Walks upwards for at most kSets of all sets at once: what own rows stand above grows, what the others stand
// under shrinks. The numbers of a row lie side by side.
//
// Most sets have one gain for all classes. Those of others, at most kOthers of them, are added up class by class.
template <int64_t kOthers, int64_t kSets, bool kHasLifts>
class Placer {
public:
    // `sets` are of the others, then of the same gains, at most kSets together.
    Placer(const PackedScores& packed, const InfluenceGains& gains, std::vector<int64_t> others,
           const std::vector<int64_t>& same, double* out)
        : reader_(packed),
          n_(packed.task.n()),
          m_(gains.m),
          own_(static_cast<uint64_t>(packed.task.k - 1)),
          n_others_(static_cast<int64_t>(others.size())),
          gains_(n_slots(packed)),
          sets_(std::move(others)),
          out_(out) {
        if (kHasLifts) lifts_.emplace(packed);
        sets_.insert(sets_.end(), same.begin(), same.end());
        const int64_t k = packed.task.k;
        for (size_t s = 0; s < sets_.size(); ++s) {
            for (const int kind : {0, 1}) lift_gains_[kind][s] = gains.lifts[2 * sets_[s] + kind];
            // The slot of the own class has no gain.
            for (int64_t slot = 0; slot + 1 < k; ++slot) {
                const int64_t at = sets_[s] * k + packed.task.class_of_slot(slot);
                Gains& here = gains_[static_cast<size_t>(slot)];
                (static_cast<int64_t>(s) < n_others_ ? here.own[s] : same_[1][s]) = gains.own[at];
                (static_cast<int64_t>(s) < n_others_ ? here.rest[s] : same_[0][s]) = gains.rest[at];
            }
        }
    }

    void run(double own) {
        LongSum passed[2], below[kOthers + 1];
        int64_t next_close = kBlock;
        for (int64_t first = 0, last; first < n_; first = last) {
            double tied[2] = {}, of_classes[kOthers + 1] = {};
            bool has_side[2] = {};
            last = first;
            do {
                const uint64_t slot = reader_.slot(last);
                const double weight = reader_.weight(last);
                tied[slot == own_] += weight;
                has_side[slot == own_] = true;
                for (int64_t s = 0; s < kOthers; ++s) of_classes[s] += gains_[slot].own[s] * weight;
            } while (++last < n_ && reader_.same(last, first));
            // How much of own a row of the rest stands below, and an own row above of the rest.
            const double stands[2] = {own - passed[1].value() - tied[1] / 2,
                                      passed[0].value() + tied[0] / 2};
            double added[2][kSets];
            std::array<Lifts, 2> lifts;
            if constexpr (kHasLifts) lifts = lifts_->next();
            // Most score levels have rows of one side.
            if (has_side[0]) add_up<0>(stands, lifts, added[0]);
            if (has_side[1]) {
                add_up<1>(stands, lifts, added[1]);
                for (int64_t s = 0; s < kOthers; ++s)
                    added[1][s] += below[s].value() + of_classes[s] / 2;
            }
            for (int64_t i = first; i < last; ++i) place(i, stands[0], added);
            for (const int side : {0, 1}) passed[side].part += tied[side];
            for (int64_t s = 0; s < kOthers; ++s) below[s].part += of_classes[s];
            if (last < next_close) continue;
            next_close = last + kBlock;
            for (LongSum& sum : passed) sum.close();
            for (LongSum& sum : below) sum.close();
        }
    }

private:
    struct Gains {
        double own[kOthers + 1] = {}, rest[kOthers + 1] = {};
    };

    template <int kSide>
    void add_up(const double (&stands)[2], const std::array<Lifts, 2>& lifts, double (&added)[kSets]) const {
        for (int64_t s = 0; s < kSets; ++s) added[s] = same_[kSide][s] * stands[kSide];
        if constexpr (!kHasLifts) return;
        for (const int kind : {0, 1}) {
            const double lift = kSide == 0 ? lifts[kind].of_rest : lifts[kind].of_own;
            for (int64_t s = 0; s < kSets; ++s) added[s] += lift_gains_[kind][s] * lift;
        }
    }

    void place(int64_t i, double above, const double (&added)[2][kSets]) {
        const uint64_t slot = reader_.slot(i);
        const double(&of_row)[kSets] = added[slot == own_];
        double* const to = out_ + reader_.row(i) * m_;
        reader_.fetch_ahead(i, out_, m_, m_);
        for (int64_t s = 0; s < n_others_; ++s) to[sets_[s]] += gains_[slot].rest[s] * above;
        for (size_t s = 0; s < sets_.size(); ++s) to[sets_[s]] += of_row[s];
    }

    const RowReader reader_;
    const int64_t n_, m_;
    const uint64_t own_;
    const int64_t n_others_;
    std::vector<Gains> gains_;    // of the others, by slot
    double same_[2][kSets] = {};  // of a row of the rest, and of own; 0 of the others
    double lift_gains_[2][kSets] = {};
    std::optional<LiftsUpwards> lifts_;
    std::vector<int64_t> sets_;
    double* const out_;
};

// Whether all other classes have one gain.
bool has_one_gain(const RankTask& task, const InfluenceGains& gains, int64_t set) {
    const double *const own = gains.own + set * task.k, *const rest = gains.rest + set * task.k;
    const int64_t any = task.class_of_slot(0);
    for (int64_t slot = 1; slot + 1 < task.k; ++slot) {
        const int64_t c = task.class_of_slot(slot);
        if (own[c] != own[any] || rest[c] != rest[any]) return false;
    }
    return true;
}

bool has_any_gain(const RankTask& task, const InfluenceGains& gains, int64_t set) {
    const auto is_any = [](const double* first, int64_t n) {
        return std::any_of(first, first + n, [](double gain) { return gain != 0; });
    };
    return is_any(gains.own + set * task.k, task.k) || is_any(gains.rest + set * task.k, task.k) ||
           is_any(gains.lifts + 2 * set, 2);
}

bool has_any_lift(const InfluenceGains& gains, const std::vector<int64_t>& sets) {
    return std::any_of(sets.begin(), sets.end(), [&](int64_t s) {
        return gains.lifts[2 * s] != 0 || gains.lifts[2 * s + 1] != 0;
    });
}

template <int64_t n>
using Number = std::integral_constant<int64_t, n>;

// The first numbers of a list, at most n, which leave it.
std::vector<int64_t> taken(std::vector<int64_t>& from, size_t n) {
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(n, from.size()));
    std::vector<int64_t> found(from.begin(), end);
    from.erase(from.begin(), end);
    return found;
}

double own_weight(const PackedScores& packed) {
    const size_t own = static_cast<size_t>(packed.task.own);
    if (packed.task.weights != nullptr) return weigh_classes(packed)[own];
    return static_cast<double>(count_classes(packed)[own]);
}

}  // namespace

PlacementSpread placement_spread(const PackedScores& packed, int64_t n_narrow) {
    if (packed.task.weights != nullptr) return weigh_spread(packed);
    check_pairs(packed);
    const int64_t n = packed.task.n();
    const uint64_t own = static_cast<uint64_t>(packed.task.k - 1);
    return with_reader(packed, [&](const auto& reader) {
        using Reader = std::decay_t<decltype(reader)>;
        return n < n_narrow ? CountedSpread<uint64_t, Reader>(reader, n, own).run()
                            : CountedSpread<uint128, Reader>(reader, n, own).run();
    });
}

void add_influences(const PackedScores& packed, const InfluenceGains& gains, double* out) {
    check_names_rows(packed);
    if (packed.task.n() == 0) return;
    const double own = own_weight(packed);
    std::vector<int64_t> others, same;
    for (int64_t s = 0; s < gains.m; ++s)
        if (has_any_gain(packed.task, gains, s))
            (has_one_gain(packed.task, gains, s) ? same : others).push_back(s);
    while (!others.empty() || !same.empty()) {
        const std::vector<int64_t> unlike = taken(others, 2), alike = taken(same, 8 - unlike.size());
        const size_t n = unlike.size() + alike.size();
        const bool has_lifts = has_any_lift(gains, unlike) || has_any_lift(gains, alike);
        const auto run = [&](auto n_others, auto n_sets, auto lifts) {
            Placer<decltype(n_others)::value, decltype(n_sets)::value, decltype(lifts)::value>(
                packed, gains, unlike, alike, out)
                .run(own);
        };
        const auto with_lifts = [&](auto n_others, auto n_sets) {
            has_lifts ? run(n_others, n_sets, std::true_type()) : run(n_others, n_sets, std::false_type());
        };
        const auto with_sets = [&](auto n_others) {
            if (n <= 2) with_lifts(n_others, Number<2>());
            else if (n <= 4) with_lifts(n_others, Number<4>());
            else with_lifts(n_others, Number<8>());
        };
        unlike.empty() ? with_sets(Number<0>()) : with_sets(Number<2>());
    }
}

}  // namespace karat
