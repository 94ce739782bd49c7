// Rows with the same four numbers as one, with the sums of what they count and weigh.
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

// p profiles, ascending, and the sums of each. Without weights these stay empty.
struct Profiles {
    std::vector<int64_t> numbers;  // [p, 4]
    std::vector<int64_t> rows;
    std::vector<double> weights, squares;
};

// Of m rows: numbers [m, 4], rows [m], and weights and squares [m] or null. Weights are added to one rounding.
Profiles group_profiles(const int64_t* numbers, const int64_t* rows, const double* weights,
                        const double* squares, int64_t m);

}  // namespace karat
