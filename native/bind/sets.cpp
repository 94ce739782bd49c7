// karat._native: read_sets, count_sets, match_sets, group_profiles, place_labels, place_listed.
#include <nanobind/stl/optional.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "bind/tables.hpp"
#include "kernels/count_sets.hpp"
#include "kernels/group_profiles.hpp"
#include "kernels/match_sets.hpp"
#include "kernels/place_labels.hpp"
#include "kernels/read_sets.hpp"

namespace karat {
namespace {

constexpr int64_t kMostLabels = std::numeric_limits<int32_t>::max();

void check_labels(int64_t k) {
    if (k < 0 || k > kMostLabels) throw std::invalid_argument("the number of labels must be below 2^31");
}

nb::object owned_sets(SetLists& lists) {
    return nb::make_tuple(owned(std::move(lists.starts)), owned(std::move(lists.items)));
}

nb::tuple sets_of_matrix(nb::handle matrix, int n_threads) {
    const Input cells(matrix, "matrix", 2);
    check_labels(cells.width());
    const Indicator indicator{cells.bytes(),  cells.length(),        cells.width(),
                              cells.stride(), cells.column_stride(), cells.cell_kind()};
    ReadSets found;
    {
        const Unlocked unlocked(indicator.k == 0 ? 0 : indicator.n);
        found = read_sets(indicator, n_threads, poll_signals);
    }
    nb::object unknown = nb::none(), others = nb::none();
    if (!found.unknown.starts.empty()) unknown = owned_sets(found.unknown);
    if (found.n_others > 0) others = nb::make_tuple(found.row, found.column, found.n_others);
    return nb::make_tuple(owned_sets(found.ones), unknown, others);
}

// Sets of rows, and the arrays that hold them.
class SetsInput {
public:
    SetsInput(nb::handle starts, nb::handle items) : starts_(starts, "starts", 1), items_(items, "items", 1) {
        view_ = {starts_.int64s(), items_.int32s(), starts_.length() - 1, items_.length()};
        if (view_.n < 0) throw nb::value_error("starts has no end");
    }
    const SetsView& view() const { return view_; }

private:
    Input starts_, items_;
    SetsView view_;
};

// Sets of unknown labels, of as many rows as others have.
class UnknownInput {
public:
    UnknownInput(nb::handle starts, nb::handle items, int64_t n) {
        if (starts.is_none()) return;
        sets_.emplace(starts, items);
        check_length("true sets", n, "unknown sets", sets_->view().n);
    }
    const SetsView* view() const { return sets_ ? &sets_->view() : nullptr; }

private:
    std::optional<SetsInput> sets_;
};

nb::tuple counts_of_sets(nb::handle true_starts, nb::handle true_items, nb::handle pred_starts,
                         nb::handle pred_items, nb::handle unknown_starts, nb::handle unknown_items, int64_t k,
                         nb::handle weights, int n_threads) {
    const SetsInput truth(true_starts, true_items), pred(pred_starts, pred_items);
    const int64_t n = truth.view().n;
    check_labels(k);
    check_length("true sets", n, "predicted sets", pred.view().n);
    const UnknownInput unknown(unknown_starts, unknown_items, n);
    std::optional<Input> of_weights;
    const double* given = nullptr;
    if (!weights.is_none()) {
        of_weights.emplace(weights, "weights", 1);
        check_length("true sets", n, "weights", of_weights->length());
        given = of_weights->doubles(true);
    }
    const auto size = static_cast<size_t>(4 * k);
    auto rows = std::make_unique<int64_t[]>(size);
    auto hits = std::make_unique<int64_t[]>(static_cast<size_t>(n));
    std::unique_ptr<double[]> sums, squares;
    if (given != nullptr) {
        sums = std::make_unique<double[]>(size);
        squares = std::make_unique<double[]>(size);
    }
    {
        const Unlocked unlocked(truth.view().m + pred.view().m);
        count_sets(truth.view(), pred.view(), unknown.view(), given, k,
                   {rows.get(), sums.get(), squares.get()}, hits.get(), n_threads, poll_signals);
    }
    const nb::object counts = owned(std::move(rows), 4, k), of_rows = owned(std::move(hits), n);
    if (given == nullptr) return nb::make_tuple(counts, of_rows, nb::none(), nb::none());
    return nb::make_tuple(counts, of_rows, owned(std::move(sums), 4, k), owned(std::move(squares), 4, k));
}

nb::tuple matches_of_sets(nb::handle left_starts, nb::handle left_items, nb::handle right_starts,
                          nb::handle right_items, int64_t k) {
    const SetsInput left(left_starts, left_items), right(right_starts, right_items);
    check_labels(k);
    check_length("left sets", left.view().n, "right sets", right.view().n);
    auto in_right = std::make_unique<bool[]>(static_cast<size_t>(left.view().m)),
         in_left = std::make_unique<bool[]>(static_cast<size_t>(right.view().m));
    {
        const Unlocked unlocked(left.view().m + right.view().m);
        match_sets(left.view(), right.view(), k, in_right.get(), in_left.get());
    }
    return nb::make_tuple(owned(std::move(in_right), left.view().m), owned(std::move(in_left), right.view().m));
}

using Weights = std::optional<In<double, 1>>;

nb::tuple grouped(In<int64_t, 2> profiles, In<int64_t, 1> rows, Weights weights, Weights squares) {
    const size_t m = rows.shape(0);
    if (profiles.shape(0) != m || profiles.shape(1) != 4)
        throw std::invalid_argument("profiles is not int64[m, 4]");
    if (weights.has_value() != squares.has_value()) throw std::invalid_argument("weights and squares come together");
    if (weights && (weights->shape(0) != m || squares->shape(0) != m))
        throw std::invalid_argument("weights or squares do not match the profiles");
    Profiles found;
    {
        const Unlocked unlocked(static_cast<int64_t>(m));
        found = group_profiles(profiles.data(), rows.data(), weights ? weights->data() : nullptr,
                               squares ? squares->data() : nullptr, static_cast<int64_t>(m));
    }
    const auto p = static_cast<int64_t>(found.rows.size());
    auto numbers = std::make_unique<int64_t[]>(found.numbers.size());
    std::copy(found.numbers.begin(), found.numbers.end(), numbers.get());
    const nb::object of_groups = owned(std::move(numbers), p, 4), counted = owned(std::move(found.rows));
    if (!weights) return nb::make_tuple(of_groups, counted, nb::none(), nb::none());
    return nb::make_tuple(of_groups, counted, owned(std::move(found.weights)), owned(std::move(found.squares)));
}

constexpr int64_t kPlaces = 5;

// Calls place(places) and gives int32[5, m] of the true labels and int32[n] of the rows.
template <class Place>
nb::tuple placed(const SetsView& truth, int64_t n_scores, const Place& place) {
    auto of_labels = std::make_unique<int32_t[]>(static_cast<size_t>(kPlaces * truth.m));
    auto of_rows = std::make_unique<int32_t[]>(static_cast<size_t>(truth.n));
    int32_t* at = of_labels.get();
    const int64_t m = truth.m;
    const LabelPlaces places{at, at + m, at + 2 * m, at + 3 * m, at + 4 * m, of_rows.get()};
    {
        const Unlocked unlocked(n_scores);
        place(places);
    }
    return nb::make_tuple(owned(std::move(of_labels), kPlaces, m), owned(std::move(of_rows), truth.n));
}

nb::tuple places_of_labels(nb::handle scores, nb::handle true_starts, nb::handle true_items,
                           nb::handle unknown_starts, nb::handle unknown_items, int n_threads) {
    const Input values(scores, "scores", 2);
    const int64_t item = values.float_bytes(), n = values.length(), k = values.width();
    check_labels(k);
    if (k > 1 && values.column_stride() != item) throw nb::value_error("scores has no contiguous rows");
    const SetsInput truth(true_starts, true_items);
    check_length("scores", n, "true sets", truth.view().n);
    const UnknownInput unknown(unknown_starts, unknown_items, n);
    const ScoreMatrix matrix{values.bytes(), n, k, values.stride(), item};
    return placed(truth.view(), n * k, [&](const LabelPlaces& places) {
        place_labels(matrix, truth.view(), unknown.view(), places, n_threads, poll_signals);
    });
}

nb::tuple places_of_listed(nb::handle starts, nb::handle items, nb::handle scores, nb::handle true_starts,
                           nb::handle true_items, nb::handle unknown_starts, nb::handle unknown_items, int64_t k,
                           int n_threads) {
    const SetsInput listed(starts, items), truth(true_starts, true_items);
    const Input values(scores, "scores", 1);
    check_labels(k);
    check_length("items", listed.view().m, "scores", values.length());
    check_length("listed sets", listed.view().n, "true sets", truth.view().n);
    const UnknownInput unknown(unknown_starts, unknown_items, truth.view().n);
    const ScoreLists lists{listed.view(), values.doubles(true), k};
    return placed(truth.view(), listed.view().m, [&](const LabelPlaces& places) {
        place_listed(lists, truth.view(), unknown.view(), places, n_threads, poll_signals);
    });
}

}  // namespace

void bind_sets(nb::module_& m) {
    using namespace nanobind::literals;
    m.def("read_sets", sets_of_matrix, "matrix"_a, "n_threads"_a);
    m.def("count_sets", counts_of_sets, "true_starts"_a, "true_items"_a, "pred_starts"_a, "pred_items"_a,
          "unknown_starts"_a.none(), "unknown_items"_a.none(), "k"_a, "weights"_a.none(), "n_threads"_a);
    m.def("match_sets", matches_of_sets, "left_starts"_a, "left_items"_a, "right_starts"_a, "right_items"_a, "k"_a);
    m.def("group_profiles", grouped, nb::arg("profiles").noconvert(), nb::arg("rows").noconvert(),
          nb::arg("weights").noconvert().none(), nb::arg("squares").noconvert().none());
    m.def("place_labels", places_of_labels, "scores"_a, "true_starts"_a, "true_items"_a, "unknown_starts"_a.none(),
          "unknown_items"_a.none(), "n_threads"_a);
    m.def("place_listed", places_of_listed, "starts"_a, "items"_a, "scores"_a, "true_starts"_a, "true_items"_a,
          "unknown_starts"_a.none(), "unknown_items"_a.none(), "k"_a, "n_threads"_a);
}

}  // namespace karat
