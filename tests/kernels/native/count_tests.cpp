// Counting, discovered and declared, weighted and not, against one plain loop.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "check.hpp"
#include "kernels/count.hpp"

namespace karat_tests {
namespace {

using karat::Argument;
using karat::Kind;
using karat::Tally;

constexpr int64_t kLengths[] = {1, 2, 7, 16, 31, 33, 511, 513, 2047, 2049, 5000};
constexpr int64_t kStrides[] = {1, 1, 2, -1, -3};
constexpr int64_t kLows[] = {
    0, 1, -7, 200, -(int64_t{1} << 31), (int64_t{1} << 31) - 9, int64_t{1} << 40};
constexpr int64_t kWidths[] = {1, 2, 3, 10, 70, 300};

template <class T, size_t n>
T pick(Random& random, const T (&choices)[n]) {
    return choices[below(random, n)];
}

int64_t limited(Kind kind, int64_t value) {
    const int bits = 8 << (static_cast<int>(kind) / 2);
    const bool is_signed = static_cast<int>(kind) % 2 == 1;
    if (bits == 64) return is_signed ? value : std::max<int64_t>(value, 0);
    const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1,
                  low = is_signed ? -high - 1 : 0;
    return std::clamp(value, low, high);
}

Labels random_labels(Random& random, int64_t n, int64_t low, int64_t width) {
    const Kind kind = static_cast<Kind>(below(random, karat::kKinds));
    std::vector<int64_t> values(n);
    for (int64_t& value : values) value = limited(kind, low + below(random, width));
    return {kind, pick(random, kStrides), values};
}

// Weights in quarters: their sums are exact in any order.
Exact<double> random_weights(Random& random, int64_t n, int64_t stride) {
    Exact<double> weights((n - 1) * stride + 1);
    for (int64_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<double>(below(random, 9)) / 4;
    return weights;
}

// The slow reference: rows, Σw and Σw² of every cell.
struct Cell {
    int64_t rows = 0;
    double weight = 0, square = 0;
};
struct Expected {
    std::vector<int64_t> labels;
    std::vector<Cell> cells;
};

Expected count_slowly(const std::vector<int64_t>& truth, const std::vector<int64_t>& pred,
                      std::vector<int64_t> labels, const double* weights, int64_t stride) {
    Expected made;
    if (labels.empty()) {
        labels = truth;
        labels.insert(labels.end(), pred.begin(), pred.end());
        std::sort(labels.begin(), labels.end());
        labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    }
    made.labels = labels;
    std::map<int64_t, size_t> place;
    for (size_t i = 0; i < labels.size(); ++i) place[labels[i]] = i;
    made.cells.resize(labels.size() * labels.size());
    for (size_t i = 0; i < truth.size(); ++i) {
        Cell& cell = made.cells[place[truth[i]] * labels.size() + place[pred[i]]];
        const double weight = weights == nullptr ? 1 : weights[static_cast<int64_t>(i) * stride];
        cell.rows += weight > 0;
        cell.weight += weight;
        cell.square += weight * weight;
    }
    return made;
}

void check_tally(const Tally& tally, const Expected& expected) {
    const size_t k = expected.labels.size();
    check_same(tally.k, static_cast<int64_t>(k), "number of classes");
    if (tally.discovered) check_same(tally.labels, expected.labels, "labels");
    std::vector<int64_t> rows[3];
    std::vector<double> weights[3], squares[3];
    for (int part = 0; part < 3; ++part)
        rows[part].resize(k), weights[part].resize(k), squares[part].resize(k);
    const auto add = [&](int part, size_t i, const Cell& cell) {
        rows[part][i] += cell.rows, weights[part][i] += cell.weight,
            squares[part][i] += cell.square;
    };
    for (size_t i = 0; i < k; ++i)
        for (size_t j = 0; j < k; ++j) {
            const Cell& cell = expected.cells[i * k + j];
            if (i == j) add(0, i, cell);
            if (i != j) add(1, j, cell), add(2, i, cell);
            if (tally.has_cells && !tally.weighted)
                check_same(tally.counts[i * k + j], cell.rows, "count");
            if (tally.has_cells && tally.weighted) {
                check_same(tally.sums[i * k + j], cell.weight, "sum of weights");
                check_same(tally.squares[i * k + j], cell.square, "sum of squares");
            }
        }
    check_same(tally.tp, rows[0], "true positives");
    check_same(tally.fp, rows[1], "false positives");
    check_same(tally.fn, rows[2], "false negatives");
    if (!tally.weighted) return;
    check_same(tally.tp_w, weights[0], "weight of true positives");
    check_same(tally.fp_w, weights[1], "weight of false positives");
    check_same(tally.fn_w, weights[2], "weight of false negatives");
    check_same(tally.tp_w2, squares[0], "squares of true positives");
    check_same(tally.fp_w2, squares[1], "squares of false positives");
    check_same(tally.fn_w2, squares[2], "squares of false negatives");
}

void test_discovered(Random& random, int64_t n) {
    const int64_t low = pick(random, kLows), width = pick(random, kWidths),
                  stride = 1 + below(random, 3);
    const Labels truth = random_labels(random, n, low, width),
                 pred = random_labels(random, n, low, width);
    const Exact<double> weights = random_weights(random, n, stride);
    for (const bool cells : {true, false})
        for (const bool weighted : {false, true}) {
            const double* data = weighted ? weights.data() : nullptr;
            const std::optional<Tally> tally = karat::count_discovered(
                truth.column(), pred.column(), {data, stride * int64_t{sizeof(double)}},
                {cells, 3, nullptr});
            if (tally)
                check_tally(*tally, count_slowly(truth.values, pred.values, {}, data, stride));
        }
}

void test_declared(Random& random, int64_t n) {
    const int64_t k = pick(random, kWidths), base = pick(random, kLows);
    std::vector<int64_t> classes(k);
    for (int64_t i = 0; i < k; ++i) classes[i] = i;
    const int64_t n_lut = k + 5;
    Exact<int32_t> lut(n_lut);
    for (int64_t i = 0; i < n_lut; ++i) lut[i] = static_cast<int32_t>(below(random, k + 1)) - 1;
    lut[0] = 0;
    std::vector<int64_t> codes(n), meant(n);
    for (int64_t i = 0; i < n; ++i) {
        int64_t offset = below(random, n_lut);
        if (lut[offset] < 0) offset = 0;
        codes[i] = base + offset;
        meant[i] = lut[offset];
    }
    const Labels truth(Kind::i64, pick(random, kStrides), codes);
    std::vector<int64_t> plain(n);
    for (int64_t& value : plain) value = below(random, std::min<int64_t>(k, 128));
    Labels pred(Kind::u8, pick(random, kStrides), plain);
    const auto count = [&](bool cells) {
        return karat::count_declared({truth.column(), base, lut.data(), n_lut},
                                     {pred.column(), 0, nullptr, 0}, k, {}, {cells, 1, nullptr});
    };
    for (const bool cells : {true, false})
        check_tally(count(cells), count_slowly(meant, plain, classes, nullptr, 1));
    if (k < 256) {
        const int64_t row = below(random, n);
        pred.set(row, k);
        check_rejected([&] { count(true); }, "range", Argument::pred, row);
    }
}

void test_agreement(Random& random, int64_t n) {
    const Labels truth = random_labels(random, n, pick(random, kLows), 3),
                 pred = random_labels(random, n, pick(random, kLows), 3);
    for (const Labels* other : {&truth, &pred}) {
        int64_t alike = 0;
        for (int64_t i = 0; i < n; ++i) alike += truth.values[i] == other->values[i];
        const std::optional<Tally> tally =
            karat::count_agreement(truth.column(), other->column(), 2, nullptr);
        check_same(tally.has_value(), true, "values fit");
        check_same(tally->n_rows, n, "rows");
        check_same(tally->tp, std::vector<int64_t>{alike, 0}, "rows alike");
        check_same(tally->fn, std::vector<int64_t>{n - alike, 0}, "rows that differ, by truth");
        check_same(tally->fp, std::vector<int64_t>{0, n - alike}, "rows that differ, by prediction");
    }
}

void test_late_labels() {
    // The window grows on both sides, and the last row is far from the others.
    std::vector<int64_t> values(40000);
    for (size_t i = 0; i < values.size(); ++i) values[i] = 300 + static_cast<int64_t>(i) / 200;
    values.back() = -50;
    const Labels truth(Kind::i16, 1, values);
    std::reverse(values.begin(), values.end());
    const Labels pred(Kind::i32, 1, values);
    for (const bool cells : {true, false}) {
        const std::optional<Tally> tally =
            karat::count_discovered(truth.column(), pred.column(), {}, {cells, 1, nullptr});
        check_same(tally.has_value(), true, "late labels fit");
        check_tally(*tally, count_slowly(truth.values, pred.values, {}, nullptr, 1));
    }
}

// Of few classes, so that there are cells, with gaps, where no sample looks.
void test_late_cells(Random& random) {
    const int64_t n = 420001;
    std::vector<int64_t> values(static_cast<size_t>(n));
    for (int64_t& value : values) value = 100 + 7 * below(random, 3);
    values[300000] = 250;
    values[300001] = 3;
    const Labels truth(Kind::i16, 1, values);
    for (int64_t& value : values) value += 7 * below(random, 2);
    const Labels pred(Kind::i32, 1, values);
    const Exact<double> weights = random_weights(random, n, 1);
    for (const double* data : {static_cast<const double*>(nullptr), weights.data()})
        for (const int n_threads : {1, 4}) {
            const std::optional<Tally> tally = karat::count_discovered(
                truth.column(), pred.column(), {data, 8}, {true, n_threads, nullptr});
            check_same(tally.has_value() && tally->has_cells, true, "late cells fit");
            check_tally(*tally, count_slowly(truth.values, pred.values, {}, data, 1));
        }
}

void test_threads(Random& random) {
    const int64_t n = 420001;
    for (const int64_t width : {2, 40, 400}) {
        const Labels truth = random_labels(random, n, 0, width),
                     pred = random_labels(random, n, 0, width);
        const Exact<double> weights = random_weights(random, n, 1);
        for (const double* data : {static_cast<const double*>(nullptr), weights.data()})
            for (const bool cells : {true, false})
                for (const int n_threads : {1, 4}) {
                    const std::optional<Tally> tally = karat::count_discovered(
                        truth.column(), pred.column(), {data, 8}, {cells, n_threads, nullptr});
                    check_same(tally.has_value(), true, "the range fits");
                    check_tally(*tally, count_slowly(truth.values, pred.values, {}, data, 1));
                }
    }
}

void test_bad_weights() {
    const Labels labels(Kind::i64, 1, std::vector<int64_t>(700, 1));
    const std::pair<double, const char*> bad[] = {{-0.5, "negative_weight"},
                                                  {NAN, "bad_weight"},
                                                  {INFINITY, "bad_weight"},
                                                  {-INFINITY, "bad_weight"}};
    for (const auto& [value, kind] : bad) {
        Exact<double> weights(std::vector<double>(700, 1.0));
        weights[699] = weights[650] = value;
        check_rejected(
            [&] {
                karat::count_discovered(labels.column(), labels.column(), {weights.data(), 8},
                                        {true, 1, nullptr});
            },
            kind, Argument::weights, 650);
    }
}

}  // namespace

void test_counts(Random& random) {
    for (int round = 0; round < 15; ++round)
        for (const int64_t n : kLengths) {
            test_discovered(random, n);
            test_declared(random, n);
            test_agreement(random, n);
        }
    test_agreement(random, 420001);
    test_late_labels();
    test_late_cells(random);
    test_threads(random);
    test_bad_weights();
}

}  // namespace karat_tests
