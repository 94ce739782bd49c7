// Programs run and differentiated on random tables, against central differences of the cells.
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "check.hpp"
#include "kernels/gradient.hpp"

namespace karat_tests {

namespace {

using karat::Field;
using karat::Op;

// A program that uses every operation, written once for each slot: its value is one number.
class Builder {
public:
    int32_t add(Op op, int32_t rank, int32_t a = 0, int32_t b = 0, int32_t c = 0) {
        program.slot_rank.push_back(rank);
        const auto to = static_cast<int32_t>(program.slot_rank.size()) - 1;
        program.code.push_back({op, to, a, b, c});
        return to;
    }
    int32_t field(Field field, int32_t rank) {
        return add(Op::field, rank, static_cast<int32_t>(field));
    }
    karat::Program program;
};

karat::Program every_operation() {
    Builder b;
    b.program.constants = {0.5, 2.0, 1.0};
    b.program.param_rank = {0, 2};
    const int32_t half = b.add(Op::constant, 0, 0), two = b.add(Op::constant, 0, 1);
    const int32_t tp = b.field(Field::tp, 1), fp = b.field(Field::fp, 1);
    const int32_t fn = b.field(Field::fn, 1), tn = b.field(Field::tn, 1);
    const int32_t n = b.field(Field::n, 0), cells = b.field(Field::cells, 2);
    const int32_t index = b.field(Field::index, 1), k = b.field(Field::k, 0);
    const int32_t scale = b.add(Op::param, 0, 0), costs = b.add(Op::param, 2, 1);
    const int32_t share = b.add(Op::div, 1, tp, b.add(Op::add, 1, tp, fp));
    const int32_t root = b.add(Op::sqrt, 1, b.add(Op::mul, 1, share, scale));
    const int32_t logs = b.add(Op::log, 1, b.add(Op::add, 1, b.add(Op::sub, 1, tn, fn), n));
    const int32_t chosen = b.add(Op::where, 1, b.add(Op::greater, 1, index, half), root, logs);
    const int32_t filled = b.add(Op::fill, 1, chosen, 2);
    const int32_t flat = b.add(Op::defined, 1, filled);
    const int32_t spread = b.add(Op::mul, 2, b.add(Op::rows, 2, filled), b.add(Op::cols, 2, share));
    const int32_t costly = b.add(Op::mul, 2, b.add(Op::mul, 2, cells, spread), costs);
    const int32_t sides = b.add(Op::add, 1, b.add(Op::over_predicted, 1, costly),
                                b.add(Op::over_true, 1, costly));
    const int32_t sums = b.add(Op::cumulative, 1, b.add(Op::div, 1, sides, n));
    int32_t value = b.add(Op::total, 0, b.add(Op::add, 1, sums, flat));
    value = b.add(Op::add, 0, value, b.add(Op::total, 0, spread));
    value = b.add(Op::add, 0, value, b.add(Op::product, 0, share));
    value = b.add(Op::add, 0, value, b.add(Op::maximum, 0, root));
    value = b.add(Op::add, 0, value, b.add(Op::at, 0, b.add(Op::pow, 1, share, two)));
    value = b.add(Op::add, 0, value, b.add(Op::exp, 0, b.add(Op::div, 0, value, b.add(Op::add, 0, n, k))));
    b.program.outputs = {value, share};
    b.program.validate();
    return b.program;
}

// The fields of listed cells, and what the program gives for them.
struct Table {
    int64_t k, m;
    Exact<int32_t> rows, cols;
    Exact<double> cells, counts;
    bool is_listed;

    // Not listed: every cell, in order.
    Table(int64_t k, const std::vector<int32_t>& rows, const std::vector<int32_t>& cols,
          bool is_listed)
        : k(k), m(static_cast<int64_t>(rows.size())), rows(rows), cols(cols), cells(m),
          counts(4 * k), is_listed(is_listed) {}

