// Quantiles of the beta distribution.
#pragma once

namespace karat {

// x with I_x(a, b) = p, the regularized incomplete beta function; a and b finite and above 0, p from 0
// to 1, else NaN. Relative error of x some 1e-14 where p is at most a half.
//
// Newton's steps with Halley's correction on the continued fraction (DLMF 8.17.22), whose number of
// terms grows with the root of the larger of a and b; its factor after Loader (2000), without
// cancellation for large ones. Of two sides beyond 10⁹ the expansion from the normal quantile, of one
// beyond 10¹⁵ the limit: the work is bounded for every a and b.
double beta_quantile(double a, double b, double p);

}  // namespace karat
