// Metrics of one share of the rows of each class, along the curve that the share moves on.
#pragma once

#include <cstdint>

namespace karat {

// A metric where its share is p: (a·p + b) ÷ (1 + c·p), rising with p; `missing` without rows.
struct ShareCurve {
    double a = 1, b = 0, c = 0, missing = 0;
    const double* counted = nullptr;  // [2, 4]: 1 where tn, fp, fn or tp is a hit, is a miss
};

// Of k classes with so many hits and misses, among rows drawn one by one that weigh 1:
//
// found [4, k]: value, both limits, and variance of the metric. The limits of the share are moved
//     to its side where they are beyond it; without rows it is ½, from 0 to 1.
// partials [k, 4]: derivative with respect to the shares of tn, fp, fn and tp.
//
// sides: [2, k], hits and misses; limits: [2, k], of the share; total: all rows of the table.
void follow_curve(const ShareCurve& curve, const double* sides, const double* limits, int64_t k,
                  double total, double* found, double* partials);

}  // namespace karat