    karat::TableView view(const double* const* params) {
        for (int64_t i = 0; i < 4 * k; ++i) counts[i] = 0;
        double n = 0;
        for (int64_t i = 0; i < m; ++i) {
            n += cells[i];
            if (rows[i] == cols[i]) {
                counts[rows[i]] += cells[i];
            } else {
                counts[k + cols[i]] += cells[i];
                counts[2 * k + rows[i]] += cells[i];
            }
        }
        for (int64_t i = 0; i < k; ++i)
            counts[3 * k + i] = n - counts[i] - counts[k + i] - counts[2 * k + i];
        karat::TableView table;
        table.k = k;
        table.m = m;
        table.tp = counts.data();
        table.fp = counts.data() + k;
        table.fn = counts.data() + 2 * k;
        table.tn = counts.data() + 3 * k;
        table.cells = cells.data();
        table.rows = is_listed ? rows.data() : nullptr;
        table.cols = is_listed ? cols.data() : nullptr;
        table.positive = k - 1;
        table.params = params;
        return table;
    }
};

bool is_near(double a, double b) { return std::fabs(a - b) <= 2e-6 * (1.0 + std::fabs(b)); }

// Numbers beside classes wherever an operation takes both.
karat::Program every_rank() {
    Builder b;
    b.program.constants = {0.01, 2.0, 1.5};
    const int32_t hundredth = b.add(Op::constant, 0, 0), two = b.add(Op::constant, 0, 1);
    const int32_t n = b.add(Op::mul, 0, b.field(Field::n, 0), hundredth);
    const int32_t tp = b.add(Op::mul, 1, b.field(Field::tp, 1), hundredth);
    const int32_t index = b.field(Field::index, 1), power = b.add(Op::constant, 0, 2);
    std::vector<int32_t> parts;
    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div})
        for (const auto& [left, right] : {std::pair(n, tp), std::pair(tp, n), std::pair(n, n)})
            parts.push_back(b.add(op, 1, left, right));
    for (const Op op : {Op::sqrt, Op::log, Op::exp}) parts.push_back(b.add(op, 1, n));
    parts.push_back(b.add(Op::pow, 1, n, index));
    parts.push_back(b.add(Op::pow, 1, n, power));
    const int32_t is_late = b.add(Op::greater, 1, index, power);
    parts.push_back(b.add(Op::where, 1, is_late, n, tp));
    parts.push_back(b.add(Op::where, 1, is_late, tp, n));
    parts.push_back(b.add(Op::where, 1, two, n, tp));
    parts.push_back(b.add(Op::later, 1, tp));
    int32_t value = b.add(Op::total, 0, parts[0]);
    for (const int32_t part : parts)
        value = b.add(Op::add, 0, value, b.add(Op::total, 0, part));
    // 0 / 0 in some class: the first number that is none is the largest.
    const int32_t lost = b.add(Op::div, 1, b.add(Op::sub, 1, tp, tp), b.add(Op::sub, 1, tp, tp));
    const int32_t some = b.add(Op::where, 1, is_late, lost, tp);
    b.program.outputs = {value, tp, b.add(Op::maximum, 0, some)};
    b.program.validate();
    return b.program;
}

// One instruction after a number, classes and cells in slots 0 to 2, to slot 3.
struct Bad {
    const char* about;
    karat::Instruction last;
    int32_t rank;
};

