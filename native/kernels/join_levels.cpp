#include "kernels/join_levels.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/score_keys.hpp"

namespace karat {
namespace {

// What wraps around, as it does in arrays, where a sum fits no whole number.
int64_t added(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
double added(double a, double b) { return a + b; }

// −0.0 is 0.0.
int64_t ordered(double score) { return ordered_of<double, int64_t>(score + 0.0); }

class SameBucket {
public:
    explicit SameBucket(const Buckets& buckets) : buckets_(buckets) {}

    bool operator()(double a, double b) const {
        if (a == b) return true;
        if (buckets_.dropped == 0) return false;
        if (ordered(a) >> buckets_.dropped != ordered(b) >> buckets_.dropped) return false;
        return place(a) == place(b);
    }

private:
    // Ends at or below it and ends below it: a score at an end is in no place with another.
    int64_t place(double score) const {
        const double *first = buckets_.cuts, *last = first + buckets_.n_cuts;
        return (std::lower_bound(first, last, score) - first) +
               (std::upper_bound(first, last, score) - first);
    }

    Buckets buckets_;
};

void check_descends(const LevelScores& levels) {
    for (int64_t i = 1; i < levels.n; ++i)
        if (!(levels.low[i] < levels.low[i - 1]))
            throw std::invalid_argument("the scores of the levels do not descend");
}

}  // namespace

int64_t take_levels(const LevelScores& left, const LevelScores& right, const Buckets& buckets,
                   uint8_t* taken) {
    check_descends(left);
    check_descends(right);
    const SameBucket is_same(buckets);
    int64_t i = 0, j = 0, n = 0;
    while (i < left.n && j < right.n) {
        const double a = left.low[i], b = right.low[j];
        const bool both = is_same(a, b), is_left = both || a > b, is_right = both || !is_left;
        taken[n++] = static_cast<uint8_t>(is_left * kOfLeft + is_right * kOfRight);
        i += is_left;
        j += is_right;
    }
    std::fill_n(taken + n, left.n - i, static_cast<uint8_t>(kOfLeft));
    n += left.n - i;
    std::fill_n(taken + n, right.n - j, static_cast<uint8_t>(kOfRight));
    return n + right.n - j;
}

template <class T>
void join_levels(const uint8_t* taken, int64_t n, const T* left, int64_t n_left, const T* right,
                int64_t n_right, int64_t width, Join join, T* out) {
    int64_t of_left = 0, of_right = 0;
    for (int64_t r = 0; r < n; ++r) {
        of_left += (taken[r] & kOfLeft) != 0;
        of_right += (taken[r] & kOfRight) != 0;
    }
    if (of_left != n_left || of_right != n_right)
        throw std::invalid_argument("the levels are not those that were taken");
    const auto joined = [join](T a, T b) {
        return join == Join::add ? added(a, b) : join == Join::lowest ? std::min(a, b) : std::max(a, b);
    };
    for (int64_t r = 0; r < n; ++r, out += width) {
        if (taken[r] == kOfBoth) {
            for (int64_t c = 0; c < width; ++c) out[c] = joined(left[c], right[c]);
            left += width;
            right += width;
        } else if (taken[r] == kOfLeft) {
            std::copy_n(left, width, out);
            left += width;
        } else if (taken[r] == kOfRight) {
            std::copy_n(right, width, out);
            right += width;
        } else {
            throw std::invalid_argument("a level is of neither table");
        }
    }
}

template void join_levels(const uint8_t*, int64_t, const double*, int64_t, const double*, int64_t,
                         int64_t, Join, double*);
template void join_levels(const uint8_t*, int64_t, const int64_t*, int64_t, const int64_t*, int64_t,
                         int64_t, Join, int64_t*);

}  // namespace karat
