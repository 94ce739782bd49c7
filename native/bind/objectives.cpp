// karat._native: objective_rows, objective_row, objective_steps.
#include "kernels/objectives.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

constexpr int64_t kMostClasses = int64_t{1} << 28;  // whose square is far from the end of int64
constexpr char kOtherColumns[] = "targets have other columns than the scores";

// A borrowed float32 or float64 matrix of any strides.
class ScoreInput {
public:
    ScoreInput(nb::handle object, const char* name, int ndim) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
            PyErr_Clear();
            throw nb::type_error((std::string(name) + " must be a NumPy array").c_str());
        }
        const std::string format = view_.format == nullptr ? "B" : view_.format;
        if (view_.ndim != ndim || (format != "f" && format != "d")) {
            PyBuffer_Release(&view_);
            throw nb::type_error((std::string(name) + " must be a float32 or float64 array of " +
                                  std::to_string(ndim) + " dimension(s)")
                                     .c_str());
        }
    }
    ScoreInput(const ScoreInput&) = delete;
    ScoreInput& operator=(const ScoreInput&) = delete;
    ~ScoreInput() { PyBuffer_Release(&view_); }

    // A vector is one row.
    ScoreRows rows() const {
        const bool is_vector = view_.ndim == 1;
        return {static_cast<const char*>(view_.buf),
                is_vector ? 1 : view_.shape[0],
                is_vector ? view_.shape[0] : view_.shape[1],
                is_vector ? 0 : view_.strides[0],
                view_.strides[is_vector ? 0 : 1],
                view_.itemsize == 4};
    }

private:
    Py_buffer view_{};
};

// 0 of what is no array.
int ndim_of(nb::handle object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        PyErr_Clear();
        return 0;
    }
    const int ndim = view.ndim;
    PyBuffer_Release(&view);
    return ndim;
}

// The arguments that every kernel here reads, kept alive. Labels are integers [n], or under the
// logistic link targets, floats [n, k].
class RowsInput {
public:
    RowsInput(nb::handle scores, nb::handle labels, nb::handle weights, bool is_one_vs_all,
              int n_threads)
        : scores_(scores, "scores", 2) {
        rows.scores = scores_.rows();
        if (is_one_vs_all && ndim_of(labels) == 2) {
            rows.targets = targets_.emplace(labels, "targets", 2).rows();
            check_length("scores", rows.scores.n, "targets", rows.targets.n);
            if (rows.targets.k != rows.scores.k) throw nb::value_error(kOtherColumns);
        } else {
            labels_.emplace(labels, "labels", 1);
            check_length("scores", rows.scores.n, "labels", labels_->length());
            rows.labels = labels_->integers();
        }
        if (!weights.is_none()) {
            weights_.emplace(weights, "weights", 1);
            check_length("scores", rows.scores.n, "weights", weights_->length());
            rows.weights = weights_->doubles(true);
        }
        if (rows.scores.n < 1 || rows.scores.k < 1) throw nb::value_error("scores are empty");
        rows.link = is_one_vs_all ? Link::logistic : Link::softmax;
        rows.n_threads = n_threads;
        rows.poll = poll_signals;
    }

    LabelledRows rows;

private:
    ScoreInput scores_;
    std::optional<Input> labels_;
    std::optional<ScoreInput> targets_;
    std::optional<Input> weights_;
};

// A new array of NumPy, which asks for large pages: half of the time of a large call otherwise.
template <class T>
struct Output {
    explicit Output(const nb::tuple& shape)
        : array(nb::module_::import_("numpy").attr("empty")(shape, sizeof(T) == 4 ? "f4" : "f8")),
          data(nb::cast<nb::ndarray<T, nb::c_contig>>(array).data()) {}
    nb::object array;
    T* data;
};

nb::object objective_rows(nb::handle scores, nb::handle labels, nb::handle weights,
                          bool is_one_vs_all, bool is_diagonal, int n_threads) {
    const RowsInput input(scores, labels, weights, is_one_vs_all, n_threads);
    const int64_t n = input.rows.scores.n, k = input.rows.scores.k;
    const Output<double> loss(nb::make_tuple(n)), gradient(nb::make_tuple(n, k)),
        hessian(is_diagonal ? nb::make_tuple(n, k) : nb::make_tuple(n, k, k));
    {
        const Unlocked unlocked(n * k);
        differentiate(input.rows, {loss.data, gradient.data, hessian.data, is_diagonal});
    }
    return nb::make_tuple(loss.array, gradient.array, hessian.array);
}

