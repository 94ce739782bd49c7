// For lanes_source.hpp only: see lanes_logistic.hpp.

namespace {

// Score levels that are handled at once, with nothing after the last of them.
struct LogisticLevels {
    static constexpr int64_t kMost = 2048, kStep = kChains * kLanes64 < 8 ? 8 : kChains * kLanes64;

    alignas(64) double x[kMost], misses[kMost], hits[kMost], t[kMost], small[kMost];
    int64_t n = 0;  // a multiple of kStep

    LogisticLevels(const double* from, const double* of_misses, const double* of_hits, int64_t given,
                   const karat::LogisticLine& line) {
        n = (given + kStep - 1) / kStep * kStep;
        take(from, given, x);
        take(of_misses, given, misses);
        take(of_hits, given, hits);
        for (int64_t i = given; i < n; ++i) x[i] = line.centre;
        const F64 height = F64{} + line.height, slope = F64{} + line.slope, centre = F64{} + line.centre;
        for (int64_t i = 0; i < n; i += kChains * kLanes64) {
            F64 powers[kChains];
            for (int chain = 0; chain < kChains; ++chain) {
                const int64_t at = i + chain * kLanes64;
                const F64 here = height + slope * (load<F64>(x + at) - centre);
                store(t + at, here);
                powers[chain] = here > 0.0 ? -here : here;
            }
            exponentials(powers);
            for (int chain = 0; chain < kChains; ++chain) store(small + i + chain * kLanes64, powers[chain]);
        }
    }

    void take(const double* from, int64_t given, double* to) const {
        __builtin_memcpy(to, from, size_t(given) * sizeof(double));
        for (int64_t i = given; i < n; ++i) to[i] = 0;
    }
};

// σ(t) and σ(−t), neither as 1 less the other.
struct BothSides {
    Wide chance, rest;

    BothSides(const LogisticLevels& levels, int64_t i) {
        const Wide t = wide_at(levels.t + i), small = wide_at(levels.small + i);
        const Wide larger = all_of(1.0) / (all_of(1.0) + small), smaller = small * larger;
        const WideFlags is_below = all_of(0.0) > t;
        chance = choose(is_below, smaller, larger);
        rest = choose(is_below, larger, smaller);
    }
};

void logistic_moments(const double* x, const double* misses, const double* hits, int64_t n,
                      const karat::LogisticLine& line, karat::LogisticMoments* out) {
    const LogisticLevels levels(x, misses, hits, n, line);
    alignas(64) double spreads[LogisticLevels::kMost];
    const Wide zero = all_of(0.0), one = all_of(1.0), centre = all_of(line.centre);
    Wide likelihood = zero, higher = zero, steeper = zero, weight = zero, first = zero;
    for (int64_t i = 0; i < levels.n; i += 8) {
        const BothSides sides(levels, i);
        const Wide hit = wide_at(levels.hits + i), miss = wide_at(levels.misses + i);
        const Wide t = wide_at(levels.t + i), small = wide_at(levels.small + i);
        const Wide away = wide_at(levels.x + i) - centre;
        // −ln σ(t) = max(−t, 0) + ln(1 + exp(−|t|)).
        const Wide common = logarithm(one + small, small);
        likelihood = likelihood + (hit * (larger(zero - t, zero) + common) + miss * (larger(t, zero) + common));
        const Wide missing = hit * sides.rest - miss * sides.chance;
        higher = higher + missing;
        steeper = steeper + missing * away;
        const Wide spread = (hit + miss) * (sides.chance * sides.rest);
        store_wide(spreads + i, spread);
        weight = weight + spread;
        first = first + spread * away;
    }
    out->likelihood = -total(likelihood);
    out->higher = total(higher);
    out->steeper = total(steeper);
    out->weight = total(weight);
    out->away = out->square = 0;
    if (!(out->weight > 0)) return;
    out->away = total(first) / out->weight;
    const Wide mean = all_of(out->away);
    Wide square = zero;
    for (int64_t i = 0; i < levels.n; i += 8) {
        const Wide away = (wide_at(levels.x + i) - centre) - mean;
        square = square + wide_at(spreads + i) * (away * away);
    }
    out->square = total(square);
}

double logistic_squares(const double* x, const double* rest, const double* own, int64_t n,
                        const karat::LogisticLine& line, double gain, double turn, double about) {
    const LogisticLevels levels(x, rest, own, n, line);
    const Wide zero = all_of(0.0);
    Wide sum = zero;
    for (int64_t i = 0; i < levels.n; i += 8) {
        const BothSides sides(levels, i);
        const Wide slope = all_of(gain) + all_of(turn) * (wide_at(levels.x + i) - all_of(about));
        const Wide of_rest = wide_at(levels.misses + i), of_own = wide_at(levels.hits + i);
        const Wide rest_moves = sides.chance * slope, own_moves = sides.rest * slope;
        sum = sum + choose(of_rest > zero, of_rest * (rest_moves * rest_moves), zero);
        sum = sum + choose(of_own > zero, of_own * (own_moves * own_moves), zero);
    }
    return total(sum);
}

constexpr karat::LogisticLanes kLogisticLanes = {logistic_moments, logistic_squares};

}  // namespace
