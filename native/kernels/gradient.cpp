#include "kernels/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernels/running_sums.hpp"

namespace karat {
namespace {

// One table on its way back: values of all slots, and the derivative with respect to each.
class Reverse {
public:
    Reverse(const Program& program, const TableView& table, double* values, double* adjoints)
        : program_(program), table_(table), offset_(program.slot_rank.size()),
          is_reached_(program.slot_rank.size(), 0), values_(values), adjoints_(adjoints) {
        int64_t at = 0;
        for (size_t i = 0; i < offset_.size(); ++i) {
            offset_[i] = at;
            at += size_of(static_cast<int32_t>(i));
        }
        std::fill(adjoints, adjoints + at, 0.0);
    }

    void start(int32_t slot) {
        *adjoint(slot) = 1.0;
        is_reached_[slot] = 1;
    }
    void step(const Instruction& ins, const Slopes& slopes) {
        if (!is_reached_[ins.to]) return;
        if (ins.op == Op::field) collect(static_cast<Field>(ins.a), adjoint(ins.to), slopes);
        else if (ins.op >= Op::add && ins.op <= Op::exp) elementwise(ins);
        else across(ins);
    }
    const double* adjoint(int32_t slot) const { return adjoints_ + offset_[slot]; }
    int64_t size_of(int32_t slot) const {
        const int32_t rank = program_.slot_rank[slot];
        return rank == 0 ? 1 : rank == 1 ? table_.k : table_.m;
    }

private:
    const double* value(int32_t slot) const { return values_ + offset_[slot]; }
    double* adjoint(int32_t slot) { return adjoints_ + offset_[slot]; }
    double* reach(int32_t slot) {
        is_reached_[slot] = 1;
        return adjoint(slot);
    }
    int64_t row_of(int64_t i) const { return table_.rows ? int64_t{table_.rows[i]} : i / table_.k; }
    int64_t col_of(int64_t i) const { return table_.cols ? int64_t{table_.cols[i]} : i % table_.k; }

    // Adds piece(i) to an argument of an elementwise operation. Where nothing comes from above,
    // nothing goes below, even along an infinite slope: 0 · ∞ = 0.
    template <class Piece>
    void add(const Instruction& ins, int32_t argument, Piece piece) {
        const double* from = adjoint(ins.to);
        const auto kept = [&](int64_t i) { return from[i] == 0.0 ? 0.0 : piece(i, from[i]); };
        const int64_t size = size_of(ins.to);
        double* to = reach(argument);
        const bool is_distributed = program_.slot_rank[argument] == 0 && program_.slot_rank[ins.to] != 0;
        if (is_distributed) *to += sum(size, kept);
        else for (int64_t i = 0; i < size; ++i) to[i] += kept(i);
    }

    void elementwise(const Instruction& ins);
    void across(const Instruction& ins);
    void collect(Field field, const double* g, const Slopes& slopes) const;

