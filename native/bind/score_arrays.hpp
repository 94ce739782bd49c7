// Columns and matrices of scores out of NumPy arrays.
#pragma once

#include "bind/arrays.hpp"
#include "kernels/pack_scores.hpp"

namespace karat {

inline Scores scores_of(const Input& values, bool is_matrix) {
    return {values.bytes(),
            values.length(),
            is_matrix ? values.width() : 1,
            values.stride(),
            is_matrix ? values.column_stride() : 0,
            values.float_bytes() == 8};
}

}  // namespace karat
