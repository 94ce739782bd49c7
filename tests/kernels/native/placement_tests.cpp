// Where each row stands, and what it does to areas, against all pairs and all score levels.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "check.hpp"
#include "kernels/pack_scores.hpp"
#include "kernels/rank_placements.hpp"
#include "kernels/rank_shares.hpp"

namespace karat_tests {
namespace {

using karat::PackedScores;
using karat::RankTask;

constexpr int64_t kLengths[] = {0, 1, 2, 3, 17, 64, 300, 2049, 4500};
constexpr int64_t kClasses[] = {1, 2, 3, 9, 70000};

PackedScores sorted(const RankTask& task) {
    PackedScores packed = karat::pack_scores(task, 1, nullptr);
    if (packed.layout.is_wide) {
        std::sort(packed.wide.get(), packed.wide.get() + task.n());
    } else {
        std::sort(packed.narrow.get(), packed.narrow.get() + task.n());
    }
    karat::settle(packed);
    return packed;
}

bool is_close(double actual, double expected, double size) {
    if (std::isnan(expected) || std::isnan(actual))
        return std::isnan(expected) && std::isnan(actual);
    return std::fabs(actual - expected) <= 1e-9 * (1 + size);
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

double weight_at(const RankTask& task, int64_t item) {
    return task.weights == nullptr ? 1.0 : task.weights[task.row_of(item)];
}

// Σ over the own class and over the rest, above and on each score.
struct Stand {
    double above[2] = {}, here[2] = {};
};
using Stands = std::map<double, Stand, std::greater<double>>;

Stands stands_of(const RankTask& task) {
    Stands stands;
    for (int64_t i = 0; i < task.n(); ++i)
        stands[task.scores.value(i) + 0.0].here[task.class_of(i) == task.own] += weight_at(task, i);
    double above[2] = {};
    for (auto& [score, stand] : stands)
        for (const int side : {0, 1}) {
            stand.above[side] = above[side];
            above[side] += stand.here[side];
        }
    return stands;
}

// The part of the other side over which an item stands right.
void check_spread(const RankTask& task, const Stands& stands) {
    const PackedScores packed = sorted(task);
    const karat::PlacementSpread found = karat::placement_spread(packed);
    const karat::PlacementSpread wide = karat::placement_spread(packed, 0);
    check_same(wide.counted, found.counted, "pairs of wide squares");
    check_same(same_bits(wide.size, found.size), true, "size of wide squares");
    double weight[2] = {}, square[2] = {}, sum[2] = {};
    const auto each = [&](const auto& use) {
        for (int64_t i = 0; i < task.n(); ++i) {
            const int side = task.class_of(i) == task.own;
            const Stand& stand = stands.at(task.scores.value(i) + 0.0);
            use(side, weight_at(task, i), stand.above[1 - side] + stand.here[1 - side] / 2);
        }
    };
    each([&](int side, double w, double above) {
        weight[side] += w;
        square[side] += w * w;
        sum[side] += w * above;
    });
    double spread[2] = {}, size = 0;
    each([&](int side, double w, double above) {
        const double gap = (above - sum[side] / weight[side]) / weight[1 - side];
        spread[side] += w * w * gap * gap;
        size += side == 1 ? w * std::fabs(gap) : 0;
    });
    const bool has_both = weight[0] > 0 && weight[1] > 0;
    for (const int side : {0, 1}) {
        check_same(same_bits(wide.sides[side].spread, found.sides[side].spread), true,
                   "spread of wide squares");
        check_same(found.sides[side].weight, weight[side], "weight of a side");
        check_same(found.sides[side].square, square[side], "squares of a side");
        const double want = has_both ? spread[side] : NAN;
        check_same(is_close(found.sides[side].spread, want, 0), true, "spread of a side");
    }
    check_same(is_close(found.pairs, 2 * sum[0], sum[0]), true, "pairs");
    check_same(is_close(found.size, has_both ? size : NAN, size), true, "size");
}

void check_placements(Random& random, RankTask task, const Stands& stands) {
    task.wants_rows = true;
    const PackedScores packed = sorted(task);
    const int64_t m = below(random, 18), rows = task.scores.n_rows;
    Exact<double> own(m * task.k), rest(m * task.k), out(m * rows);
    for (int64_t i = 0; i < m * task.k; ++i) {
        own[i] = static_cast<double>(below(random, 9)) - 4;
        rest[i] = static_cast<double>(below(random, 9)) - 4;
    }
    const std::vector<double> still(static_cast<size_t>(2 * m));
    std::vector<double> want(static_cast<size_t>(m * rows));
    for (int64_t i = 0; i < m * rows; ++i) want[i] = out[i] = static_cast<double>(i % 7);
    karat::add_influences(packed, {own.data(), rest.data(), still.data(), m}, nullptr, out.data());
    for (int64_t i = 0; i < task.n(); ++i)
        for (int64_t s = 0; s < m; ++s) {
            const int64_t c = task.class_of(i);
            const double score = task.scores.value(i) + 0.0;
            double& to = want[task.row_of(i) * m + s];
            const Stand& stand = stands.at(score);
            if (c != task.own) {
                to += rest[s * task.k + c] * (stand.above[1] + stand.here[1] / 2);
                continue;
            }
            for (int64_t j = 0; j < task.n(); ++j) {
                const double other = task.scores.value(j) + 0.0;
                if (task.class_of(j) == task.own || other > score) continue;
                to += own[s * task.k + task.class_of(j)] * weight_at(task, j) *
                      (other < score ? 1 : 0.5);
            }
        }
    for (int64_t i = 0; i < m * rows; ++i)
        check_same(is_close(out[i], want[i], std::fabs(want[i])), true, "placement of a row");
}

// F of the area, as rank_shares.hpp says, with a little more weight on some row.
double share_sum(const Stands& stands, bool is_straight) {
    double sum = 0, before = 1;
    for (const auto& [score, stand] : stands) {
        const double own = stand.above[1] + stand.here[1], all = own + stand.above[0] + stand.here[0];
        if (all <= 0) continue;
        const double share = own / all;
        sum += stand.here[1] * (is_straight ? (share + before) / 2 : share);
        before = share;
    }
    return sum;
}

std::array<std::array<double, 2>, 2> squares_of(const PackedScores& packed) {
    return karat::lift_squares(*karat::share_lifts(packed));
}

void check_lifts(RankTask task, const Stands& stands, bool is_straight) {
    double own = 0;
    for (const auto& [score, stand] : stands) own += stand.here[1];
    const std::array<double, 2> squares = squares_of(sorted(task))[is_straight];
    task.wants_rows = true;
    Exact<double> out(task.scores.n_rows);
    for (int64_t i = 0; i < task.scores.n_rows; ++i) out[i] = 0;
    const std::vector<double> still(static_cast<size_t>(task.k));
    const double lifts[2] = {is_straight ? 0.0 : 1.0, is_straight ? 1.0 : 0.0};
    const PackedScores named = sorted(task);
    karat::add_influences(named, {still.data(), still.data(), lifts, 1}, karat::share_lifts(named).get(), out.data());
    if (own == 0 || task.is_pooled) return;
    const double area = share_sum(stands, is_straight) / own;
    double want[2] = {};
    for (int64_t i = 0; i < task.n(); ++i) {
        const int side = task.class_of(i) == task.own;
        const double w = weight_at(task, i), score = task.scores.value(i) + 0.0;
        want[side] += w * w * out[i] * out[i];
        if (w == 0 || i % 37 != 0) continue;
        double ends[2];
        for (const int up : {0, 1}) {
            const double step = up == 1 ? 1e-6 : -1e-6;
            Stands moved = stands;
            for (auto& [s, stand] : moved)
                (s == score ? stand.here : stand.above)[side] += s > score ? 0 : step;
            ends[up] = share_sum(moved, is_straight);
        }
        const double slope = (ends[1] - ends[0]) / 2e-6 - (side == 1 ? area : 0);
        check_same(std::fabs(slope - out[i]) <= 1e-4 * (1 + std::fabs(slope)), true,
                   "lift of a row");
    }
    for (const int side : {0, 1})
        check_same(is_close(squares[side], want[side], want[side]), true, "squares of lifts");
}

void check_all(Random& random, const RankTask& task) {
    const Stands stands = stands_of(task);
    check_spread(task, stands);
    if (task.n() < 1000) check_placements(random, task, stands);
    for (const bool is_straight : {false, true}) check_lifts(task, stands, is_straight);
}

template <class Float>
void test_rows(Random& random, int64_t n, int64_t width) {
    Exact<Float> items(n * width);
    const int kind = static_cast<int>(below(random, 3));
    for (int64_t i = 0; i < n * width; ++i) {
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        items[i] = static_cast<Float>(kind == 0 ? unit : kind == 1 ? std::floor(unit * 9) : 0.5);
    }
    const int64_t item = sizeof(Float);
    const karat::Scores scores{reinterpret_cast<const char*>(items.data()), n, width, width * item,
                               item, item == 8};
    Exact<int32_t> codes(n);
    Exact<double> weights(n);
    for (int64_t i = 0; i < n; ++i) weights[i] = static_cast<double>(below(random, 5)) / 4;
    const auto both = [&](RankTask task) {
        for (const bool is_weighted : {false, true}) {
            task.weights = is_weighted ? weights.data() : nullptr;
            check_all(random, task);
        }
    };
    if (width > 1) {
        for (int64_t i = 0; i < n; ++i) codes[i] = static_cast<int32_t>(below(random, width));
        return both({scores, codes.data(), nullptr, 2, 1, true});
    }
    for (const int64_t k : kClasses) {
        const int64_t used = std::min<int64_t>(k, 4);
        for (int64_t i = 0; i < n; ++i) codes[i] = static_cast<int32_t>(k - 1 - below(random, used));
        both({scores, codes.data(), nullptr, k, k - 1 - below(random, used), false});
    }
}

}  // namespace

void test_placements(Random& random) {
    for (const int64_t n : kLengths) {
        test_rows<float>(random, n, 1);
        test_rows<double>(random, n, 1);
        test_rows<double>(random, n, 3);
    }
    const Exact<double> items(std::vector<double>{0.5});
    const Exact<int32_t> codes(std::vector<int32_t>{1});
    const PackedScores nameless = sorted(
        {{reinterpret_cast<const char*>(items.data()), 1, 1, 8, 0, true}, codes.data(), nullptr, 2, 1});
    check_refused([&] { karat::add_influences(nameless, {}, nullptr, nullptr); }, "words without rows");
}

}  // namespace karat_tests
