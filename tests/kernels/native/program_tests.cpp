// Programs run and differentiated on random tables, against central differences of the cells.
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

    Table(int64_t k, const std::vector<int32_t>& rows, const std::vector<int32_t>& cols)
        : k(k), m(static_cast<int64_t>(rows.size())), rows(rows), cols(cols), cells(m),
          counts(4 * k) {}

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
        table.rows = rows.data();
        table.cols = cols.data();
        table.positive = k - 1;
        table.params = params;
        return table;
    }
};

bool is_near(double a, double b) { return std::fabs(a - b) <= 2e-6 * (1.0 + std::fabs(b)); }

}  // namespace

void test_programs(Random& random) {
    const karat::Program program = every_operation();
    karat::check_differentiable(program);
    for (const int64_t k : {2, 3, 9}) {
        std::vector<int32_t> rows, cols;
        for (int64_t i = 0; i < k * k; ++i)
            if (i / k == i % k || below(random, 3) > 0) {
                rows.push_back(static_cast<int32_t>(i / k));
                cols.push_back(static_cast<int32_t>(i % k));
            }
        Table table(k, rows, cols);
        for (int64_t i = 0; i < table.m; ++i)
            table.cells[i] = 1.0 + static_cast<double>(below(random, 1000)) / 37.0;
        Exact<double> costs(k * k);
        for (int64_t i = 0; i < k * k; ++i) costs[i] = static_cast<double>(below(random, 5));
        const double scale = 1.25;
        const double* params[] = {&scale, costs.data()};

        Exact<double> scratch(karat::gradient_scratch_size(program, k, table.m));
        Exact<double> value(1), share(k), of_value(1), of_share(k), constant(1), truth(k),
            predicted(k), same(k), of_cells(table.m);
        double* outputs[] = {value.data(), share.data()};
        double* of_outputs[] = {of_value.data(), of_share.data()};
        karat::Slopes slopes;
        slopes.constant = constant.data();
        slopes.truth = truth.data();
        slopes.predicted = predicted.data();
        slopes.same = same.data();
        slopes.cells = of_cells.data();
        slopes.outputs = of_outputs;
        karat::differentiate(program, table.view(params), scratch.data(), outputs, slopes);
        check_same(of_value[0], 1.0, "the value moves with itself");

        Exact<double> plain(karat::scratch_size(program, k, table.m)), moved(1), unused(k);
        double* moved_outputs[] = {moved.data(), unused.data()};
        for (int64_t i = 0; i < table.m; ++i) {
            const int32_t row = table.rows[i], col = table.cols[i];
            const double found = constant[0] + truth[row] + predicted[col] +
                                 (row == col ? same[row] : 0.0) + of_cells[i];
            const double held = table.cells[i];
            double slope = 0;
            for (const double step : {1e-4, -1e-4}) {
                table.cells[i] = held + step;
                karat::run(program, table.view(params), plain.data(), moved_outputs);
                slope += moved[0] / step / 2.0;
            }
            table.cells[i] = held;
            check_same(is_near(found, slope), true, "slope of a cell");
        }
    }
    karat::Program again = program;
    again.code.back().to = again.code.front().to;
    again.outputs = {again.code.back().to};
    again.validate();
    bool is_refused = false;
    try {
        karat::check_differentiable(again);
    } catch (const std::invalid_argument&) {
        is_refused = true;
    }
    check_same(is_refused, true, "a slot that is used again");
}

}  // namespace karat_tests
