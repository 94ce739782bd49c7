// Straight-line programs over class counts: compiled from a traced formula, run per tally.
//
// A program knows operations and ranks, nothing else; what it computes is the caller's business.
// Ranks: 0 is one number, 1 is k numbers, 2 is m numbers (the listed cells).
#pragma once

#include <cstdint>
#include <vector>

namespace karat {

enum class Op : int32_t {
    field, constant, param,
    add, sub, mul, div, pow, greater, where, sqrt, log, exp, fill, defined,
    total, product, maximum, rows, cols, over_predicted, over_true, cumulative, later, at,
    count_
};

enum class Field : int32_t { tp, fp, fn, tn, n, cells, k, index, count_ };

struct Instruction {
    Op op;
    int32_t to;       // slot that receives the value
    int32_t a, b, c;  // slots read, or the index of a field, constant or param
};

struct Program {
    std::vector<Instruction> code;
    std::vector<double> constants;
    std::vector<int32_t> slot_rank;    // rank of each slot
    std::vector<int32_t> param_rank;   // rank of each parameter: 0 or 2
    std::vector<int32_t> outputs;      // slots, each of rank 0 or 1
    bool uses_cells = false;           // some slot has rank 2
    bool uses_positive = false;
    bool is_written_once = false;      // no slot is used again

    // Throws std::invalid_argument unless every index and rank is in order,
    // so that running needs no further check.
    void validate();
};

// One table as a program reads it. All pointers outlive the run. The field n is the sum of tp + fn,
// added in the same order as any total, so that a share of all rows is exactly 1.
struct TableView {
    int64_t k = 0;
    int64_t m = 0;                      // listed cells
    const double* tp = nullptr;
    const double* fp = nullptr;
    const double* fn = nullptr;
    const double* tn = nullptr;
    const double* cells = nullptr;      // m values
    const int32_t* rows = nullptr;      // m true classes; null: all k*k cells in row-major order
    const int32_t* cols = nullptr;
    int64_t positive = -1;
    const double* const* params = nullptr;  // one number, or k*k numbers in row-major order
};

// Doubles of scratch that `run` needs.
int64_t scratch_size(const Program& program, int64_t k, int64_t m);

// Runs the program; output i is written to outputs[i] (1 or k doubles). The slots lie in scratch one
// after another; those of fields are left out there unless copied.
void run(const Program& program, const TableView& table, double* scratch, double* const* outputs,
         bool copies_fields = false);

}  // namespace karat
