// karat._native: read_scores, ScoreSums.
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "bind/arrays.hpp"
#include "kernels/read_scores.hpp"

namespace karat {
namespace {

ScoreMatrix matrix_of(const Input& input, int64_t k) {
    ScoreMatrix made;
    made.data = input.bytes();
    made.n = input.length();
    made.k = k;
    made.row_step = input.stride();
    made.is_float32 = input.float_bytes() == 4;
    made.is_single = input.ndim() == 1;
    if (!made.is_single) made.column_step = input.column_stride();
    const int64_t found = made.is_single ? 2 : input.width();
    if (found != k)
        throw nb::value_error(
            ("values are of " + std::to_string(found) + " classes, k is " + std::to_string(k))
                .c_str());
    return made;
}

ScoreSums read(nb::handle values, nb::handle codes, int64_t k, nb::handle weights, bool is_prob,
               double tolerance, int wanted, int n_threads, int64_t n_bins, double clip) {
    const Input scores(values, "values", 1, 2), truth(codes, "codes", 1);
    const ScoreMatrix matrix = matrix_of(scores, k);
    check_length("codes", truth.length(), "values", matrix.n);
    std::optional<Input> weight;
    Weights of_rows;
    if (!weights.is_none()) {
        weight.emplace(weights, "weights", 1);
        of_rows = {weight->doubles(false), weight->stride()};
        check_length("codes", truth.length(), "weights", weight->length());
    }
    const int32_t* of_truth = truth.int32s();
    const Unlocked unlocked(matrix.n * k);
    return read_scores(matrix, of_truth, of_rows,
                       {is_prob, tolerance, wanted, n_bins, n_threads, poll_signals, clip});
}

// Views of the sums, which stay alive as long as they do.
template <std::array<double, kLosses> ScoreSums::* values>
nb::object losses(nb::handle self) {
    auto& array = nb::cast<ScoreSums&>(self).*values;
    return view(self, array.data(), kLosses);
}

template <std::vector<double> ScoreSums::* values>
nb::object bins(nb::handle self) {
    std::vector<double>& vector = nb::cast<ScoreSums&>(self).*values;
    if (vector.empty()) return nb::none();
    return view(self, vector);
}

nb::object ranks(nb::handle self) {
    ScoreSums& sums = nb::cast<ScoreSums&>(self);
    if (sums.ranks.empty() && sums.ranks_w.empty()) return nb::none();
    if (sums.weighted) return view(self, sums.ranks_w);
    return view(self, sums.ranks);
}

nb::object truth(nb::handle self) {
    ScoreSums& sums = nb::cast<ScoreSums&>(self);
    if (sums.weighted) return view(self, sums.truth_w);
    return view(self, sums.truth);
}

nb::object predicted(nb::handle self) {
    ScoreSums& sums = nb::cast<ScoreSums&>(self);
    if (sums.predicted == nullptr) return nb::none();
    return view(self, sums.predicted.get(), sums.n_rows);
}

// A loss of each row by its bit, or None.
nb::object rows_of(nb::handle self, int loss) {
    ScoreSums& sums = nb::cast<ScoreSums&>(self);
    if (loss < 0 || loss > kLosses) throw nb::index_error("loss must be the place of a bit");
    double* data = sums.of_rows[static_cast<size_t>(loss)].get();
    if (data == nullptr) return nb::none();
    return view(self, data, sums.n_rows);
}

// The mean of a loss by its bit, by weight.
double mean_of(const ScoreSums& sums, int loss) {
    if (loss < 0 || loss >= kLosses) throw nb::index_error("loss must be the place of a bit");
    if (!(sums.weight > 0)) return std::numeric_limits<double>::quiet_NaN();
    return sums.w_loss[static_cast<size_t>(loss)] / sums.weight;
}

}  // namespace

void bind_scores(nb::module_& m) {
    nb::class_<ScoreSums>(m, "ScoreSums")
        .def_ro("k", &ScoreSums::k)
        .def_ro("n_rows", &ScoreSums::n_rows)
        .def_ro("weighted", &ScoreSums::weighted)
        .def_ro("weight", &ScoreSums::weight)
        .def_ro("weight2", &ScoreSums::weight2)
        .def("mean", mean_of, nb::arg("loss"))
        .def_prop_ro("w_loss", losses<&ScoreSums::w_loss>)
        .def_prop_ro("w2_loss", losses<&ScoreSums::w2_loss>)
        .def_prop_ro("w2_loss2", losses<&ScoreSums::w2_loss2>)
        .def_prop_ro("ranks", ranks)
        .def_prop_ro("truth", truth)
        .def_prop_ro("predicted", predicted)
        .def("rows", rows_of, nb::arg("loss"))
        .def_prop_ro("bin_weight", bins<&ScoreSums::bin_weight>)
        .def_prop_ro("bin_confidence", bins<&ScoreSums::bin_confidence>)
        .def_prop_ro("bin_correct", bins<&ScoreSums::bin_correct>)
        .def_prop_ro("bin_weight2", bins<&ScoreSums::bin_weight2>);
    m.def("read_scores", read, nb::arg("values"), nb::arg("codes"), nb::arg("k"),
          nb::arg("weights").none(), nb::arg("is_prob"), nb::arg("tolerance"), nb::arg("wanted"),
          nb::arg("n_threads"), nb::arg("n_bins") = 15, nb::arg("clip") = 0.0);
}

}  // namespace karat
