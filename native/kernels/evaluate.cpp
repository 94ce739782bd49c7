#include "kernels/evaluate.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/running_sums.hpp"

namespace karat {
namespace {

constexpr int arity(Op op) {
    switch (op) {
        case Op::field: case Op::constant: case Op::param: return 0;
        case Op::add: case Op::sub: case Op::mul: case Op::div: case Op::pow: case Op::greater:
            return 2;
        case Op::where: return 3;
        default: return 1;
    }
}

constexpr int field_rank(Field field) {
    switch (field) {
        case Field::n: case Field::k: return 0;
        case Field::cells: return 2;
        default: return 1;
    }
}

[[noreturn]] void refuse(size_t at, const char* why) {
    throw std::invalid_argument("instruction " + std::to_string(at) + ": " + why);
}

struct Operand {
    const double* at;
    int64_t step;  // 0 repeats one number along the classes
    double operator[](int64_t i) const { return at[i * step]; }
};

template <class F>
void each(double* to, int64_t size, F f) {
    for (int64_t i = 0; i < size; ++i) to[i] = f(i);
}

// Of two operands: where both are arrays, or one is a number, the compiler sees plain loops.
template <class F>
void each_pair(double* to, int64_t size, Operand a, Operand b, F f) {
    const double *const left = a.at, *const right = b.at;
    if (a.step && b.step) {
        for (int64_t i = 0; i < size; ++i) to[i] = f(left[i], right[i]);
    } else if (a.step) {
        const double one = *right;
        for (int64_t i = 0; i < size; ++i) to[i] = f(left[i], one);
    } else {
        const double one = *left;
        for (int64_t i = 0; i < size; ++i) to[i] = f(one, right[i * b.step]);
    }
}

}  // namespace

void Program::validate() {
    const auto n_slots = static_cast<int32_t>(slot_rank.size());
    for (int32_t rank : slot_rank)
        if (rank < 0 || rank > 2) throw std::invalid_argument("a slot has no rank 0, 1 or 2");
    for (int32_t rank : param_rank)
        if (rank != 0 && rank != 2) throw std::invalid_argument("a parameter has no rank 0 or 2");
    std::vector<bool> is_written(slot_rank.size(), false);
    uses_cells = uses_positive = false;
    is_written_once = true;
    for (size_t i = 0; i < code.size(); ++i) {
        const Instruction& ins = code[i];
        if (ins.op < Op::field || ins.op >= Op::count_) refuse(i, "unknown operation");
        if (ins.to < 0 || ins.to >= n_slots) refuse(i, "result slot out of range");
        const int32_t rank = slot_rank[ins.to];
        const int32_t reads[3] = {ins.a, ins.b, ins.c};
        const int n_reads = arity(ins.op);
        for (int r = 0; r < n_reads; ++r) {
            if (reads[r] < 0 || reads[r] >= n_slots) refuse(i, "argument slot out of range");
            if (!is_written[reads[r]]) refuse(i, "argument slot read before it is written");
        }
        const int32_t rank_a = n_reads ? slot_rank[ins.a] : 0;
        switch (ins.op) {
            case Op::field:
                if (ins.a < 0 || ins.a >= static_cast<int32_t>(Field::count_))
                    refuse(i, "unknown field");
                if (rank != field_rank(static_cast<Field>(ins.a))) refuse(i, "rank of a field");
                break;
            case Op::constant:
                if (ins.a < 0 || ins.a >= static_cast<int32_t>(constants.size()) || rank != 0)
                    refuse(i, "constant out of range");
                break;
            case Op::param:
                if (ins.a < 0 || ins.a >= static_cast<int32_t>(param_rank.size()) ||
                    rank != param_rank[ins.a])
                    refuse(i, "parameter out of range");
                break;
            case Op::fill:
                if (ins.b < 0 || ins.b >= static_cast<int32_t>(constants.size()))
                    refuse(i, "constant out of range");
                if (rank != rank_a) refuse(i, "rank of fill");
                break;
            case Op::defined:
                if (rank != rank_a) refuse(i, "rank of defined");
                break;
            case Op::total:
                if (rank_a == 0 || rank != 0) refuse(i, "rank of total");
                break;
            case Op::product: case Op::maximum: case Op::at:
                if (rank_a != 1 || rank != 0) refuse(i, "rank of a reduction");
                break;
            case Op::rows: case Op::cols:
                if (rank_a != 1 || rank != 2) refuse(i, "rank of rows or cols");
                break;
            case Op::over_predicted: case Op::over_true:
                if (rank_a != 2 || rank != 1) refuse(i, "rank of a sum over one axis");
                break;
            case Op::cumulative: case Op::later:
                if (rank_a != 1 || rank != 1) refuse(i, "rank of a running sum");
                break;
            default:
                for (int r = 0; r < n_reads; ++r) {
                    const int32_t got = slot_rank[reads[r]];
                    if (got != 0 && got != rank) refuse(i, "ranks of arguments differ");
                }
        }
        uses_cells = uses_cells || rank == 2;
        uses_positive = uses_positive || ins.op == Op::at;
        is_written_once = is_written_once && !is_written[ins.to];
        is_written[ins.to] = true;
    }
    for (int32_t slot : outputs) {
        if (slot < 0 || slot >= n_slots || !is_written[slot])
            throw std::invalid_argument("an output slot is never written");
        if (slot_rank[slot] == 2) throw std::invalid_argument("an output has rank 2");
    }
}

int64_t scratch_size(const Program& program, int64_t k, int64_t m) {
    int64_t size = 0;
    for (int32_t rank : program.slot_rank) size += rank == 0 ? 1 : rank == 1 ? k : m;
    return size;
}

void run(const Program& program, const TableView& table, double* scratch, double* const* outputs,
         bool copies_fields) {
    const int64_t k = table.k, m = table.m;
    const auto size_of = [&](int32_t rank) { return rank == 0 ? int64_t{1} : rank == 1 ? k : m; };
    // Slots lie one after another; programs are short, so offsets are cheap to add up.
    constexpr size_t kInline = 64;
    struct Slot {
        double* own;
        const double* held;  // where its values are: its own memory, or a field of the table
    };
    Slot inline_slots[kInline];
    std::vector<Slot> many;
    Slot* slot = inline_slots;
    if (program.slot_rank.size() > kInline) {
        many.resize(program.slot_rank.size());
        slot = many.data();
    }
    for (size_t i = 0; i < program.slot_rank.size(); ++i) {
        slot[i] = {scratch, scratch};
        scratch += size_of(program.slot_rank[i]);
    }
    const auto row_of = [&](int64_t i) { return table.rows ? int64_t{table.rows[i]} : i / k; };
    const auto col_of = [&](int64_t i) { return table.cols ? int64_t{table.cols[i]} : i % k; };

    for (const Instruction& ins : program.code) {
        double* to = slot[ins.to].own;
        const double* held = to;
        const int32_t rank = program.slot_rank[ins.to];
        const int64_t size = size_of(rank);
        const auto operand = [&](int32_t at) {
            return Operand{slot[at].held, program.slot_rank[at] == 0 ? 0 : 1};
        };
        switch (ins.op) {
            case Op::field: {
                const double* from = nullptr;
                switch (static_cast<Field>(ins.a)) {
                    case Field::tp: from = table.tp; break;
                    case Field::fp: from = table.fp; break;
                    case Field::fn: from = table.fn; break;
                    case Field::tn: from = table.tn; break;
                    case Field::cells: from = table.cells; break;
                    case Field::n:
                        *to = sum(k, [&](int64_t i) { return table.tp[i] + table.fn[i]; });
                        break;
                    case Field::k: *to = static_cast<double>(k); break;
                    default: each(to, k, [](int64_t i) { return static_cast<double>(i); });
                }
                if (from && copies_fields) each(to, size, [&](int64_t i) { return from[i]; });
                else if (from) held = from;
                break;
            }
            case Op::constant: *to = program.constants[ins.a]; break;
            case Op::param: {
                const double* from = table.params[ins.a];
                if (rank == 0) *to = *from;
                else each(to, m, [&](int64_t i) { return from[row_of(i) * k + col_of(i)]; });
                break;
            }
            case Op::add:
                each_pair(to, size, operand(ins.a), operand(ins.b),
                          [](double a, double b) { return a + b; });
                break;
            case Op::sub:
                each_pair(to, size, operand(ins.a), operand(ins.b),
                          [](double a, double b) { return a - b; });
                break;
            case Op::mul:
                each_pair(to, size, operand(ins.a), operand(ins.b),
                          [](double a, double b) { return a * b; });
                break;
            case Op::div:
                each_pair(to, size, operand(ins.a), operand(ins.b),
                          [](double a, double b) { return a / b; });
                break;
            case Op::pow: { auto a = operand(ins.a), b = operand(ins.b);
                each(to, size, [&](int64_t i) {
                    return b[i] == 2.0 ? a[i] * a[i] : std::pow(a[i], b[i]); }); break; }
            case Op::greater: { auto a = operand(ins.a), b = operand(ins.b);
                each(to, size, [&](int64_t i) { return a[i] > b[i] ? 1.0 : 0.0; }); break; }
            case Op::where: { auto a = operand(ins.a), b = operand(ins.b), c = operand(ins.c);
                each(to, size, [&](int64_t i) { return a[i] > 0 ? b[i] : c[i]; }); break; }
            case Op::sqrt: { auto a = operand(ins.a);
                each(to, size, [&](int64_t i) { return std::sqrt(a[i]); }); break; }
            case Op::log: { auto a = operand(ins.a);
                each(to, size, [&](int64_t i) { return std::log(a[i]); }); break; }
            case Op::exp: { auto a = operand(ins.a);
                each(to, size, [&](int64_t i) { return std::exp(a[i]); }); break; }
            case Op::fill: { auto a = operand(ins.a);
                const double value = program.constants[ins.b];
                each(to, size, [&](int64_t i) { return std::isnan(a[i]) ? value : a[i]; }); break; }
            case Op::defined: { auto a = operand(ins.a);
                each(to, size, [&](int64_t i) { return std::isfinite(a[i]) ? 1.0 : 0.0; }); break; }
            case Op::total: {
                const double* from = slot[ins.a].held;
                *to = sum(size_of(program.slot_rank[ins.a]), [&](int64_t i) { return from[i]; });
                break;
            }
            case Op::product: {
                double product = 1.0;
                for (int64_t i = 0; i < k; ++i) product *= slot[ins.a].held[i];
                *to = product;
                break;
            }
            case Op::maximum: {
                double largest = -std::numeric_limits<double>::infinity();
                for (int64_t i = 0; i < k; ++i) {
                    const double x = slot[ins.a].held[i];
                    if (x > largest || std::isnan(x)) largest = x;
                    if (std::isnan(x)) break;
                }
                *to = largest;
                break;
            }
            case Op::rows: {
                const double* from = slot[ins.a].held;
                if (table.rows) each(to, m, [&](int64_t i) { return from[table.rows[i]]; });
                else for (int64_t i = 0; i < k; ++i)
                    for (int64_t j = 0; j < k; ++j) to[i * k + j] = from[i];
                break;
            }
            case Op::cols: {
                const double* from = slot[ins.a].held;
                if (table.cols) each(to, m, [&](int64_t i) { return from[table.cols[i]]; });
                else for (int64_t i = 0; i < k; ++i)
                    for (int64_t j = 0; j < k; ++j) to[i * k + j] = from[j];
                break;
            }
            case Op::over_predicted: case Op::over_true: {
                const bool by_row = ins.op == Op::over_predicted;
                each(to, k, [](int64_t) { return 0.0; });
                for (int64_t i = 0; i < m; ++i) to[by_row ? row_of(i) : col_of(i)] += slot[ins.a].held[i];
                break;
            }
            case Op::cumulative: {
                double running = 0;
                for (int64_t i = 0; i < k; ++i) to[i] = running += slot[ins.a].held[i];
                break;
            }
            case Op::later: {
                double running = 0;
                for (int64_t i = k - 1; i >= 0; running += slot[ins.a].held[i--]) to[i] = running;
                break;
            }
            case Op::at: *to = slot[ins.a].held[table.positive]; break;
            case Op::count_: break;
        }
        slot[ins.to].held = held;
    }
    for (size_t i = 0; i < program.outputs.size(); ++i) {
        const int32_t at = program.outputs[i];
        const int64_t size = size_of(program.slot_rank[at]);
        for (int64_t j = 0; j < size; ++j) outputs[i][j] = slot[at].held[j];
    }
}

}  // namespace karat
