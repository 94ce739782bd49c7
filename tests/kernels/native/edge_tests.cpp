// The ends of what kernels take: sizes that no memory has, chances of 0 and 1, the largest numbers,
// columns that lie backwards or far apart.
#include <cmath>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "kernels/beta_quantile.hpp"
#include "kernels/copy_columns.hpp"
#include "kernels/count.hpp"
#include "kernels/draw.hpp"
#include "kernels/pack_pairs.hpp"
#include "kernels/pair_scores.hpp"
#include "kernels/resample_counts.hpp"
#include "kernels/run_lengths.hpp"
#include "kernels/score_keys.hpp"

namespace karat_tests {
namespace {

constexpr int64_t kOne = 1;

void test_sizes() {
    check_refused(
        [] { karat::resample_counts(nullptr, (kOne << 32) + 1, 1, 0, 0, 1, nullptr, 1, nullptr); },
        "more cells than 2^32");
    for (const bool is_double : {false, true})
        check_refused(
            [&] {
                karat::choose_layout(karat::FloatSpan::none(), is_double, kOne << 40, kOne << 31,
                                     true);
            },
            "rows and classes of 71 bits");
    for (const int64_t k : {int64_t{-1}, int64_t{0}, (kOne << 31) + 1}) {
        check_refused([&] { karat::group_rows(nullptr, 0, k); }, "classes of no number");
        check_refused([&] { karat::pack_pairs(nullptr, nullptr, 0, k, nullptr); }, "pairs of none");
    }
    const Labels labels(karat::Kind::u8, 1, {0, 0, 0});
    const int32_t lut[] = {0};
    check_refused(
        [&] {
            karat::count_declared({labels.column(), 0, lut, int64_t{UINT32_MAX}},
                                  {labels.column(), 0, nullptr, 0}, 1, {}, {true, 1, nullptr});
        },
        "a lookup table of 2^32 entries");
    for (const int bits : {-1, 64})
        check_refused([&] { karat::weighted_runs(nullptr, 0, bits, nullptr); }, "bits of a word");
}

void test_chances() {
    const karat::Source source{1, 2, 3};
    karat::Draws draws(source, karat::Purpose::item_weights, 4);
    for (const int64_t n : {int64_t{0}, int64_t{-1}})
        check_same(karat::draw_binomial(n, 0.5, draws), int64_t{0}, "no trials");
    for (const double p : {0.0, -0.5})
        check_same(karat::draw_binomial(9, p, draws), int64_t{0}, "no chance");
    for (const double p : {1.0, 1.5})
        check_same(karat::draw_binomial(9, p, draws), int64_t{9}, "every trial");
}

// Sides whose sum no number holds.
void test_large_sides() {
    const double most = std::numeric_limits<double>::max();
    for (const double p : {1e-300, 0.05, 0.5, 0.975}) {
        check_same(karat::beta_quantile(most, most, p), 0.5, "a quantile between equal sides");
        const double found = karat::beta_quantile(most, most / 3, p);
        check_same(std::fabs(found - 0.75) < 1e-15, true, "a quantile between large sides");
        const double late = karat::beta_quantile(most, 1e300, p);
        check_same(std::fabs(late - 1 / (1 + 1e300 / most)) < 1e-15, true, "a late quantile");
    }
    check_same(karat::beta_quantile(most, most, 0.0), 0.0, "the least quantile");
    check_same(karat::beta_quantile(most, most, 1.0), 1.0, "the largest quantile");
    check_same(std::isnan(karat::beta_quantile(most, HUGE_VAL, 0.5)), true, "an infinite side");
}

template <class Float>
void test_differences(double most) {
    const Float large = std::numeric_limits<Float>::max();
    const Exact<Float> items(std::vector<Float>{large, -large, -large, large, 1, 3});
    const Exact<int32_t> codes(std::vector<int32_t>{0, 1, 0});
    const int64_t item = sizeof(Float);
    const karat::Scores scores{reinterpret_cast<const char*>(items.data()), 3, 2, 2 * item, item,
                               item == 8};
    const karat::ClassRows classes = karat::group_rows(codes.data(), 3, 2);
    Exact<double> out(3);
    karat::pair_scores(scores, classes, 0, 1, out.data());
    check_same(out[0], most, "a difference above the largest number");
    check_same(out[1], -2.0, "a difference");
    check_same(out[2], -most, "a difference below the least number");
}

// Columns first to first + count - 1 of items [n, k] that lie somehow in memory.
void test_columns(int64_t n, int64_t k, int64_t row_step, int64_t column_step) {
    const int64_t least = std::min<int64_t>(0, (n - 1) * row_step) +
                          std::min<int64_t>(0, (k - 1) * column_step);
    const int64_t most = std::max<int64_t>(0, (n - 1) * row_step) +
                         std::max<int64_t>(0, (k - 1) * column_step);
    Exact<double> items(most - least + 1), out(2 * n);
    for (int64_t i = 0; i < items.size(); ++i) items[i] = static_cast<double>(i);
    const karat::Scores scores{reinterpret_cast<const char*>(items.data() - least), n, k,
                               8 * row_step, 8 * column_step, true};
    karat::copy_columns(scores, 1, 2, out.data(), 2, nullptr);
    for (int64_t c = 0; c < 2; ++c)
        for (int64_t row = 0; row < n; ++row)
            check_same(out[c * n + row],
                       static_cast<double>(-least + row * row_step + (c + 1) * column_step),
                       "an item of a column");
}

// More rows than anybody could walk over, of an array whose rows are all one.
void test_no_columns() {
    const double item = 0.5;
    const karat::Scores scores{reinterpret_cast<const char*>(&item), kOne << 49, 1, 0, 0, true};
    karat::copy_columns(scores, 0, 0, nullptr, 1, nullptr);
    karat::copy_columns(scores, 1, 0, nullptr, 2, nullptr);
}

}  // namespace

void test_edges() {
    test_no_columns();
    test_sizes();
    test_chances();
    test_large_sides();
    test_differences<float>(2.0 * static_cast<double>(std::numeric_limits<float>::max()));
    test_differences<double>(std::numeric_limits<double>::max());
    for (const int64_t n : {1, 31, 32, 33, 70})
        for (const int64_t sign : {1, -1}) {
            test_columns(n, 3, sign * 3, 1);
            test_columns(n, 3, 5, sign * 2 - (sign < 0 ? 0 : 1));
            test_columns(n, 3, 1, sign * n);
            test_columns(n, 4, sign * 40, 10);
            test_columns(n, 3, 0, sign);
        }
}

}  // namespace karat_tests
