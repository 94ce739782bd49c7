// Arrays that somebody changes while kernels read them: an error that says so, and never a read
// elsewhere.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "kernels/objectives.hpp"
#include "kernels/pair_scores.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_prefixes.hpp"

namespace karat_tests {
namespace {

template <class Call>
void check_noticed(const Call& call, const std::string& about) {
    try {
        call();
    } catch (const std::runtime_error& error) {
        const std::string what = error.what();
        check_same(what.find("changed while they were") != std::string::npos, true, what);
        return;
    }
    check_same(false, true, "not noticed: " + about);
}

// What a kernel that asks whether to go on finds afterwards.
double* changing = nullptr;
double changed_to = 0;
bool change() {
    *changing = changed_to;
    return true;
}

struct Rows {
    Rows(Random& random, int64_t n, int64_t k, int64_t width = 1)
        : scores(n * width), codes(n), weights(std::vector<double>(static_cast<size_t>(n), 1.0)) {
        for (int64_t i = 0; i < n * width; ++i)
            scores[i] = static_cast<double>(random() >> 11) * 0x1p-53;
        for (int64_t i = 0; i < n; ++i) codes[i] = static_cast<int32_t>(i % (width > 1 ? width : k));
        const char* data = reinterpret_cast<const char*>(scores.data());
        task = {{data, n, width, 8 * width, 8, true}, codes.data(), nullptr, k, k - 1, width > 1};
    }
    Exact<double> scores;
    Exact<int32_t> codes;
    Exact<double> weights;
    karat::RankTask task;
};

// After the look at every row, before their words are made.
void test_classes(Random& random) {
    for (const int64_t k : {2, 3, 100})
        for (const int32_t code : {-1, static_cast<int32_t>(k), INT32_MAX}) {
            Rows rows(random, 3000, k);
            rows.task.weights = rows.weights.data();
            karat::PackedScores surveyed = karat::survey_scores(rows.task, 1, nullptr);
            rows.codes[2999] = code;
            check_noticed([&] { karat::count_classes(surveyed); }, "rows of classes");
            check_noticed([&] { karat::weigh_classes(surveyed); }, "weights of classes");
            check_noticed([&] { karat::pack_words(surveyed, 1, nullptr); }, "words");
        }
    Rows pooled(random, 500, 2, 3);
    pooled.task.weights = pooled.weights.data();
    const karat::PackedScores surveyed = karat::survey_scores(pooled.task, 1, nullptr);
    pooled.codes[7] = 3;
    check_noticed([&] { karat::weigh_classes(surveyed); }, "weights of pooled rows");
}

// Halved keys, whose rows in doubt are read once more.
void test_doubts(Random& random) {
    for (const bool has_codes : {false, true}) {
        Rows rows(random, 9000, 3);
        // Where the sample does not look.
        for (int64_t i = 1; i < 320; i += 8) rows.scores[i] = 2.0 + static_cast<double>(i % 9) * 0x1p-51;
        const karat::PackedScores surveyed = karat::survey_scores(rows.task, 1, nullptr);
        check_same(karat::prefixes_pay(surveyed), true, "halved keys may do");
        karat::PackedScores cut = karat::cut_keys(surveyed);
        karat::pack_words(cut, 1, nullptr);
        std::sort(cut.narrow.get(), cut.narrow.get() + 9000);
        for (int64_t i = 0; i < 9000; ++i)
            has_codes ? void(rows.codes[i] = 3) : void(rows.scores[i] = 0.5);
        check_noticed([&] { karat::count_cut_areas(surveyed, cut, 1, nullptr); }, "rows in doubt");
    }
}

// A bad score that is good again when somebody looks for it.
void test_mended(Random& random) {
    Rows rows(random, 3000, 2);
    changing = &rows.scores[2];
    changed_to = 0.25;
    rows.scores[2] = HUGE_VAL;
    check_noticed([&] { karat::survey_scores(rows.task, 1, change); }, "a score out of range");

    const int64_t n = 40000;
    Exact<double> scores(2 * n), loss(n), gradient(2 * n), hessian(2 * n);
    for (int64_t i = 0; i < 2 * n; ++i) scores[i] = 0.5;
    const Labels labels(karat::Kind::u8, 1, std::vector<int64_t>(static_cast<size_t>(n), 1));
    Exact<float> first(2 * n), second(2 * n);
    karat::LabelledRows labelled{{reinterpret_cast<const char*>(scores.data()), n, 2, 16, 8, false},
                                 labels.column(), {}, nullptr, karat::Link::softmax, 1, change};
    changing = &scores[3];
    for (const bool is_single : {false, true}) {
        scores[3] = HUGE_VAL;
        check_noticed(
            [&] {
                karat::host_steps(labelled, {first.data(), second.data(), 2, 1, 1.0, 1.0, 0.0,
                                             is_single});
            },
            "a step of a score out of range");
    }
    for (const karat::Link link : {karat::Link::softmax, karat::Link::logistic}) {
        labelled.link = link;
        scores[3] = HUGE_VAL;
        check_noticed(
            [&] {
                karat::differentiate(labelled,
                                     {loss.data(), gradient.data(), hessian.data(), true});
            },
            "the loss of a score out of range");
    }
}

}  // namespace

void test_changing(Random& random) {
    test_classes(random);
    test_doubts(random);
    test_mended(random);
}

}  // namespace karat_tests
