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

// slope · σ(±slope · z) in place, minus for the label: how far each class is from its end.
void logistic_in_place(double* z, int64_t k, int64_t label, const Steps& how) {
    // Beyond this argument σ is 0 to a float.
    constexpr double kMostExponent = 700;
    for (int64_t j = 0; j < k; ++j)
        z[j] = std::min((j == label ? how.slope : -how.slope) * z[j], kMostExponent);
    exponentials(z, k);
    for (int64_t j = 0; j < k; ++j) z[j] = how.slope / (1 + z[j]);
}

// σ(z) in place.
void logistic_in_place(float* z, int64_t k, int64_t, const Steps&) {
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

Step logistic_step(double length, bool is_label, double weight, const Steps& how) {
    const double second = how.scale * length * (how.slope - length) * weight;
    return {(is_label ? -length : length) * weight, std::max(second, how.floor)};
}

Step logistic_step(float p, bool is_label, double weight, const Steps& how) {
    const float w = static_cast<float>(weight);
    const float second = static_cast<float>(how.scale) * p * (1.0f - p);
    return {(is_label ? p - 1.0f : p) * w, std::max(second, static_cast<float>(how.floor)) * w};
}

template <class Real>
void steps_in(const LabelledRows& rows, const Steps& out) {
    const int64_t k = rows.scores.k;
    const bool is_softmax = rows.link == Link::softmax;
    for_each_row<Real>(rows, [&](int64_t i, Real* z, int64_t label, double weight) {
        if (is_softmax)
            softmax_in_place(z, k);
        else
            logistic_in_place(z, k, label, out);
        for (int64_t j = 0; j < k; ++j) {
            const Step step = is_softmax ? softmax_step(z[j], j == label, weight, out)
                                         : logistic_step(z[j], j == label, weight, out);
            const int64_t at = i * out.row_stride + j * out.column_stride;
            out.gradient[at] = static_cast<float>(step.first);
            out.hessian[at] = static_cast<float>(step.second);
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