nb::list listed(const double* values, int64_t n) {
    nb::list list;
    for (int64_t i = 0; i < n; ++i) list.append(values[i]);
    return list;
}

// The truth is a label, or under the logistic link the targets of the row.
nb::object objective_row(nb::handle scores, nb::handle truth, double weight, bool is_one_vs_all) {
    const ScoreInput input(scores, "scores", 1);
    const ScoreRows row = input.rows();
    const int64_t k = row.k;
    if (k > kMostClasses) throw nb::value_error("a Hessian of so many classes fits no memory");
    std::optional<ScoreInput> targets;
    int64_t label = 0;
    if (is_one_vs_all && ndim_of(truth) == 1) {
        if (targets.emplace(truth, "targets", 1).rows().k != k)
            throw nb::value_error(kOtherColumns);
    } else if (!nb::try_cast(truth, label)) {
        throw nb::type_error("the truth must be a label, or an array of targets");
    } else if (label < 0 || label >= k) {
        throw Rejected("range", Argument::truth, 0);
    }
    std::vector<double> values(static_cast<size_t>(k * (k + 3)));
    double *z = values.data(), *y = z + k, *gradient = y + k, *hessian = gradient + k;
    for (int64_t j = 0; j < k; ++j) {
        z[j] = score_at(row, 0, j);
        if (!std::isfinite(z[j])) throw Rejected("bad_score", Argument::pred, 0);
    }
    for (int64_t j = 0; targets && j < k; ++j) {
        y[j] = score_at(targets->rows(), 0, j);
        if (!is_target(y[j])) throw Rejected("range", Argument::truth, 0);
    }
    const Link link = is_one_vs_all ? Link::logistic : Link::softmax;
    const double loss = differentiate_row(z, k, {label, targets ? y : nullptr}, weight, link,
                                          gradient, hessian, false);
    nb::list matrix;
    for (int64_t i = 0; i < k; ++i) matrix.append(listed(hessian + i * k, k));
    return nb::make_tuple(loss, listed(gradient, k), matrix);
}

nb::object objective_steps(nb::handle scores, nb::handle labels, nb::handle weights,
                           bool is_one_vs_all, bool is_single, bool is_by_column, double slope,
                           double scale, double floor, int n_threads) {
    const RowsInput input(scores, labels, weights, is_one_vs_all, n_threads);
    const int64_t n = input.rows.scores.n, k = input.rows.scores.k;
    if (is_single && !input.rows.scores.is_single)
        throw nb::type_error("float32 arithmetic needs float32 scores");
    const nb::tuple shape = is_by_column ? nb::make_tuple(k, n) : nb::make_tuple(n, k);
    const Output<float> gradient(shape), hessian(shape);
    {
        const Unlocked unlocked(n * k);
        host_steps(input.rows, {gradient.data, hessian.data, is_by_column ? 1 : k,
                                is_by_column ? n : 1, slope, scale, floor, is_single});
    }
    if (!is_by_column) return nb::make_tuple(gradient.array, hessian.array);
    return nb::make_tuple(gradient.array.attr("T"), hessian.array.attr("T"));
}

}  // namespace

void bind_objectives(nb::module_& m) {
    m.def("objective_rows", objective_rows, nb::arg("scores"), nb::arg("labels"),
          nb::arg("weights").none(), nb::arg("is_one_vs_all"), nb::arg("is_diagonal"),
          nb::arg("n_threads"));
    m.def("objective_row", objective_row, nb::arg("scores"), nb::arg("truth"), nb::arg("weight"),
          nb::arg("is_one_vs_all"));
    m.def("objective_steps", objective_steps, nb::arg("scores"), nb::arg("labels"),
          nb::arg("weights").none(), nb::arg("is_one_vs_all"), nb::arg("is_single"),
          nb::arg("is_by_column"), nb::arg("slope"), nb::arg("scale"), nb::arg("floor"),
          nb::arg("n_threads"));
}

}  // namespace karat
