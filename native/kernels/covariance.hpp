// Covariance of a few numbers, from what each row, cell or cluster moves them by.
#pragma once

#include <cstdint>

namespace karat {

// out[d, d]: Σ squares[i] · (phi[a, i] - mean a) · (phi[b, i] - mean b) ÷ total², where mean a is
// Σ weights[i] · phi[a, i] ÷ total.
//
// phi [d, n]; weights [n], or null where each is 1; squares [n], or null where each is 1. The sums have one
// order on every machine; what is not finite makes NaN.
void covariance(const double* phi, const double* weights, const double* squares, double total, int64_t d,
                int64_t n, double* out);

}  // namespace karat
