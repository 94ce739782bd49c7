// karat._native: PairScores, weigh_scores, copy_columns.
#include <optional>
#include <vector>

#include "bind/score_arrays.hpp"
#include "kernels/copy_columns.hpp"
#include "kernels/pair_scores.hpp"

namespace karat {
namespace {

class Pairs {
public:
    Pairs(nb::handle values, nb::handle codes, nb::handle weights)
        : values_(values, "values", 2), scores_(scores_of(values_, true)) {
        const Input of_rows(codes, "codes", 1);
        check_length("values", values_.length(), "codes", of_rows.length());
        const int32_t* data = of_rows.int32s();
        std::optional<Input> of_weights;
        const double* given = nullptr;
        if (!weights.is_none()) {
            of_weights.emplace(weights, "weights", 1);
            check_length("values", values_.length(), "weights", of_weights->length());
            given = of_weights->doubles(true);
        }
        const Unlocked unlocked(scores_.n());
        classes_ = group_rows(data, scores_.n_rows, scores_.width);
        check_scores(scores_);
        if (given == nullptr) return;
        check_weights(given, scores_.n_rows);
        weights_.emplace();
        weights_->reserve(classes_.rows.size());
        for (const int64_t row : classes_.rows) weights_->push_back(given[row]);
    }

    nb::object weights() const {
        if (weights_) return owned(std::vector<double>(*weights_));
        return nb::none();
    }
    nb::object rows() const { return owned(std::vector<int64_t>(classes_.rows)); }
    nb::object starts() const { return owned(std::vector<int64_t>(classes_.starts)); }

    nb::object differences(int64_t i, int64_t j) const {
        if (i < 0 || j < 0 || i >= scores_.width || j >= scores_.width)
            throw nb::index_error("i and j must be classes");
        const int64_t n = classes_.starts[i + 1] - classes_.starts[i] + classes_.starts[j + 1] -
                          classes_.starts[j];
        Paged<double> out = paged<double>(n);
        {
            const Unlocked unlocked(n);
            pair_scores(scores_, classes_, i, j, out.get());
        }
        return owned(std::move(out), n);
    }

private:
    Input values_;
    Scores scores_;
    ClassRows classes_;
    std::optional<std::vector<double>> weights_;  // by class
};

nb::object weighed(nb::handle values, nb::handle cost) {
    const Input matrix(values, "values", 2), costs(cost, "cost", 2);
    const Scores scores = scores_of(matrix, true);
    const double* of_classes = costs.doubles(false);
    if (costs.length() != scores.width || costs.width() != scores.width ||
        costs.column_stride() != 8 || costs.stride() != 8 * scores.width)
        throw nb::value_error("cost must be a contiguous array [k, k]");
    std::unique_ptr<double[]> out = uninitialised<double>(scores.n());
    {
        const Unlocked unlocked(scores.n());
        weigh_scores(scores, of_classes, out.get());
    }
    return owned(std::move(out), scores.n_rows, scores.width);
}

template <class T>
nb::object copied(const Scores& scores, int64_t first, int64_t count, int n_threads) {
    std::unique_ptr<T[]> out = uninitialised<T>(scores.n_rows * count);
    {
        const Unlocked unlocked(scores.n_rows * count);
        copy_columns(scores, first, count, out.get(), n_threads, poll_signals);
    }
    return owned(std::move(out), count, scores.n_rows);
}

nb::object columns_of(nb::handle values, int64_t first, int64_t count, int n_threads) {
    const Input matrix(values, "values", 2);
    const Scores scores = scores_of(matrix, true);
    if (first < 0 || count < 0 || count > scores.width || first > scores.width - count)
        throw nb::index_error("first and count must name columns");
    if (scores.is_double) return copied<double>(scores, first, count, n_threads);
    return copied<float>(scores, first, count, n_threads);
}

}  // namespace

void bind_score_pairs(nb::module_& m) {
    nb::class_<Pairs>(m, "PairScores")
        .def(nb::init<nb::handle, nb::handle, nb::handle>(), nb::arg("values"), nb::arg("codes"),
             nb::arg("weights").none())
        .def("weights", &Pairs::weights)
        .def("rows", &Pairs::rows)
        .def("starts", &Pairs::starts)
        .def("differences", &Pairs::differences, nb::arg("i"), nb::arg("j"));
    m.def("copy_columns", columns_of, nb::arg("values"), nb::arg("first"), nb::arg("count"),
          nb::arg("n_threads"));
    m.def("weigh_scores", weighed, nb::arg("values"), nb::arg("cost"));
}

}  // namespace karat
