// karat._native: count_integers, count_agreement, count_codes, Tally.
#include "kernels/count.hpp"

#include <optional>

#include "bind/arrays.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

// Optional float64[n] weights and the view that keeps them alive.
struct WeightInput {
    WeightInput(nb::handle object, int64_t n) {
        if (object.is_none()) return;
        input.emplace(object, "weights", 1);
        weights = {input->doubles(false), input->stride()};
        check_length("y_true", n, "weights", input->length());
    }
    std::optional<Input> input;
    Weights weights;
};

Options options_of(bool cells, int n_threads) { return {cells, n_threads, poll_signals}; }

nb::object count_integers(nb::handle y_true, nb::handle y_pred, nb::handle weights, bool cells,
                          int n_threads) {
    const Input truth(y_true, "y_true", 1), pred(y_pred, "y_pred", 1);
    check_length("y_true", truth.length(), "y_pred", pred.length());
    const WeightInput weight(weights, truth.length());
    const Column true_column = truth.integers(), pred_column = pred.integers();
    if (true_column.n == 0) throw nb::value_error("y_true has no rows");
    std::optional<Tally> tally;
    {
        const Unlocked unlocked(true_column.n);
        tally = count_discovered(true_column, pred_column, weight.weights,
                                 options_of(cells, n_threads));
    }
    if (tally) return nb::cast(std::move(*tally));
    return nb::none();
}

nb::object count_agreement_of(nb::handle y_true, nb::handle y_pred, int n_threads) {
    const Input truth(y_true, "y_true", 1), pred(y_pred, "y_pred", 1);
    check_length("y_true", truth.length(), "y_pred", pred.length());
    const Column true_column = truth.integers(), pred_column = pred.integers();
    if (true_column.n == 0) throw nb::value_error("y_true has no rows");
    std::optional<Tally> tally;
    {
        const Unlocked unlocked(true_column.n);
        tally = count_agreement(true_column, pred_column, n_threads, poll_signals);
    }
    if (tally) return nb::cast(std::move(*tally));
    return nb::none();
}

Tally count_codes(nb::handle true_codes, int64_t true_base, nb::handle true_lut,
                  nb::handle pred_codes, int64_t pred_base, nb::handle pred_lut, int64_t k,
                  nb::handle weights, bool cells, int n_threads) {
    const Input truth(true_codes, "true_codes", 1), pred(pred_codes, "pred_codes", 1);
    check_length("true_codes", truth.length(), "pred_codes", pred.length());
    const WeightInput weight(weights, truth.length());
    std::optional<Input> true_table, pred_table;
    Codes of_truth{truth.integers(), true_base, nullptr, 0},
        of_pred{pred.integers(), pred_base, nullptr, 0};
    if (!true_lut.is_none()) {
        true_table.emplace(true_lut, "true_lut", 1);
        of_truth.lut = true_table->int32s();
        of_truth.n_lut = true_table->length();
    }
    if (!pred_lut.is_none()) {
        pred_table.emplace(pred_lut, "pred_lut", 1);
        of_pred.lut = pred_table->int32s();
        of_pred.n_lut = pred_table->length();
    }
    const Unlocked unlocked(truth.length());
    return count_declared(of_truth, of_pred, k, weight.weights, options_of(cells, n_threads));
}

// Views of a tally, which stays alive as long as they do.
template <class T>
nb::object square(nb::handle self, std::vector<T>& values, int64_t k) {
    return array_over(values.data(), nb::dtype<T>(), {k, k}, self);
}

template <class T>
nb::object three(nb::handle self, std::vector<T>& a, std::vector<T>& b, std::vector<T>& c) {
    return nb::make_tuple(view(self, a), view(self, b), view(self, c));
}

void require(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

}  // namespace

void bind_count(nb::module_& m) {
    nb::class_<Tally>(m, "Tally")
        .def_ro("k", &Tally::k)
        .def_ro("n_rows", &Tally::n_rows)
        .def_ro("weighted", &Tally::weighted)
        .def_ro("has_cells", &Tally::has_cells)
        .def_prop_ro("labels",
                     [](nb::handle self) -> nb::object {
                         Tally& tally = nb::cast<Tally&>(self);
                         if (tally.discovered) return view(self, tally.labels);
                         return nb::none();
                     })
        .def("cells",
             [](nb::handle self) {
                 Tally& tally = nb::cast<Tally&>(self);
                 require(tally.has_cells, "this tally has no cells");
                 if (tally.weighted) return square(self, tally.sums, tally.k);
                 return square(self, tally.counts, tally.k);
             })
        .def("squares",
             [](nb::handle self) {
                 Tally& tally = nb::cast<Tally&>(self);
                 require(tally.has_cells && tally.weighted, "this tally has no weighted cells");
                 return square(self, tally.squares, tally.k);
             })
        .def("marginals",
             [](nb::handle self) {
                 Tally& tally = nb::cast<Tally&>(self);
                 if (tally.weighted) return three(self, tally.tp_w, tally.fp_w, tally.fn_w);
                 return three(self, tally.tp, tally.fp, tally.fn);
             })
        .def("marginal_rows",
             [](nb::handle self) {
                 Tally& tally = nb::cast<Tally&>(self);
                 return three(self, tally.tp, tally.fp, tally.fn);
             })
        .def("marginal_squares", [](nb::handle self) {
            Tally& tally = nb::cast<Tally&>(self);
            require(tally.weighted, "this tally has no weights");
            return three(self, tally.tp_w2, tally.fp_w2, tally.fn_w2);
        });
    m.def("count_integers", count_integers, nb::arg("y_true"), nb::arg("y_pred"),
          nb::arg("weights").none(), nb::arg("cells"), nb::arg("n_threads"));
    m.def("count_agreement", count_agreement_of, nb::arg("y_true"), nb::arg("y_pred"),
          nb::arg("n_threads"));
    m.def("count_codes", count_codes, nb::arg("true_codes"), nb::arg("true_base"),
          nb::arg("true_lut").none(), nb::arg("pred_codes"), nb::arg("pred_base"),
          nb::arg("pred_lut").none(), nb::arg("k"), nb::arg("weights").none(), nb::arg("cells"),
          nb::arg("n_threads"));
}

}  // namespace karat
