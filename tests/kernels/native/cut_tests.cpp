// Halved keys and sorted words, against whole words that std::sort sorted.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_prefixes.hpp"

namespace karat_tests {
namespace {

using karat::PackedScores;
using karat::RankTask;

struct Rows {
    Rows(Random& random, int64_t n, int64_t k, int kind) : scores(n), codes(n), weights(n) {
        for (int64_t i = 0; i < n; ++i) {
            const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
            // Some share their first bits, some are equal.
            const double near = 2.0 + static_cast<double>(below(random, 9)) * 0x1p-51;
            scores[i] = kind == 0 ? unit : kind == 1 ? std::floor(unit * 99) : near;
            if (kind == 2 && i % 40 != 0) scores[i] = unit;
            codes[i] = static_cast<int32_t>(below(random, k));
            weights[i] = static_cast<double>(below(random, 5)) / 4;
        }
        task = {{reinterpret_cast<const char*>(scores.data()), n, 1, 8, 0, true},
                codes.data(),
                nullptr,
                k,
                below(random, k),
                false};
    }
    Exact<double> scores;
    Exact<int32_t> codes;
    Exact<double> weights;
    RankTask task;
};

void sort_part(PackedScores& packed, int64_t first, int64_t last) {
    if (packed.layout.is_wide) {
        std::sort(packed.wide.get() + first, packed.wide.get() + last);
    } else {
        std::sort(packed.narrow.get() + first, packed.narrow.get() + last);
    }
}

// As if in every score level own rows stood above the others; with what the score levels of both say instead.
void check_as_ordered(const PackedScores& packed, const std::vector<int64_t>& wanted) {
    if (packed.layout.has_rows) return;
    const int64_t n = packed.task.n();
    const auto found = karat::count_as_ordered(packed, n, 1, nullptr);
    check_same(found.has_value(), true, "all words may be tied");
    std::vector<uint64_t> areas = found->areas;
    int64_t n_tied = 0;
    const auto take = [&](const auto* words) {
        const uint64_t mask = (uint64_t{1} << packed.layout.class_bits) - 1;
        for (const karat::Border& border : found->borders) {
            n_tied += border.last - border.first;
            for (int64_t i = border.first; i < border.border; ++i)
                areas[words[i] & mask] -= static_cast<uint64_t>(border.last - border.border);
        }
    };
    packed.layout.is_wide ? take(packed.wide.get()) : take(packed.narrow.get());
    check_same(n_tied, found->n_tied, "words that are tied");
    check_same(karat::areas_of_classes(packed, areas), wanted, "areas less what is tied");
    if (n_tied == 0) return;
    check_same(karat::count_as_ordered(packed, n_tied - 1, 1, nullptr).has_value(), false,
               "too many words are tied");
}

std::vector<int64_t> plain_areas(const RankTask& task) {
    PackedScores packed = karat::pack_scores(task, 1, nullptr);
    sort_part(packed, 0, task.n());
    const std::vector<int64_t> areas = karat::count_areas(packed);
    check_as_ordered(packed, areas);
    return areas;
}

void test_cut_keys(Random& random, int64_t k, int kind) {
    Rows rows(random, 9000, k, kind);
    const PackedScores surveyed = karat::survey_scores(rows.task, 1, nullptr);
    check_same(surveyed.has_words, false, "words of scores side by side");
    const bool pays = karat::prefixes_pay(surveyed);
    check_same(pays, kind == 0 || (kind == 2 && pays), "whether half a key may do");
    // Where whole keys and classes do not fit into 64 bits nothing is cut: `pays` is false.
    if (surveyed.layout.has_rows) return check_same(pays, false, "keys beside row numbers");
    PackedScores cut = karat::cut_keys(surveyed);
    karat::pack_words(cut, 1, nullptr);
    sort_part(cut, 0, rows.task.n());
    const auto found = karat::count_cut_areas(surveyed, cut, 1, nullptr);
    if (kind != 1) check_same(found.has_value(), true, "few rows in doubt");
    if (found) check_same(*found, plain_areas(rows.task), "areas of halved keys");
    // What is read again has changed: refused, or an answer, but never a read elsewhere.
    for (int64_t i = 0; i < rows.task.n(); i += 3) rows.scores[i] = std::nan("");
    rows.codes[1] = -7;
    try {
        karat::count_cut_areas(surveyed, cut, 1, nullptr);
    } catch (const std::runtime_error&) {
    }
}

void test_packed(Random& random, int kind, bool has_weights) {
    Rows rows(random, 510000, 3, kind);
    if (has_weights) rows.task.weights = rows.weights.data();
    PackedScores whole = karat::pack_scores(rows.task, 1, nullptr);
    sort_part(whole, 0, rows.task.n());
    for (const int n_threads : {1, 2, 5}) {
        for (const bool is_shown : {false, true}) {
            PackedScores packed = karat::survey_scores(rows.task, 1, nullptr);
            packed.is_shown = is_shown;
            karat::sort_packed(packed, n_threads, nullptr);
            const int64_t n = rows.task.n();
            check_same(packed.layout.is_wide ? std::equal(whole.wide.get(), whole.wide.get() + n,
                                                          packed.wide.get())
                                             : std::equal(whole.narrow.get(),
                                                          whole.narrow.get() + n,
                                                          packed.narrow.get()),
                       true, "words in their order");
            if (!has_weights)
                check_same(karat::count_areas(packed, n_threads, nullptr),
                           karat::count_areas(whole), "areas by several threads");
        }
    }
}

// Scores in order, either way, are sorted whole: they need not be looked at twice.
void test_ordered(Random& random) {
    for (const bool is_rising : {false, true}) {
        Rows rows(random, 9000, 2, 0);
        std::sort(rows.scores.data(), rows.scores.data() + 9000);
        if (!is_rising) std::reverse(rows.scores.data(), rows.scores.data() + 9000);
        check_same(karat::prefixes_pay(karat::survey_scores(rows.task, 1, nullptr)), false,
                   "halved keys of scores in order");
        std::swap(rows.scores[0], rows.scores[4500]);
        check_same(karat::prefixes_pay(karat::survey_scores(rows.task, 1, nullptr)), true,
                   "halved keys of scores out of order");
    }
}

}  // namespace

void test_cuts(Random& random) {
    for (const int64_t k : {2, 3, 200})
        for (const int kind : {0, 1, 2}) test_cut_keys(random, k, kind);
    for (const int kind : {0, 1, 2})
        for (const bool has_weights : {false, true}) test_packed(random, kind, has_weights);
    test_ordered(random);
}

}  // namespace karat_tests
