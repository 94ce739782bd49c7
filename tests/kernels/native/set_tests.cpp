// Sets of labels: read from matrices, counted, matched and grouped, against plain loops.
#include <algorithm>
#include <limits>
#include <map>

#include "check.hpp"
#include "kernels/count_sets.hpp"
#include "kernels/group_profiles.hpp"
#include "kernels/match_sets.hpp"
#include "kernels/read_sets.hpp"

namespace karat_tests {
namespace {

using karat::CellKind;

// A matrix of one type, rows or columns side by side, and what each cell is: 0, 1, 2 for NaN, 3 for others.
template <class T>
void check_matrix(Random& random, CellKind kind, int64_t n, int64_t k, bool is_strange, bool by_row) {
    Exact<T> cells(n * k);
    std::vector<int> wanted(static_cast<size_t>(n * k));
    const int64_t row = by_row ? k : 1, column = by_row ? 1 : n;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < k; ++j) {
            int state = below(random, 5) == 0;
            if (is_strange && below(random, 40) == 0) state = 3;
            if (is_strange && std::numeric_limits<T>::has_quiet_NaN && below(random, 20) == 0) state = 2;
            wanted[i * k + j] = state;
            cells[i * row + j * column] = state == 2   ? std::numeric_limits<T>::quiet_NaN()
                                          : state == 3 ? std::numeric_limits<T>::max()
                                                       : static_cast<T>(state);
        }
    const auto item = static_cast<int64_t>(sizeof(T));
    const karat::Indicator matrix{reinterpret_cast<const char*>(cells.data()), n, k, row * item, column * item, kind};
    const karat::ReadSets found = karat::read_sets(matrix, 1, nullptr);
    std::vector<int64_t> starts{0}, unknown_starts{0};
    std::vector<int32_t> items, unknown;
    int64_t n_others = 0, first = -1;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < k; ++j) {
            const int state = wanted[i * k + j];
            if (state == 1) items.push_back(static_cast<int32_t>(j));
            if (state == 2) unknown.push_back(static_cast<int32_t>(j));
            if (state == 3 && n_others++ == 0) first = i * k + j;
        }
        starts.push_back(static_cast<int64_t>(items.size()));
        unknown_starts.push_back(static_cast<int64_t>(unknown.size()));
    }
    check_same(found.ones.starts, starts, "starts of a matrix");
    check_same(found.ones.items, items, "items of a matrix");
    check_same(found.unknown.items, unknown, "unknown cells");
    if (!unknown.empty()) check_same(found.unknown.starts, unknown_starts, "starts of unknown cells");
    check_same(found.n_others, n_others, "cells that are neither");
    if (n_others > 0) check_same(found.row * k + found.column, first, "the first cell that is neither");
}

void test_matrices(Random& random) {
    for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1}, {7, 63}, {65, 64}, {130, 65}, {3, 200}, {5, 0}})
        for (const bool is_strange : {false, true})
            for (const bool by_row : {false, true}) {
                check_matrix<uint8_t>(random, CellKind::whole8, n, k, is_strange, by_row);
                check_matrix<int8_t>(random, CellKind::whole8, n, k, is_strange, by_row);
                check_matrix<uint16_t>(random, CellKind::whole16, n, k, is_strange, by_row);
                check_matrix<int32_t>(random, CellKind::whole32, n, k, is_strange, by_row);
                check_matrix<int64_t>(random, CellKind::whole64, n, k, is_strange, by_row);
                check_matrix<float>(random, CellKind::float32, n, k, is_strange, by_row);
                check_matrix<double>(random, CellKind::float64, n, k, is_strange, by_row);
            }
}

struct Some {
    Some(Random& random, int64_t n, int64_t k) : starts(n + 1), items(0) {
        std::vector<int32_t> all;
        starts[0] = 0;
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j < k; ++j)
                if (below(random, 3) == 0) all.push_back(static_cast<int32_t>(j));
            starts[i + 1] = static_cast<int64_t>(all.size());
        }
        items = Exact<int32_t>(all);
        view = {starts.data(), items.data(), n, static_cast<int64_t>(all.size())};
    }
    bool has(int64_t row, int64_t label) const {
        return std::count(items.data() + starts[row], items.data() + starts[row + 1], label) > 0;
    }
    Exact<int64_t> starts;
    Exact<int32_t> items;
    karat::SetsView view;
};

