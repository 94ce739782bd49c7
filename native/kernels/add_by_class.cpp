#include "kernels/add_by_class.hpp"

namespace karat {
namespace {

double added(double a, double b) { return a + b; }

// Counts beyond the end begin again, as those of NumPy do.
int64_t added(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

}  // namespace

template <class Number>
void add_by_class(const Number* values, const int64_t* codes, int64_t r, int64_t m, int64_t k, Number* out) {
    for (int64_t at = 0; at < r; ++at, values += m, out += k)
        for (int64_t i = 0; i < m; ++i) out[codes[i]] = added(out[codes[i]], values[i]);
}

template void add_by_class(const int64_t*, const int64_t*, int64_t, int64_t, int64_t, int64_t*);
template void add_by_class(const double*, const int64_t*, int64_t, int64_t, int64_t, double*);

}  // namespace karat
