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

// What logistic_row() asks of a truth, of class or label j with the score z: how much of |z| is
// lost, and p − y without a difference of numbers near 1. The larger of p = σ(z) and 1 − p is p
// where z is not below 0.
struct OneLabel {
    int64_t label;
    bool is_wrong(int64_t j, double z) const { return (z >= 0) != (j == label); }
    double lost(int64_t j, double z) const { return is_wrong(j, z) ? std::fabs(z) : 0; }
    double residual(int64_t j, double z, double larger, double smaller) const {
        const double size = is_wrong(j, z) ? larger : smaller;
        return j == label ? -size : size;
    }
};

struct SomeTargets {
    const double* y;
    double lost(int64_t j, double z) const { return (z >= 0 ? 1 - y[j] : y[j]) * std::fabs(z); }
    double residual(int64_t j, double z, double larger, double smaller) const {
        const double p = z >= 0 ? larger : smaller, q = z >= 0 ? smaller : larger;
        return (1 - y[j]) * p - y[j] * q;
    }
};

template <class Target>
double logistic_row(const double* z, int64_t k, const Target& target, double weight,
                    double* gradient, double* hessian, bool is_diagonal) {
    double* small = gradient;
    for (int64_t j = 0; j < k; ++j) small[j] = -std::fabs(z[j]);
    exponentials(small, k);
    if (!is_diagonal) std::fill(hessian, hessian + k * k, 0.0);
    // The loss of one class is log(1 + e^x) = max(x, 0) + log(1 + small), x = −z where it is true.
    // The product of all 1 + small is kept as the excess over 1, of which every term is positive.
    constexpr double kMostExcess = 1e280;
    double loss = 0, excess = 0;
    for (int64_t j = 0; j < k; ++j) {
        const double larger = 1 / (1 + small[j]), smaller = small[j] * larger;
        excess += small[j] + excess * small[j];
        if (excess > kMostExcess) {
            loss += std::log1p(excess);
            excess = 0;
        }
        loss += target.lost(j, z[j]);
        gradient[j] = weight * target.residual(j, z[j], larger, smaller);
        hessian[is_diagonal ? j : j * k + j] = weight * smaller * larger;
    }
    return weight * (loss + std::log1p(excess)) / static_cast<double>(k);
}

}  // namespace

double differentiate_row(const double* scores, int64_t k, const Truth& truth, double weight,
                         Link link, double* gradient, double* hessian, bool is_diagonal) {
    const auto logistic = [&](const auto& target) {
        return logistic_row(scores, k, target, weight, gradient, hessian, is_diagonal);
    };
    if (truth.targets != nullptr) return logistic(SomeTargets{truth.targets});
    if (link == Link::logistic) return logistic(OneLabel{truth.label});
    return softmax_row(scores, k, truth.label, weight, gradient, hessian, is_diagonal);
}

void differentiate(const LabelledRows& rows, const Derivatives& out) {
    const int64_t k = rows.scores.k, width = out.is_diagonal ? k : k * k;
    for_each_row<double>(rows, [&](const CheckedRow<double>& row) {
        const int64_t i = row.place;
        out.loss[i] =
            differentiate_row(row.scores, k, {row.label, row.targets}, row.weight, rows.link,
                              out.gradient + i * k, out.hessian + i * width, out.is_diagonal);
    });
}

void reject_first(const LabelledRows& rows) {
    const int64_t n = rows.scores.n, k = rows.scores.k;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < k; ++j)
            if (!std::isfinite(score_at(rows.scores, i, j)))
                throw Rejected("bad_score", Argument::pred, i);
    for (int64_t i = 0; rows.targets.data != nullptr && i < n; ++i)
        for (int64_t j = 0; j < k; ++j)
            if (!is_target(score_at(rows.targets, i, j)))
                throw Rejected("range", Argument::truth, i);
    for (int64_t i = 0; rows.targets.data == nullptr && i < n; ++i) {
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