void check_counts(Random& random, int64_t n, int64_t k, bool is_weighted, int n_threads) {
    const Some truth(random, n, k), pred(random, n, k), third(random, n, k);
    Exact<double> weights(n);
    for (int64_t i = 0; i < n; ++i) weights[i] = static_cast<double>(below(random, 4)) / 3.0;
    const auto size = static_cast<size_t>(4 * k);
    std::vector<int64_t> rows(size), wanted(size), hits(static_cast<size_t>(n)), of_rows(static_cast<size_t>(n));
    std::vector<double> sums(size), squares(size), wanted_sums(size), wanted_squares(size);
    karat::count_sets(truth.view, pred.view, &third.view, is_weighted ? weights.data() : nullptr, k,
                      {rows.data(), sums.data(), squares.data()}, hits.data(), n_threads, nullptr);
    Exact<char> in_pred(truth.view.m), in_truth(pred.view.m);
    std::vector<int64_t> matched;
    karat::match_sets(truth.view, pred.view, k, reinterpret_cast<bool*>(in_pred.data()),
                      reinterpret_cast<bool*>(in_truth.data()));
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < k; ++j) {
            const bool a = truth.has(i, j), b = pred.has(i, j);
            const bool in_part[] = {a && b, b && !a, a && !b, third.has(i, j)};
            of_rows[i] += a && b;
            for (int64_t part = 0; part < 4; ++part) {
                if (!in_part[part]) continue;
                const double w = is_weighted ? weights[i] : 1.0;
                wanted[part * k + j] += w > 0;
                wanted_sums[part * k + j] += w;
                wanted_squares[part * k + j] += w * w;
            }
        }
        for (int64_t at = truth.starts[i]; at < truth.starts[i + 1]; ++at)
            check_same(in_pred[at] == 1, pred.has(i, truth.items[at]), "matches of true labels");
        for (int64_t at = pred.starts[i]; at < pred.starts[i + 1]; ++at)
            check_same(in_truth[at] == 1, truth.has(i, pred.items[at]), "matches of predicted labels");
    }
    check_same(rows, wanted, "rows by label");
    check_same(hits, of_rows, "hits by row");
    if (!is_weighted) return;
    check_same(sums, wanted_sums, "weights by label");
    check_same(squares, wanted_squares, "squares by label");
}

// Starts and items that are no sets: an error, and never a read or a write elsewhere.
void test_wrong_sets(Random& random) {
    std::vector<int64_t> rows(4 * 5), hits(20);
    const auto check = [&](const Some& truth, const Some& pred, const Some& third, const std::string& about) {
        const karat::SetSums sums{rows.data(), nullptr, nullptr};
        check_refused([&] { karat::count_sets(truth.view, pred.view, &third.view, nullptr, 5, sums, hits.data(), 1,
                                              nullptr); },
                      about);
    };
    const Some good(random, 20, 5);
    for (const int64_t start : {int64_t{-1}, int64_t{1} << 40, std::numeric_limits<int64_t>::max()})
        for (const int64_t at : {0, 7, 20}) {
            Some bad(random, 20, 5);
            bad.starts[at] = start;
            check(bad, good, good, "starts of true sets");
            check(good, bad, good, "starts of predicted sets");
            check(good, good, bad, "starts of third sets");
        }
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
    for (const int32_t item : {-1, 5, kLeast, kMost}) {
        Some bad(random, 20, 5);
        bad.items[below(random, bad.view.m)] = item;
        check(bad, good, good, "true items");
        check(good, bad, good, "predicted items");
        check(good, good, bad, "third items");
    }
}

void test_profiles(Random& random) {
    for (const int64_t m : {0, 1, 40, 3000}) {
        Exact<int64_t> numbers(4 * m), rows(m);
        Exact<double> weights(m), squares(m);
        std::map<std::vector<int64_t>, std::pair<int64_t, double>> wanted;
        for (int64_t i = 0; i < m; ++i) {
            std::vector<int64_t> own(4);
            for (int64_t j = 0; j < 4; ++j) own[j] = numbers[4 * i + j] = below(random, m > 40 ? 9 : 2) - 1;
            rows[i] = below(random, 5) - 2;
            weights[i] = squares[i] = static_cast<double>(below(random, 8));
            wanted[own].first += rows[i];
            wanted[own].second += weights[i];
        }
        const karat::Profiles found =
            karat::group_profiles(numbers.data(), rows.data(), weights.data(), squares.data(), m);
        check_same(found.rows.size(), wanted.size(), "number of profiles");
        size_t at = 0;
        for (const auto& [own, sums] : wanted) {
            check_same(std::equal(own.begin(), own.end(), found.numbers.begin() + 4 * at), true, "a profile");
            check_same(found.rows[at], sums.first, "rows of a profile");
            check_same(found.weights[at], sums.second, "weight of a profile");
            check_same(found.squares[at++], sums.second, "squares of a profile");
        }
        const karat::Profiles bare = karat::group_profiles(numbers.data(), rows.data(), nullptr, nullptr, m);
        check_same(bare.weights.empty() && bare.squares.empty(), true, "no weights");
        check_same(bare.rows, found.rows, "rows without weights");
    }
}

}  // namespace

void test_sets(Random& random) {
    test_matrices(random);
    for (const bool is_weighted : {false, true}) {
        for (const int64_t n : {0, 1, 30}) check_counts(random, n, 7, is_weighted, 1);
        check_counts(random, 3, 0, is_weighted, 1);
    }
    check_counts(random, 9000, 70, false, 3);
    test_wrong_sets(random);
    test_profiles(random);
}

}  // namespace karat_tests
