#include "kernels/logistic_line.hpp"

#include <algorithm>

#include "kernels/choose_isa.hpp"
#include "kernels/read_words.hpp"

namespace karat {

LogisticMoments logistic_moments(const double* x, const double* misses, const double* hits, int64_t n,
                                 const LogisticLine& line) {
    LogisticMoments whole{};
    for (int64_t first = 0; first < n; first += kBlock) {
        LogisticMoments part;
        lanes().logistic.moments(x + first, misses + first, hits + first, std::min(kBlock, n - first), line, &part);
        whole.likelihood += part.likelihood;
        whole.higher += part.higher;
        whole.steeper += part.steeper;
        // Mean and square of both, merged.
        if (!(part.weight > 0)) continue;
        const double further = part.away - whole.away, weight = whole.weight + part.weight;
        whole.square += part.square + further * further * part.weight * (whole.weight / weight);
        whole.away += further * (part.weight / weight);
        whole.weight = weight;
    }
    return whole;
}

double logistic_squares(const double* x, const double* rest, const double* own, int64_t n, const LogisticLine& line,
                        double gain, double turn, double about) {
    LongSum sum;
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t size = std::min(kBlock, n - first);
        sum.part = lanes().logistic.squares(x + first, rest + first, own + first, size, line, gain, turn, about);
        sum.close();
    }
    return sum.value();
}

}  // namespace karat
