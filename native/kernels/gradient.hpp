// Derivatives of a straight-line program with respect to the cells of a table.
#pragma once

#include <cstdint>

#include "kernels/evaluate.hpp"

namespace karat {

// Where a derivative goes. With respect to cell (i, j) it is
//     constant + truth[i] + predicted[j] + (i = j) · same[i] + cells[i, j].
struct Slopes {
    double* constant = nullptr;
    double* truth = nullptr;      // k
    double* predicted = nullptr;  // k
    double* same = nullptr;       // k
    double* cells = nullptr;      // m; null when the program reads no cells
    double* const* outputs = nullptr;  // with respect to output i: 1 or k
};

// Throws std::invalid_argument unless the first output is one number and no slot is used again.
void check_differentiable(const Program& program);

// Doubles of scratch that `differentiate` needs.
int64_t gradient_scratch_size(const Program& program, int64_t k, int64_t m);

// Runs the program as `run` does, then finds the derivative of its first output by reverse
// accumulation: with respect to the cells, and to every output as if nothing else moved. With
// `stops` the other outputs are where the way to the cells ends: what is found of the cells is
// what does not pass through them.
//
// A side that `where` does not choose counts as 0, however steep it is; `fill` is flat where it
// fills; the first of several largest numbers is the largest; exponents do not move.
void differentiate(const Program& program, const TableView& table, double* scratch,
                   double* const* outputs, const Slopes& slopes, bool stops = false);

}  // namespace karat
