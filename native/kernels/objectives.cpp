#include "kernels/objectives.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/exponential.hpp"
#include "kernels/objective_rows.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

double softmax_row(const double* z, int64_t k, int64_t label, double weight, double* gradient,
                   double* hessian, bool is_diagonal) {
    double most = z[0];
    for (int64_t j = 1; j < k; ++j) most = std::max(most, z[j]);
    int64_t top = 0;
    while (z[top] != most) ++top;
    double* p = gradient;
    for (int64_t j = 0; j < k; ++j) p[j] = z[j] - most;
    exponentials(p, k);
    // Σ exp(z − max) without the largest: what is left beside it.
    double rest = 0;
    p[top] = 0;
    for (int64_t j = 0; j < k; ++j) rest += p[j];
    p[top] = 1;
    const double share = 1 / (1 + rest), beside_top = rest * share;
    for (int64_t j = 0; j < k; ++j) p[j] *= share;
    // Every p but the largest is at most 1/2, so that 1 − p loses nothing.
    if (is_diagonal) {
        for (int64_t j = 0; j < k; ++j) hessian[j] = weight * (p[j] * (1 - p[j]));
        hessian[top] = weight * (p[top] * beside_top);
    } else {
        for (int64_t i = 0; i < k; ++i) {
            for (int64_t j = 0; j < k; ++j) hessian[i * k + j] = weight * -(p[i] * p[j]);
            hessian[i * k + i] = weight * (p[i] * (i == top ? beside_top : 1 - p[i]));
        }
    }
    const double wrong = label == top ? beside_top : 1 - p[label];
    for (int64_t j = 0; j < k; ++j) p[j] *= weight;
    gradient[label] = -weight * wrong;
    // log Σ exp(z) − z[label], each part of it positive.
    return weight * (std::log1p(rest) + (most - z[label]));
}

double logistic_row(const double* z, int64_t k, int64_t label, double weight, double* gradient,
                    double* hessian, bool is_diagonal) {
    double* small = gradient;
    for (int64_t j = 0; j < k; ++j) small[j] = -std::fabs(z[j]);
    exponentials(small, k);
    if (!is_diagonal) std::fill(hessian, hessian + k * k, 0.0);
    // The loss of one class is log(1 + e^x) = max(x, 0) + log(1 + small). The product of all
    // 1 + small is kept as the excess over 1, of which every term is positive.
    constexpr double kMostExcess = 1e280;
    double loss = 0, excess = 0;
    for (int64_t j = 0; j < k; ++j) {
        const bool is_label = j == label, is_wrong = (z[j] >= 0) != is_label;
        // σ(x) and 1 − σ(x), whichever is which
        const double larger = 1 / (1 + small[j]), smaller = small[j] * larger;
        excess += small[j] + excess * small[j];
        if (excess > kMostExcess) {
            loss += std::log1p(excess);
            excess = 0;
        }
        if (is_wrong) loss += std::fabs(z[j]);
        const double residual = is_wrong ? larger : smaller;
        gradient[j] = weight * (is_label ? -residual : residual);
        hessian[is_diagonal ? j : j * k + j] = weight * smaller * larger;
    }
    return weight * (loss + std::log1p(excess)) / static_cast<double>(k);
}

}  // namespace

double differentiate_row(const double* scores, int64_t k, int64_t label, double weight, Link link,
                         double* gradient, double* hessian, bool is_diagonal) {
    const auto rule = link == Link::softmax ? softmax_row : logistic_row;
    return rule(scores, k, label, weight, gradient, hessian, is_diagonal);
}

void differentiate(const LabelledRows& rows, const Derivatives& out) {
    const int64_t k = rows.scores.k, width = out.is_diagonal ? k : k * k;
    for_each_row<double>(rows, [&](int64_t i, double* z, int64_t label, double weight) {
        out.loss[i] = differentiate_row(z, k, label, weight, rows.link, out.gradient + i * k,
                                        out.hessian + i * width, out.is_diagonal);
    });
}

void reject_first(const LabelledRows& rows) {
    const int64_t n = rows.scores.n, k = rows.scores.k;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < k; ++j)
            if (!std::isfinite(score_at(rows.scores, i, j)))
                throw Rejected("bad_score", Argument::pred, i);
    for (int64_t i = 0; i < n; ++i) {
        int64_t label;
        if (!gather_integers(rows.labels, i, 1, &label) || label < 0 || label >= k)
            throw Rejected("range", Argument::truth, i);
    }
    for (int64_t i = 0; rows.weights != nullptr && i < n; ++i) {
        if (!std::isfinite(rows.weights[i])) throw Rejected("bad_weight", Argument::weights, i);
        if (rows.weights[i] < 0) throw Rejected("negative_weight", Argument::weights, i);
    }
}

}  // namespace karat
