// The derivatives as boosting libraries compute them, rounding for rounding.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "kernels/exponential.hpp"
#include "kernels/objective_rows.hpp"
#include "kernels/objectives.hpp"

namespace karat {
namespace {

struct Step {
    double first, second;
};

template <class Real>
Real largest(const Real* z, int64_t k) {
    Real most = z[0];
    for (int64_t j = 1; j < k; ++j) most = z[j] > most ? z[j] : most;
    return most;
}

void softmax_in_place(double* z, int64_t k) {
    const double shift = largest(z, k);
    for (int64_t j = 0; j < k; ++j) z[j] -= shift;
    exponentials(z, k);
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) sum += z[j];
    for (int64_t j = 0; j < k; ++j) z[j] /= sum;
}

void softmax_in_place(float* z, int64_t k) {
    float shift = largest(z, k);
    // There the maximum is sought from the smallest positive float on. Where that would let every
    // term vanish, the true maximum is taken.
    if (shift > -64 && shift < FLT_MIN) shift = FLT_MIN;
    double sum = 0;
    for (int64_t j = 0; j < k; ++j) {
        z[j] = std::exp(z[j] - shift);
        sum += static_cast<double>(z[j]);
    }
    for (int64_t j = 0; j < k; ++j) z[j] /= static_cast<float>(sum);
}

// e^(±slope · z) in place, plus for what is true: how far each class is from its end.
template <class Target>
void logistic_in_place(double* z, int64_t k, const Target& target, const Steps& how) {
    // Beyond this argument σ is 0 to a float.
    constexpr double kMostExponent = 700;
    for (int64_t j = 0; j < k; ++j)
        z[j] = std::min((target(j) == 1 ? how.slope : -how.slope) * z[j], kMostExponent);
    exponentials(z, k);
}

// σ(z) in place.
template <class Target>
void logistic_in_place(float* z, int64_t k, const Target&, const Steps&) {
    constexpr float kMostExponent = 88.7f, kNotZero = 1e-16f;
    for (int64_t j = 0; j < k; ++j)
        z[j] = 1.0f / (std::exp(std::min(-z[j], kMostExponent)) + 1.0f + kNotZero);
}

template <class Real>
Step softmax_step(Real p, bool is_label, double weight, const Steps& how) {
    const Real w = static_cast<Real>(weight), one = 1;
    const Real second = static_cast<Real>(how.scale) * p * (one - p) * w;
    return {(is_label ? p - one : p) * w, std::max(second, static_cast<Real>(how.floor))};
}

Step logistic_step(double exponential, double y, double weight, const Steps& how) {
    const double length = how.slope / (1 + exponential);
    // For what is neither true nor false the other end is no difference, and 1 − y is a float.
    const bool is_soft = y > 0 && y < 1;
    const double rest = is_soft ? exponential * length : how.slope - length;
    const double second = how.scale * length * rest * weight;
    const double soft = static_cast<double>(1.0f - static_cast<float>(y)) * length - y * rest;
    const double first = is_soft ? soft : (y == 1 ? -length : length);
    return {first * weight, std::max(second, how.floor)};
}

Step logistic_step(float p, float y, double weight, const Steps& how) {
    const float w = static_cast<float>(weight);
    const float second = static_cast<float>(how.scale) * p * (1.0f - p);
    return {(p - y) * w, std::max(second, static_cast<float>(how.floor)) * w};
}

void write_step(const Step& step, int64_t i, int64_t j, const Steps& out) {
    const int64_t at = i * out.row_stride + j * out.column_stride;
    out.gradient[at] = static_cast<float>(step.first);
    out.hessian[at] = static_cast<float>(step.second);
}

template <class Real>
void softmax_steps(const CheckedRow<Real>& row, int64_t k, const Steps& out) {
    softmax_in_place(row.scores, k);
    for (int64_t j = 0; j < k; ++j)
        write_step(softmax_step(row.scores[j], j == row.label, row.weight, out), row.place, j, out);
}

template <class Real, class Target>
void logistic_steps(const CheckedRow<Real>& row, int64_t k, const Target& target,
                    const Steps& out) {
    logistic_in_place(row.scores, k, target, out);
    for (int64_t j = 0; j < k; ++j)
        write_step(logistic_step(row.scores[j], target(j), row.weight, out), row.place, j, out);
}

template <class Real>
void steps_in(const LabelledRows& rows, const Steps& out) {
    const int64_t k = rows.scores.k;
    for_each_row<Real>(rows, [&](const CheckedRow<Real>& row) {
        if (row.targets != nullptr) {
            logistic_steps(row, k, [y = row.targets](int64_t j) { return y[j]; }, out);
        } else if (rows.link == Link::logistic) {
            const auto one = [label = row.label](int64_t j) { return Real(j == label ? 1 : 0); };
            logistic_steps(row, k, one, out);
        } else {
            softmax_steps(row, k, out);
        }
    });
}

}  // namespace

void host_steps(const LabelledRows& rows, const Steps& out) {
    if (out.is_single)
        steps_in<float>(rows, out);
    else
        steps_in<double>(rows, out);
}

}  // namespace karat
