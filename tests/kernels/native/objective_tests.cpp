// Losses and derivatives of rows, against plain formulas.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "kernels/exponential.hpp"
#include "kernels/objectives.hpp"

namespace karat_tests {
namespace {

using karat::Argument;
using karat::Kind;
using karat::Link;

void check_near(double actual, double expected, const std::string& about) {
    check_same(std::fabs(actual - expected) <= 1e-12 * (1 + std::fabs(expected)), true, about);
}

// Scores of any strides, labels and weights, in memory of exactly their size.
template <class Real>
struct Sample {
    Sample(Random& random, int64_t n, int64_t k, bool by_column)
        : n(n), k(k), by_column(by_column), scores(n * k), labels(n), weights(n) {
        for (int64_t i = 0; i < n * k; ++i)
            scores[i] = static_cast<Real>(static_cast<double>(below(random, 4001) - 2000) / 250);
        for (int64_t i = 0; i < n; ++i) {
            labels[i] = static_cast<int32_t>(below(random, k));
            weights[i] = static_cast<double>(below(random, 5)) / 4;
        }
    }
    Real& score(int64_t i, int64_t j) { return scores[by_column ? j * n + i : i * k + j]; }
    karat::LabelledRows rows(Link link) const {
        karat::LabelledRows rows;
        const int64_t item = sizeof(Real);
        rows.scores = {reinterpret_cast<const char*>(scores.data()),
                       n,
                       k,
                       by_column ? item : item * k,
                       by_column ? item * n : item,
                       item == 4};
        rows.labels = {labels.data(), n, 4, Kind::i32};
        rows.weights = weights.data();
        rows.link = link;
        rows.n_threads = 3;
        return rows;
    }

    int64_t n, k;
    bool by_column;
    Exact<Real> scores;
    Exact<int32_t> labels;
    Exact<double> weights;
};

// p of class j of row i.
template <class Real>
double probability(Sample<Real>& sample, Link link, int64_t i, int64_t j) {
    if (link == Link::logistic) return 1 / (1 + std::exp(-double(sample.score(i, j))));
    double sum = 0;
    for (int64_t each = 0; each < sample.k; ++each)
        sum += std::exp(double(sample.score(i, each)) - double(sample.score(i, j)));
    return 1 / sum;
}

template <class Real>
void test_sample(Sample<Real> sample, Link link) {
    const int64_t n = sample.n, k = sample.k;
    Exact<double> loss(n), gradient(n * k), diagonal(n * k), whole(n * k * k);
    const karat::LabelledRows rows = sample.rows(link);
    karat::differentiate(rows, {loss.data(), gradient.data(), diagonal.data(), true});
    karat::differentiate(rows, {loss.data(), gradient.data(), whole.data(), false});
    Exact<float> first(n * k), second(n * k);
    karat::Steps steps{first.data(), second.data(), k, 1, 1.0, 1.5, 0.0, sizeof(Real) == 4};
    karat::host_steps(rows, steps);
    for (int64_t i = 0; i < n; ++i) {
        const double w = sample.weights[i];
        double expected_loss = 0;
        for (int64_t j = 0; j < k; ++j) {
            const double p = probability(sample, link, i, j), hit = sample.labels[i] == j;
            const bool is_counted = hit != 0 || link == Link::logistic;
            if (is_counted) expected_loss -= std::log(hit != 0 ? p : 1 - p);
            check_near(gradient[i * k + j], w * (p - hit), "gradient");
            check_near(diagonal[i * k + j], w * p * (1 - p), "diagonal of the Hessian");
            for (int64_t other = 0; other < k; ++other) {
                const double beside =
                    link == Link::softmax ? -p * probability(sample, link, i, other) : 0.0;
                check_near(whole[(i * k + j) * k + other], w * (j == other ? p * (1 - p) : beside),
                           "Hessian");
            }
            check_same(std::fabs(first[i * k + j] - w * (p - hit)) < 1e-6, true, "step");
            check_same(std::fabs(second[i * k + j] - 1.5 * w * p * (1 - p)) < 1e-6, true,
                       "second step");
        }
        if (link == Link::logistic) expected_loss /= static_cast<double>(k);
        check_near(loss[i], w * expected_loss, "loss");
    }
    if (n == 0) return;
    const auto run = [&] {
        karat::differentiate(rows, {loss.data(), gradient.data(), diagonal.data(), true});
    };
    const int64_t bad = n / 2;
    sample.weights[bad] = -1;
    check_rejected(run, "negative_weight", Argument::weights, bad);
    sample.weights[bad] = HUGE_VAL;
    check_rejected(run, "bad_weight", Argument::weights, bad);
    sample.labels[bad] = static_cast<int32_t>(k);
    check_rejected(run, "range", Argument::truth, bad);
    sample.score(bad, k - 1) = static_cast<Real>(NAN);
    check_rejected(run, "bad_score", Argument::pred, bad);
}

void test_exponentials() {
    // Every remainder and every exponent; an odd number of them.
    const int64_t n = 100001;
    Exact<double> values(n), powers(n);
    for (int64_t i = 0; i < n; ++i)
        powers[i] = values[i] = -708.0 + 1417.0 * static_cast<double>(i) / double(n - 1);
    karat::exponentials(powers.data(), n);
    for (int64_t i = 0; i < n; ++i) {
        const double expected = std::exp(values[i]);
        check_same(std::fabs(powers[i] - expected) <= 2.3e-16 * expected, true, "exponential");
    }
    double ends[5] = {0.0, -708.5, -1e308, -HUGE_VAL, -0.0};
    karat::exponentials(ends, 5);
    check_same(ends[0] == 1 && ends[4] == 1, true, "e^0");
    check_same(ends[1] == 0 && ends[2] == 0 && ends[3] == 0, true, "e^x of very negative x");
}

}  // namespace

void test_objectives(Random& random) {
    test_exponentials();
    for (const Link link : {Link::softmax, Link::logistic})
        for (const bool by_column : {false, true}) {
            for (const int64_t k : {1, 2, 3, 10})
                for (const int64_t n : {0, 1, 15, 16, 17, 200}) {
                    test_sample(Sample<double>(random, n, k, by_column), link);
                    test_sample(Sample<float>(random, n, k, by_column), link);
                }
            // Several tasks.
            test_sample(Sample<float>(random, 70001, 2, by_column), link);
        }
}

}  // namespace karat_tests