void test_bad_programs() {
    const auto refuses = [](const karat::Program& program, const std::string& about) {
        karat::Program tried = program;
        check_refused([&] { tried.validate(); }, about);
    };
    const auto beginning = [] {
        Builder b;
        b.program.constants = {0.5};
        b.program.param_rank = {0, 2};
        b.field(Field::n, 0);
        b.field(Field::tp, 1);
        b.field(Field::cells, 2);
        return b.program;
    };
    const int32_t most = INT32_MAX, least = INT32_MIN;
    const Bad all[] = {
        {"an operation before the first", {static_cast<Op>(-1), 3, 0, 0, 0}, 0},
        {"an operation after the last", {Op::count_, 3, 0, 0, 0}, 0},
        {"a result before the first slot", {Op::constant, -1, 0, 0, 0}, 0},
        {"a result after the last slot", {Op::constant, 4, 0, 0, 0}, 0},
        {"an argument before the first slot", {Op::sqrt, 3, -1, 0, 0}, 0},
        {"an argument after the last slot", {Op::sqrt, 3, 4, 0, 0}, 0},
        {"a second argument before the first slot", {Op::add, 3, 0, least, 0}, 0},
        {"a third argument after the last slot", {Op::where, 3, 0, 0, most}, 0},
        {"a slot that nobody wrote", {Op::sqrt, 3, 3, 0, 0}, 0},
        {"a field before the first", {Op::field, 3, -1, 0, 0}, 1},
        {"a field after the last", {Op::field, 3, static_cast<int32_t>(Field::count_), 0, 0}, 1},
        {"a field of another rank", {Op::field, 3, static_cast<int32_t>(Field::tp), 0, 0}, 0},
        {"a constant before the first", {Op::constant, 3, -1, 0, 0}, 0},
        {"a constant after the last", {Op::constant, 3, 1, 0, 0}, 0},
        {"a constant of classes", {Op::constant, 3, 0, 0, 0}, 1},
        {"a parameter before the first", {Op::param, 3, -1, 0, 0}, 0},
        {"a parameter after the last", {Op::param, 3, 2, 0, 0}, 0},
        {"a number as a matrix", {Op::param, 3, 0, 0, 0}, 2},
        {"a matrix as a number", {Op::param, 3, 1, 0, 0}, 0},
        {"a filling before the first constant", {Op::fill, 3, 1, -1, 0}, 1},
        {"a filling after the last constant", {Op::fill, 3, 1, 1, 0}, 1},
        {"a filling of another rank", {Op::fill, 3, 1, 0, 0}, 0},
        {"what is defined of another rank", {Op::defined, 3, 1, 0, 0}, 0},
        {"the total of a number", {Op::total, 3, 0, 0, 0}, 0},
        {"a total of classes", {Op::total, 3, 1, 0, 0}, 1},
        {"the product of a number", {Op::product, 3, 0, 0, 0}, 0},
        {"a largest number of cells", {Op::maximum, 3, 2, 0, 0}, 0},
        {"a class of classes", {Op::at, 3, 1, 0, 0}, 1},
        {"rows of a number", {Op::rows, 3, 0, 0, 0}, 2},
        {"columns as classes", {Op::cols, 3, 1, 0, 0}, 1},
        {"a sum over rows of classes", {Op::over_predicted, 3, 1, 0, 0}, 1},
        {"a sum over columns as cells", {Op::over_true, 3, 2, 0, 0}, 2},
        {"a running sum of cells", {Op::cumulative, 3, 2, 0, 0}, 1},
        {"a running sum as a number", {Op::later, 3, 1, 0, 0}, 0},
        {"classes and cells", {Op::add, 3, 1, 2, 0}, 1},
        {"cells as classes", {Op::mul, 3, 0, 2, 0}, 1},
    };
    for (const Bad& bad : all) {
        karat::Program program = beginning();
        program.slot_rank.push_back(bad.rank);
        program.code.push_back(bad.last);
        refuses(program, bad.about);
    }
    for (const int32_t slot : {-1, 3, most}) {
        karat::Program program = beginning();
        program.outputs = {slot};
        refuses(program, "an output that is no slot");
    }
    karat::Program program = beginning();
    program.outputs = {2};
    refuses(program, "cells as an output");
    program = beginning();
    program.slot_rank.push_back(0);
    program.outputs = {3};
    refuses(program, "an output that nobody wrote");
    for (const int32_t rank : {-1, 3}) {
        program = beginning();
        program.slot_rank[0] = rank;
        refuses(program, "a slot of no rank");
    }
    for (const int32_t rank : {-1, 1, 3}) {
        program = beginning();
        program.param_rank[0] = rank;
        refuses(program, "a parameter of no rank");
    }
    program = beginning();
    program.validate();
    for (const std::vector<int32_t>& outputs : {std::vector<int32_t>{}, std::vector<int32_t>{1}}) {
        program.outputs = outputs;
        check_refused([&] { karat::check_differentiable(program); }, "no single number");
    }
}

