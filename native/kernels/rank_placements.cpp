#include "kernels/rank_placements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "kernels/choose_isa.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_cumulated.hpp"
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

static_assert(kBlock == std::extent_v<decltype(PlacedRows::slot)>);

size_t n_slots(const PackedScores& packed) { return size_t{1} << packed.layout.class_bits; }

// Sets whose numbers of a row lie side by side: how many, and the first of them.
struct SetGroup {
    int64_t first, width;
};

// As wide as the vector kernels, best first: 1, 2, 4 or 8 sets.
std::vector<SetGroup> groups_of(int64_t m) {
    std::vector<SetGroup> groups;
    for (int64_t first = 0, width = 8; first < m; first += groups.back().width) {
        while (width > m - first) width /= 2;
        groups.push_back({first, width});
    }
    return groups;
}

// Adds to the sets of a group, score level by score level: own rows stand above what of the others is below them, the
// others under what of own is above them.
//
// Where classes have one gain in a set, own rows get it times what they stand above of all others, else what is added
// up class by class.
class Placer {
public:
    // `lifts` are those of the words.
    Placer(const PackedScores& packed, const InfluenceGains& gains, SetGroup group, ShareLifts* lifts, double* out)
        : reader_(packed),
          packed_(packed),
          n_(packed.task.n()),
          m_(gains.m),
          width_(group.width),
          own_(static_cast<uint64_t>(packed.task.k - 1)),
          out_(out + group.first),
          of_own_(n_slots(packed) * width_),
          of_slots_(n_slots(packed) * width_) {
        for (int64_t s = 0; s < width_; ++s) take_gains(gains, group.first + s, s);
        rows_.gains = of_slots_.data();
        const auto is_any = [](double gain) { return gain != 0; };
        if (std::any_of(&lift_gains_[0][0], &lift_gains_[0][0] + 16, is_any)) {
            lifts_ = lifts;
            for (const int kind : {0, 1}) rows_.lift_gains[kind] = lift_gains_[kind];
        }
        if (!has_classes_) return;
        // Entry 0 is that of rows which get nothing more.
        extras_.resize(static_cast<size_t>((kBlock + 1) * width_));
        rows_.extras = extras_.data();
    }

    void run() {
        if (packed_.task.weights != nullptr) {
            weigh();
        } else {
            count();
        }
        flush();
    }

private:
    void take_gains(const InfluenceGains& gains, int64_t set, int64_t s) {
        const RankTask& task = packed_.task;
        const double *const own = gains.own + set * task.k, *const rest = gains.rest + set * task.k;
        const int64_t n_others = task.k - 1;
        const double any = n_others > 0 ? own[task.class_of_slot(0)] : 0.0;
        bool has_one = true;
        for (int64_t slot = 0; slot < n_others; ++slot) {
            const int64_t c = task.class_of_slot(slot);
            has_one = has_one && own[c] == any;
            of_slots_[slot * width_ + s] = rest[c];
        }
        for (const int kind : {0, 1}) lift_gains_[kind][s] = gains.lifts[2 * set + kind];
        if (has_one) {
            of_slots_[n_others * width_ + s] = any;
            return;
        }
        has_classes_ = true;
        for (int64_t slot = 0; slot < n_others; ++slot)
            of_own_[slot * width_ + s] = own[task.class_of_slot(slot)];
    }

    // Rows that weigh 1. Numbers of rows, and their halves, are exact.
    void count() {
        const std::vector<int64_t> classes = count_classes(packed_);
        n_rest_ = static_cast<double>(n_ - classes[packed_.task.own]);
        if (has_classes_)
            for (int64_t slot = 0; slot + 1 < packed_.task.k; ++slot)
                add_class(static_cast<uint64_t>(slot), static_cast<double>(classes[packed_.task.class_of_slot(slot)]));
        close_below();
        Cumulated found;
        int64_t own = 0;
        size_t stretch = 0;
        each_stretch(n_, [&](int64_t first, int64_t last) {
            found.restart();
            own = count_stretch(reader_, packed_, first, last, own, found);
            if (lifts_ && lifts_->make(stretch) != found.n) throw std::runtime_error("the words were altered");
            ++stretch;
            place_levels(found);
            close_below();
        });
    }

