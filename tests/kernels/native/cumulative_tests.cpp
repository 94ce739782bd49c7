// Words of scores and their walks, against all pairs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "check.hpp"
#include "kernels/copy_columns.hpp"
#include "kernels/pack_scores.hpp"
#include "kernels/pair_scores.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_levels.hpp"

namespace karat_tests {
namespace {

using karat::Argument;
using karat::PackedScores;
using karat::RankTask;
using karat::Scores;
using Weights = const double*;

constexpr int64_t kLengths[] = {0, 1, 2, 7, 15, 16, 17, 63, 300, 2049};
constexpr int64_t kClasses[] = {1, 2, 3, 9, 300, 70000};

// A score of one of several kinds; ties, zeros of both signs, denormals and gaps.
double random_score(Random& random, int kind) {
    constexpr double kTiny = std::numeric_limits<float>::denorm_min();
    const double ends[] = {0.0, -0.0, 1.0, -1.0, kTiny, -kTiny, 3e38, -3e38};
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    switch (kind) {
        case 0: return unit;
        case 1: return std::floor(unit * 10) / 10;
        case 2: return ends[below(random, 8)];
        case 3: return 1.0 + static_cast<double>(below(random, 9)) * 0x1p-52;
        default: return (unit - 0.5) * std::pow(10.0, static_cast<double>(below(random, 60)) - 30);
    }
}

// A matrix in memory of exactly its size.
template <class Float>
struct Matrix {
    Matrix(Random& random, int64_t n, int64_t width, int64_t stride) : items(0) {
        const int64_t size = n == 0 ? 0 : ((n - 1) * width + width - 1) * stride + 1;
        items = Exact<Float>(size);
        for (int64_t i = 0; i < size; ++i) items[i] = 0;
        const int kind = static_cast<int>(below(random, 5));
        for (int64_t i = 0; i < n * width; ++i)
            items[i * stride] = static_cast<Float>(random_score(random, kind));
        const int64_t item = sizeof(Float);
        scores = {reinterpret_cast<const char*>(items.data()),
                  n,
                  width,
                  width * stride * item,
                  stride * item,
                  sizeof(Float) == 8};
    }
    Exact<Float> items;
    Scores scores;
};

double weight_at(const RankTask& task, int64_t item) {
    return task.weights == nullptr ? 1.0 : task.weights[task.row_of(item)];
}

void sort_words(PackedScores& packed) {
    const int64_t n = packed.task.n();
    if (packed.layout.is_wide) {
        std::sort(packed.wide.get(), packed.wide.get() + n);
    } else {
        std::sort(packed.narrow.get(), packed.narrow.get() + n);
    }
    karat::settle(packed);
}

// Weights are quarters, so that all sums are exact.
void check_task(const RankTask& task) {
    PackedScores packed = karat::pack_scores(task, 2, nullptr);
    sort_words(packed);
    const int64_t n = task.n();
    std::vector<double> areas(task.k), totals(task.k);
    std::map<double, std::pair<double, double>, std::greater<double>> levels;
    for (int64_t i = 0; i < n; ++i) {
        const double score = task.scores.value(i) + 0.0, weight = weight_at(task, i);
        const bool is_own = task.class_of(i) == task.own;
        totals[task.class_of(i)] += weight;
        (is_own ? levels[score].second : levels[score].first) += weight;
    }
    double own = 0, rest = 0, step = 0;
    std::vector<double> scores, counts;
    for (const auto& [score, level] : levels) {
        if (level.first + level.second == 0) continue;
        scores.push_back(score);
        counts.push_back(level.first);
        counts.push_back(level.second);
        own += level.second;
        rest += level.first;
        step += level.second * (own / (own + rest));
    }
    std::map<double, double> above;  // own weight above the score, twice, and at it once
    own = 0;
    for (const auto& [score, level] : levels) {
        above[score] = 2 * own + level.second;
        own += level.second;
    }
    for (int64_t i = 0; i < n; ++i)
        if (task.class_of(i) != task.own)
            areas[task.class_of(i)] += weight_at(task, i) * above[task.scores.value(i) + 0.0];
    const karat::ScoreLevels found = karat::levels_of(packed, packed.task.n(), packed.task.n());
    const auto copy = [](const auto& from, int64_t size) {
        return std::vector<double>(from.get(), from.get() + size);
    };
    check_same(copy(found.scores, found.u), scores, "scores of the levels");
    std::vector<double> in_blocks;
    for (int64_t last = packed.task.n(); last > 0;) {
        const karat::ScoreLevels block = karat::levels_of(packed, last, 3);
        check_same(block.u <= 3 && block.last < last, true, "size of a block");
        for (int64_t i = 0; i < block.u; ++i) in_blocks.push_back(block.scores[i]);
        last = block.last;
    }
    check_same(in_blocks, scores, "scores of the levels in blocks");
    if (task.weights == nullptr) {
        std::vector<double> thresholds, positives, walked;
        for (int64_t last = packed.task.n(), own_above = 0; last > 0;) {
            const karat::ThresholdSteps steps = karat::threshold_steps(packed, last, own_above, 3);
            check_same(steps.n <= 3 && steps.last < last, true, "size of a block of thresholds");
            for (int64_t i = 0; i < steps.n; ++i) {
                thresholds.push_back(steps.thresholds[i]);
                walked.push_back(steps.fps[i]);
                walked.push_back(steps.tps[i]);
            }
            last = steps.last;
            own_above = steps.own;
        }
        for (size_t i = 0; i < counts.size(); ++i)
            positives.push_back(counts[i] + (i < 2 ? 0 : positives[i - 2]));
        check_same(thresholds, scores, "thresholds in blocks");
        check_same(walked, positives, "positives in blocks");
        const std::vector<int64_t> got = karat::count_areas(packed);
        check_same(std::vector<double>(got.begin(), got.end()), areas, "areas");
        const std::vector<int64_t> rows = karat::count_classes(packed);
        check_same(std::vector<double>(rows.begin(), rows.end()), totals, "rows of the classes");
        check_same(copy(found.counts, 2 * found.u), counts, "counts");
    } else {
        check_same(karat::weigh_areas(packed), areas, "weighted areas");
        check_same(karat::weigh_classes(packed), totals, "weights of the classes");
        check_same(copy(found.weights, 2 * found.u), counts, "weights of the levels");
    }
    check_same(std::fabs(karat::step_area(packed) - step) <= 1e-12 * (1 + step), true, "step area");
    check_same(std::isnan(karat::trapezoid_area(packed)), own == 0, "trapezoid area");
}

template <class Float>
void test_columns(Random& random, int64_t n) {
    const int64_t stride = 1 + below(random, 2);
    const Matrix<Float> column(random, n, 1, stride);
    Exact<double> weights(n);
    for (int64_t i = 0; i < n; ++i) weights[i] = static_cast<double>(below(random, 5)) / 4;
    for (const int64_t k : kClasses) {
        Exact<int32_t> codes(n);
        for (int64_t i = 0; i < n; ++i)
            codes[i] = static_cast<int32_t>(k - 1 - below(random, std::min<int64_t>(k, 5)));
        const int64_t own = k - 1 - below(random, std::min<int64_t>(k, 6));
        for (const double* each : {Weights(nullptr), Weights(weights.data())}) {
            RankTask task{column.scores, codes.data(), each, k, own, false};
            check_task(task);
            if (n == 0) continue;
            const int64_t row = below(random, n);
            const int32_t kept = codes[row];
            codes[row] = static_cast<int32_t>(k);
            check_rejected([&] { karat::pack_scores(task, 1, nullptr); }, "range", Argument::truth,
                           row);
            codes[row] = kept;
        }
    }
}

template <class Float>
void test_matrices(Random& random, int64_t n) {
    const int64_t k = 1 + below(random, 6);
    Matrix<Float> matrix(random, n, k, 1 + below(random, 2));
    Exact<int32_t> codes(n);
    Exact<double> weights(n);
    for (int64_t i = 0; i < n; ++i) {
        codes[i] = static_cast<int32_t>(below(random, k));
        weights[i] = static_cast<double>(below(random, 5)) / 4;
    }
    for (const double* each : {Weights(nullptr), Weights(weights.data())})
        check_task({matrix.scores, codes.data(), each, 2, 1, true});
    const karat::ClassRows classes = karat::group_rows(codes.data(), n, k);
    check_same(classes.starts.back(), n, "rows of all classes");
    for (int64_t i = 0; i < k; ++i)
        for (int64_t j = 0; j < k; ++j) {
            const int64_t n_i = classes.starts[i + 1] - classes.starts[i],
                          n_j = classes.starts[j + 1] - classes.starts[j];
            Exact<double> differences(n_i + n_j);
            karat::pair_scores(matrix.scores, classes, i, j, differences.data());
            int64_t m = 0;
            for (const int64_t c : {i, j})
                for (int64_t row = 0; row < n; ++row) {
                    if (codes[row] != c) continue;
                    const double want =
                        matrix.scores.value(row * k + i) - matrix.scores.value(row * k + j);
                    check_same(differences[m++], want, "difference");
                }
        }
    const int64_t first = below(random, k), count = below(random, k - first + 1);
    Exact<Float> columns(count * n);
    karat::copy_columns(matrix.scores, first, count, columns.data(), 1, nullptr);
    for (int64_t i = 0; i < count * n; ++i)
        check_same(static_cast<double>(columns[i]), matrix.scores.value(i % n * k + first + i / n),
                   "copied item");
    Exact<double> cost(k * k), weighed(n * k);
    for (int64_t i = 0; i < k * k; ++i) cost[i] = 0;
    karat::weigh_scores(matrix.scores, cost.data(), weighed.data());
    for (int64_t i = 0; i < n * k; ++i) check_same(weighed[i], 0.0, "weighed score");
    karat::check_scores(matrix.scores);
    if (n == 0) return;
    const int64_t item = below(random, n * k);
    const int64_t at = item * (matrix.scores.column_stride / static_cast<int64_t>(sizeof(Float)));
    for (const Float bad :
         {std::numeric_limits<Float>::quiet_NaN(), -std::numeric_limits<Float>::infinity()}) {
        matrix.items[at] = bad;
        const char* kind = std::isnan(bad) ? "nan" : "infinite";
        check_rejected([&] { karat::check_scores(matrix.scores); }, kind, Argument::pred, item);
        check_rejected(
            [&] {
                karat::pack_scores({matrix.scores, codes.data(), nullptr, 2, 1, true}, 1, nullptr);
            },
            kind, Argument::pred, item);
    }
}

}  // namespace

void test_cumulative(Random& random) {
    for (int round = 0; round < 6; ++round)
        for (const int64_t n : kLengths) {
            test_columns<float>(random, n);
            test_columns<double>(random, n);
            test_matrices<float>(random, n);
            test_matrices<double>(random, n);
        }
}

}  // namespace karat_tests
