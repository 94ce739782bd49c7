// The sampling variance of what is added over the rows of a table.
#pragma once

#include <cstdint>

namespace karat {

// The listed cells of a k × k table: all of them in row order, or those at (rows[i], cols[i]).
struct WeighedCells {
    int64_t k = 0, m = 0;
    const double* weights = nullptr;  // Σw of each cell
    const double* squares = nullptr;  // Σw² of each; null when every row weighs 1
    const int32_t* rows = nullptr;    // null when all cells are listed
    const int32_t* cols = nullptr;
};

// Variances of d metrics from their derivatives with respect to the shares of the cells, that of
// metric a with respect to cell (i, j) being
//     slopes[a, 0, i] + slopes[a, 1, j] + (i = j) · slopes[a, 2, i] + listed[a, cell].
//
// With the weighted mean taken off, of all cells or (`is_by_true`) of each true class, it is the
// influence φ of a row, and the variance is Σ w² φ² ÷ (Σ w)² (Binder 1983). NaN where a derivative
// is not finite, even of a cell that holds no row; 0 where its root is a rounding error, below 1e-12
// beside the largest derivative times √(Σ w²) ÷ Σ w of the cell that holds least.
//
// slopes: [d, 3, k]; listed: [d, m] or null.
void table_variances(const WeighedCells& cells, const double* slopes, const double* listed,
                     int64_t d, bool is_by_true, double* variances);

}  // namespace karat
