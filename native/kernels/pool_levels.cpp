#include "kernels/pool_levels.hpp"

namespace karat {
namespace {

__extension__ typedef __int128 int128;

// Whether the share of the first block is not above that of the second: own ÷ all of each.
bool is_not_above(int64_t own, int64_t all, int64_t next_own, int64_t next_all) {
    return static_cast<int128>(own) * next_all <= static_cast<int128>(next_own) * all;
}
bool is_not_above(double own, double all, double next_own, double next_all) {
    return own * next_all <= next_own * all;
}

}  // namespace

template <class Number>
PooledLevels<Number> pool_levels(const Number* counts, const int64_t* lengths, int64_t u) {
    PooledLevels<Number> pooled;
    std::vector<Number>& sums = pooled.sums;
    for (int64_t i = 0; i < u; ++i) {
        Number rest = counts[2 * i], own = counts[2 * i + 1];
        int64_t length = lengths == nullptr ? 1 : lengths[i];
        while (!sums.empty()) {
            const Number* const last = sums.data() + sums.size() - 2;
            if (!is_not_above(last[1], last[0] + last[1], own, rest + own)) break;
            rest += last[0];
            own += last[1];
            length += pooled.lengths.back();
            pooled.lengths.pop_back();
            sums.resize(sums.size() - 2);
        }
        pooled.lengths.push_back(length);
        sums.push_back(rest);
        sums.push_back(own);
    }
    return pooled;
}

template PooledLevels<int64_t> pool_levels(const int64_t*, const int64_t*, int64_t);
template PooledLevels<double> pool_levels(const double*, const int64_t*, int64_t);

}  // namespace karat