// Slopes of the first output, against central differences of the cells. Returns the third output.
double check_slopes(Random& random, const karat::Program& program, int64_t k, bool is_listed) {
    std::vector<int32_t> rows, cols;
    for (int64_t i = 0; i < k * k; ++i)
        if (!is_listed || i / k == i % k || below(random, 3) > 0) {
            rows.push_back(static_cast<int32_t>(i / k));
            cols.push_back(static_cast<int32_t>(i % k));
        }
    Table table(k, rows, cols, is_listed);
    for (int64_t i = 0; i < table.m; ++i)
        table.cells[i] = 1.0 + static_cast<double>(below(random, 1000)) / 37.0;
    Exact<double> costs(k * k);
    for (int64_t i = 0; i < k * k; ++i) costs[i] = static_cast<double>(below(random, 5));
    const double scale = 1.25;
    const double* params[] = {&scale, costs.data()};

    Exact<double> scratch(karat::gradient_scratch_size(program, k, table.m));
    Exact<double> constant(1), truth(k), predicted(k), same(k), of_cells(table.m);
    Exact<double> values(3 * k), slopes_of(3 * k), moved(3 * k);
    const auto places = [&](Exact<double>& of) {
        return std::array<double*, 3>{of.data(), of.data() + k, of.data() + 2 * k};
    };
    const std::array<double*, 3> outputs = places(values), of_outputs = places(slopes_of);
    karat::Slopes slopes;
    slopes.constant = constant.data();
    slopes.truth = truth.data();
    slopes.predicted = predicted.data();
    slopes.same = same.data();
    slopes.cells = of_cells.data();
    slopes.outputs = of_outputs.data();
    karat::differentiate(program, table.view(params), scratch.data(), outputs.data(), slopes);
    check_same(slopes_of[0], 1.0, "the value moves with itself");

    Exact<double> plain(karat::scratch_size(program, k, table.m));
    const std::array<double*, 3> moved_outputs = places(moved);
    for (int64_t i = 0; i < table.m; ++i) {
        const int32_t row = table.rows[i], col = table.cols[i];
        const double found = constant[0] + truth[row] + predicted[col] +
                             (row == col ? same[row] : 0.0) + of_cells[i];
        const double held = table.cells[i];
        double slope = 0;
        for (const double step : {1e-4, -1e-4}) {
            table.cells[i] = held + step;
            karat::run(program, table.view(params), plain.data(), moved_outputs.data());
            slope += moved[0] / step / 2.0;
        }
        table.cells[i] = held;
        check_same(is_near(found, slope), true, "slope of a cell");
    }
    return moved_outputs[2][0];
}

}  // namespace

void test_programs(Random& random) {
    const karat::Program program = every_operation(), ranks = every_rank();
    karat::check_differentiable(program);
    for (const int64_t k : {2, 3, 9})
        for (const bool is_listed : {false, true}) {
            check_slopes(random, program, k, is_listed);
            const double largest = check_slopes(random, ranks, k, is_listed);
            check_same(std::isnan(largest), k > 2, "no number among the classes");
        }
    test_bad_programs();
    karat::Program again = program;
    again.code.back().to = again.code.front().to;
    again.outputs = {again.code.back().to};
    again.validate();
    check_refused([&] { karat::check_differentiable(again); }, "a slot that is used again");
}

}  // namespace karat_tests