    const Program& program_;
    const TableView& table_;
    std::vector<int64_t> offset_;
    std::vector<char> is_reached_;
    double *values_, *adjoints_;
};

void Reverse::elementwise(const Instruction& ins) {
    const auto read = [&](int32_t slot) {
        return [at = value(slot), step = int64_t{program_.slot_rank[slot] != 0}](int64_t i) {
            return at[i * step];
        };
    };
    const auto a = read(ins.a), y = read(ins.to);
    switch (ins.op) {
        case Op::add: case Op::sub: {
            const double sign = ins.op == Op::add ? 1.0 : -1.0;
            add(ins, ins.a, [](int64_t, double g) { return g; });
            add(ins, ins.b, [=](int64_t, double g) { return sign * g; });
            break;
        }
        case Op::mul: {
            const auto b = read(ins.b);
            add(ins, ins.a, [=](int64_t i, double g) { return g * b(i); });
            add(ins, ins.b, [=](int64_t i, double g) { return g * a(i); });
            break;
        }
        case Op::div: {
            const auto b = read(ins.b);
            add(ins, ins.a, [=](int64_t i, double g) { return g / b(i); });
            add(ins, ins.b, [=](int64_t i, double g) { return -g * y(i) / b(i); });
            break;
        }
        case Op::pow: {
            const auto b = read(ins.b);
            add(ins, ins.a, [=](int64_t i, double g) {
                return g * b(i) * (b(i) == 2.0 ? a(i) : std::pow(a(i), b(i) - 1.0));
            });
            break;
        }
        case Op::where:
            add(ins, ins.b, [=](int64_t i, double g) { return a(i) > 0 ? g : 0.0; });
            add(ins, ins.c, [=](int64_t i, double g) { return a(i) > 0 ? 0.0 : g; });
            break;
        case Op::sqrt: add(ins, ins.a, [=](int64_t i, double g) { return g / (2.0 * y(i)); }); break;
        case Op::log: add(ins, ins.a, [=](int64_t i, double g) { return g / a(i); }); break;
        case Op::exp: add(ins, ins.a, [=](int64_t i, double g) { return g * y(i); }); break;
        default: break;  // `greater` is flat
    }
}

// Operations that move numbers along the classes.
void Reverse::across(const Instruction& ins) {
    const int64_t k = table_.k, m = table_.m;
    const double* g = adjoint(ins.to);
    switch (ins.op) {
        case Op::fill: {
            const double* x = value(ins.a);
            double* to = reach(ins.a);
            for (int64_t i = 0; i < size_of(ins.to); ++i) to[i] += std::isnan(x[i]) ? 0.0 : g[i];
            break;
        }
        case Op::total: {
            double* to = reach(ins.a);
            for (int64_t i = 0; i < size_of(ins.a); ++i) to[i] += *g;
            break;
        }
        case Op::product: {
            // Products before and after a class: nothing is divided by a class that is 0.
            const double* x = value(ins.a);
            std::vector<double> after(static_cast<size_t>(k) + 1, 1.0);
            for (int64_t i = k - 1; i >= 0; --i) after[i] = after[i + 1] * x[i];
            double* to = reach(ins.a);
            double before = 1.0;
            for (int64_t i = 0; i < k; before *= x[i++]) to[i] += *g * (before * after[i + 1]);
            break;
        }
        case Op::maximum: {
            const double* x = value(ins.a);
            int64_t first = 0;
            for (int64_t i = 0; i < k && !std::isnan(x[first]); ++i)
                if (x[i] > x[first] || std::isnan(x[i])) first = i;
            double* to = reach(ins.a);
            for (int64_t i = 0; i < k; ++i) to[i] += *g * (i == first ? 1.0 : 0.0);
            break;
        }
        case Op::rows: case Op::cols: {
            double* to = reach(ins.a);
            const bool by_row = ins.op == Op::rows;
            for (int64_t i = 0; i < m; ++i) to[by_row ? row_of(i) : col_of(i)] += g[i];
            break;
        }
        case Op::over_predicted: case Op::over_true: {
            double* to = reach(ins.a);
            const bool by_row = ins.op == Op::over_predicted;
            for (int64_t i = 0; i < m; ++i) to[i] += g[by_row ? row_of(i) : col_of(i)];
            break;
        }
        case Op::cumulative: {
            double* to = reach(ins.a);
            double running = 0;
            for (int64_t i = k - 1; i >= 0; --i) to[i] += running += g[i];
            break;
        }
        case Op::later: {
            double* to = reach(ins.a);
            double running = 0;
            for (int64_t i = 0; i < k; running += g[i++]) to[i] += running;
            break;
        }
        case Op::at: {
            double* to = reach(ins.a);
            for (int64_t i = 0; i < k; ++i) to[i] += *g * (i == table_.positive ? 1.0 : 0.0);
            break;
        }
        default: break;  // constants, parameters and `defined` are flat
    }
}

// From counts of one class against the rest to the cells.
void Reverse::collect(Field field, const double* g, const Slopes& slopes) const {
    const int64_t k = table_.k;
    const auto add_to = [&](double* to, double sign) {
        for (int64_t i = 0; i < k; ++i) to[i] += sign * g[i];
    };
    switch (field) {
        case Field::tp: add_to(slopes.same, 1.0); break;
        case Field::fn: add_to(slopes.truth, 1.0); add_to(slopes.same, -1.0); break;
        case Field::fp: add_to(slopes.predicted, 1.0); add_to(slopes.same, -1.0); break;
        case Field::tn:
            *slopes.constant += sum(k, [&](int64_t i) { return g[i]; });
            add_to(slopes.truth, -1.0);
            add_to(slopes.predicted, -1.0);
            add_to(slopes.same, 1.0);
            break;
        case Field::n: *slopes.constant += *g; break;
        case Field::cells:
            for (int64_t i = 0; i < table_.m; ++i) slopes.cells[i] += g[i];
            break;
        default: break;  // the number and the index of classes do not move
    }
}

}  // namespace

void check_differentiable(const Program& program) {
    if (program.outputs.empty() || program.slot_rank[program.outputs[0]] != 0)
        throw std::invalid_argument("the first output is not one number");
    if (!program.is_written_once)
        throw std::invalid_argument("a slot is used again, so that its first value is lost");
}

int64_t gradient_scratch_size(const Program& program, int64_t k, int64_t m) {
    return 2 * scratch_size(program, k, m);
}

void differentiate(const Program& program, const TableView& table, double* scratch,
                   double* const* outputs, const Slopes& slopes, bool stops) {
    run(program, table, scratch, outputs, true);
    *slopes.constant = 0;
    for (double* part : {slopes.truth, slopes.predicted, slopes.same})
        std::fill(part, part + table.k, 0.0);
    if (slopes.cells) std::fill(slopes.cells, slopes.cells + table.m, 0.0);
    Reverse reverse(program, table, scratch, scratch + scratch_size(program, table.k, table.m));
    reverse.start(program.outputs[0]);
    std::vector<char> is_end(program.slot_rank.size(), 0);
    for (size_t i = 1; stops && i < program.outputs.size(); ++i) is_end[program.outputs[i]] = 1;
    for (auto ins = program.code.rbegin(); ins != program.code.rend(); ++ins)
        if (!is_end[ins->to]) reverse.step(*ins, slopes);
    for (size_t i = 0; i < program.outputs.size(); ++i) {
        const int32_t slot = program.outputs[i];
        std::copy_n(static_cast<const Reverse&>(reverse).adjoint(slot), reverse.size_of(slot),
                    slopes.outputs[i]);
    }
}

}  // namespace karat