    // The rows of score levels that end in a stretch: some may stand in the one before.
    void place_levels(const Cumulated& found) {
        const int64_t from = n_ - static_cast<int64_t>(found.all[0]), to = n_ - static_cast<int64_t>(found.all[found.n]);
        if (from - to == found.n) {
            flush();
            return place_each(found, from);
        }
        for (int64_t j = 1, i = from; j <= found.n; ++j) {
            const int64_t end = n_ - static_cast<int64_t>(found.all[j]);
            Stand stand = stand_at(found, j);
            if (has_classes_) {
                for (int64_t at = end; at < i; ++at) add_class(reader_.slot(at), -0.5);
                put_below(stand.extra);
                for (int64_t at = end; at < i; ++at) add_class(reader_.slot(at), -0.5);
            }
            while (i > end) push(--i, stand);
        }
    }

    // Each row is a score level.
    void place_each(const Cumulated& found, int64_t from) {
        for (int64_t j = 1; j <= found.n; ++j) {
            const uint64_t slot = reader_.slot(from - j);
            const bool is_own = slot == own_;
            rows_.at[j - 1] = reader_.row(from - j) * m_;
            rows_.slot[j - 1] = static_cast<uint32_t>(slot);
            const double own = found.own[j - 1] + found.own[j], all = found.all[j - 1] + found.all[j];
            const double sides[2] = {own / 2, n_rest_ - (all - own) / 2};
            rows_.stand[j - 1] = sides[is_own];
        }
        if (lifts_)
            for (const int kind : {0, 1})
                for (int64_t j = 0; j < found.n; ++j) {
                    const Lifts here = lifts_->lifts(kind, j);
                    const double sides[2] = {here.of_rest, here.of_own};
                    rows_.lifts[kind][j] = sides[rows_.slot[j] == own_];
                }
        rows_.n = found.n;
        if (has_classes_) put_extras();
        flush();
    }

    // By weight, upwards.
    void weigh() {
        const double own = weigh_classes(packed_)[static_cast<size_t>(packed_.task.own)];
        std::optional<LiftsUpwards> lifts;
        if (lifts_) lifts.emplace(*lifts_);
        LongSum passed[2];
        int64_t next_close = kBlock;
        for (int64_t first = 0, last; first < n_; first = last) {
            double tied[2] = {};
            last = first;
            do {
                reader_.fetch_weight(last);
                tied[reader_.slot(last) == own_] += reader_.weight(last);
            } while (++last < n_ && reader_.same(last, first));
            Stand stand{{own - passed[1].value() - tied[1] / 2, passed[0].value() + tied[0] / 2}, {}, {}};
            if (lifts) stand.lifts = lifts->next();
            if (has_classes_) {
                for (int64_t i = first; i < last; ++i) add_class(reader_.slot(i), reader_.weight(i) / 2);
                put_below(stand.extra);
                for (int64_t i = first; i < last; ++i) add_class(reader_.slot(i), reader_.weight(i) / 2);
            }
            for (int64_t i = first; i < last; ++i) push(i, stand);
            for (const int side : {0, 1}) passed[side].part += tied[side];
            if (last < next_close) continue;
            next_close = last + kBlock;
            for (LongSum& sum : passed) sum.close();
            close_below();
        }
    }

    // How much of own a row of the rest stands below, and an own row above of the rest; and what else they get.
    struct Stand {
        double sides[2];
        std::array<Lifts, 2> lifts;
        double extra[8];
    };

