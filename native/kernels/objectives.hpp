// Losses of rows of scores over classes, and their derivatives with respect to the scores.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/column.hpp"
#include "kernels/threads.hpp"

namespace karat {

// How scores become probabilities: one distribution over all classes (softmax), or one for each
// class or label by itself (logistic).
enum class Link { softmax, logistic };

// Scores float or double [n, k] as they lie in the caller's memory; strides in bytes.
struct ScoreRows {
    const char* data = nullptr;
    int64_t n = 0, k = 0;
    int64_t row_stride = 0, column_stride = 0;
    bool is_single = false;
};

inline double score_at(const ScoreRows& scores, int64_t row, int64_t column) {
    const char* at = scores.data + row * scores.row_stride + column * scores.column_stride;
    if (scores.is_single) {
        float value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    double value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

// Whether a number is a probability, which NaN is not.
template <class Real>
bool is_target(Real value) {
    return value >= 0 && value <= 1;
}

struct LabelledRows {
    ScoreRows scores;
    Column labels;                    // class of each row
    ScoreRows targets;                // with data: in place of labels, [n, k] in [0, 1]; logistic
    const double* weights = nullptr;  // n contiguous; null: every row weighs 1
    Link link = Link::softmax;
    int n_threads = 0;
    Poll poll = nullptr;
};

// Where the results of differentiate() go, all in C order; hessian is [n, k] or [n, k, k].
struct Derivatives {
    double* loss;
    double* gradient;
    double* hessian;
    bool is_diagonal;
};

// The truth of a row: one class, or where targets is given a probability of each of k labels.
struct Truth {
    int64_t label;
    const double* targets = nullptr;
};

// Loss −log p[label] of each row under softmax, or under logistic the mean over the classes or
// labels of their two-class losses; gradient and Hessian of that loss, under logistic of the sum
// over the classes. All times the weight of the row.
//
// Nothing is lost at the ends: 1 − p is computed from what is left, never as a difference, so that
// a loss of 1e-300 and scores 1000 apart keep full precision.
//
// Throws Rejected, for the first bad row: pred "bad_score" when a score is not finite, truth
// "range" for a label outside [0, k) or a target outside [0, 1], weights "bad_weight" or
// "negative_weight".
void differentiate(const LabelledRows& rows, const Derivatives& out);

// The same of one row, whose truth the caller has checked. Returns the loss.
double differentiate_row(const double* scores, int64_t k, const Truth& truth, double weight,
                         Link link, double* gradient, double* hessian, bool is_diagonal);

// What a boosting library would itself compute: float derivatives, in its own arithmetic.
//
// Why: sums of rounded terms decide between equal splits. Only the same rounding gives the same
// trees, so here 1 − p is a difference, as there.
struct Steps {
    float* gradient;
    float* hessian;
    int64_t row_stride, column_stride;  // in items, of both
    double slope;                       // of the logistic function; double arithmetic only
    double scale, floor;                // second derivative: max(scale · p(1 − p) · w, floor)
    bool is_single;                     // float arithmetic; logistic floors before weighting
};

// Throws Rejected as differentiate() does.
void host_steps(const LabelledRows& rows, const Steps& out);

}  // namespace karat