    Stand stand_at(const Cumulated& found, int64_t j) const {
        const double own = found.own[j - 1] + found.own[j], all = found.all[j - 1] + found.all[j];
        Stand stand{{own / 2, n_rest_ - (all - own) / 2}, {}, {}};
        if (lifts_)
            for (const int kind : {0, 1}) stand.lifts[kind] = lifts_->lifts(kind, j - 1);
        return stand;
    }

    // What own rows get of so much more weight of a class below them.
    void add_class(uint64_t slot, double weight) {
        for (int64_t s = 0; s < width_; ++s) below_part_[s] += of_own_[slot * width_ + s] * weight;
    }
    void put_below(double* to) const {
        for (int64_t s = 0; s < width_; ++s) to[s] = below_[s] + below_part_[s];
    }
    void close_below() {
        put_below(below_);
        std::fill(below_part_, below_part_ + 8, 0.0);
    }

    // The same of rows of which each is a score level.
    void put_extras() {
        double part[8] = {};
        for (int64_t j = 0; j < rows_.n; ++j) {
            rows_.extra[j] = 0;
            if (rows_.slot[j] != own_) {
                const double* const gains = of_own_.data() + rows_.slot[j] * width_;
                for (int64_t s = 0; s < width_; ++s) part[s] -= gains[s];
                continue;
            }
            rows_.extra[j] = ++n_extras_;
            double* const to = extras_.data() + n_extras_ * width_;
            for (int64_t s = 0; s < width_; ++s) to[s] = below_[s] + part[s];
        }
        std::copy(part, part + 8, below_part_);
    }

    void push(int64_t i, const Stand& stand) {
        if (rows_.n == kBlock) flush();
        const int64_t at = rows_.n++;
        const uint64_t slot = reader_.slot(i);
        const bool is_own = slot == own_;
        rows_.at[at] = reader_.row(i) * m_;
        rows_.slot[at] = static_cast<uint32_t>(slot);
        rows_.stand[at] = stand.sides[is_own];
        for (const int kind : {0, 1})
            rows_.lifts[kind][at] = is_own ? stand.lifts[kind].of_own : stand.lifts[kind].of_rest;
        rows_.extra[at] = 0;
        if (!has_classes_ || !is_own) return;
        rows_.extra[at] = ++n_extras_;
        std::copy(stand.extra, stand.extra + width_, extras_.begin() + n_extras_ * width_);
    }

    void flush() {
        if (rows_.n == 0) return;
        // The last rows of a block prefetch nothing new.
        std::fill_n(rows_.at + rows_.n, PlacedRows::kAhead, rows_.at[rows_.n - 1]);
        const int kernel = width_ == 8 ? 3 : width_ == 4 ? 2 : width_ == 2 ? 1 : 0;
        lanes().places.place[kernel](rows_, out_);
        rows_.n = 0;
        n_extras_ = 0;
    }

    const RowReader reader_;
    const PackedScores& packed_;
    const int64_t n_, m_, width_;
    const uint64_t own_;
    double* const out_;
    // [slots, width]: what own rows get of each class below them where classes have gains of their own; what rows get
    // by where they stand.
    std::vector<double> of_own_, of_slots_;
    bool has_classes_ = false;
    double lift_gains_[2][8] = {};
    ShareLifts* lifts_ = nullptr;  // where some set has a gain of them
    double n_rest_ = 0;
    double below_[8] = {}, below_part_[8] = {};
    std::vector<double> extras_;
    int32_t n_extras_ = 0;
    PlacedRows rows_;
};

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

bool has_lifts(const InfluenceGains& gains) {
    return std::any_of(gains.lifts, gains.lifts + 2 * gains.m, [](double gain) { return gain != 0; });
}

void add_influences(const PackedScores& packed, const InfluenceGains& gains, ShareLifts* lifts, double* out) {
    check_names_rows(packed);
    if (packed.task.n() == 0) return;
    for (const SetGroup& group : groups_of(gains.m)) Placer(packed, gains, group, lifts, out).run();
}

}  // namespace karat
