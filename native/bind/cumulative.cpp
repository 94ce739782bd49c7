// karat._native: PackedScores, CutScores, areas_together.
#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include <nanobind/stl/vector.h>

#include "bind/packed.hpp"
#include "kernels/rank_placements.hpp"
#include "kernels/rank_levels.hpp"
#include "kernels/rank_shares.hpp"

namespace karat {
namespace {

nb::object classes_of(Packed& packed) {
    if (packed.is_weighted()) return owned(packed.total(weigh_classes));
    return owned(packed.total(count_classes));
}

nb::object areas_of(Packed& packed) {
    if (packed.is_weighted()) return owned(packed.read(weigh_areas));
    return owned(packed.areas());
}

// Each column on one thread, as many columns at a time as there may be threads.
nb::list areas_together(const std::vector<Packed*>& columns, int n_threads) {
    for (const Packed* each : columns)
        if (each == nullptr) throw nb::type_error("a column is None");
    std::vector<Packed*> sorted = columns;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        throw nb::value_error("a column was given twice");
    std::vector<Packed::Areas> found(columns.size());
    int64_t n = 0;
    for (const Packed* each : columns) n += each->n();
    // In the order of their addresses: two such calls wait for each other in one direction.
    std::list<Turn> turns;
    for (Packed* each : sorted) turns.emplace_back(each->turns());
    {
        const Unlocked unlocked(n);
        parallel(thread_limit(n_threads), static_cast<int64_t>(columns.size()),
                 [&](int, int64_t i) { found[i] = columns[i]->areas_alone(); }, poll_for(n));
    }
    nb::list areas;
    for (Packed::Areas& each : found)
        areas.append(std::visit([](auto& values) { return owned(std::move(values)); }, each));
    return areas;
}

nb::tuple levels_of_packed(Packed& packed, int64_t last, int64_t limit) {
    if (last < 0 || last > packed.n() || limit < 1)
        throw nb::index_error("last must be a number of words, and limit at least 1");
    ScoreLevels levels =
        packed.read([&](const PackedScores& words) { return levels_of(words, last, limit); });
    const int64_t u = levels.u;
    nb::object scores = owned(std::move(levels.scores), u);
    if (packed.is_weighted())
        return nb::make_tuple(scores, owned(std::move(levels.weights), u, 2),
                              owned(std::move(levels.squares), u, 2), levels.last);
    return nb::make_tuple(scores, owned(std::move(levels.counts), u, 2), nb::none(), levels.last);
}

nb::tuple points_of(Packed& packed, bool wants_counts) {
    if (packed.is_weighted()) throw nb::value_error("rows with weights have no counts");
    ThresholdPoints points =
        packed.read([&](const PackedScores& words) { return threshold_points(words, wants_counts); });
    nb::object counts = nb::none();
    if (wants_counts) counts = owned(std::move(points.counts), points.n - 1, 2);
    return nb::make_tuple(owned(std::move(points.thresholds), points.n), owned(std::move(points.tps), points.n),
                          owned(std::move(points.fps), points.n), counts);
}

nb::tuple steps_of(Packed& packed, int64_t last, int64_t own, int64_t limit) {
    if (packed.is_weighted()) throw nb::value_error("rows with weights have no counts");
    if (last < 0 || last > packed.n() || own < 0 || own > packed.n() - last || limit < 1)
        throw nb::index_error("last must be a number of words, own one of the others, and limit at least 1");
    ThresholdSteps steps = packed.read(
        [&](const PackedScores& words) { return threshold_steps(words, last, own, limit); });
    return nb::make_tuple(owned(std::move(steps.thresholds), steps.n), owned(std::move(steps.tps), steps.n),
                          owned(std::move(steps.fps), steps.n), steps.last, steps.own);
}

nb::object spread_of(Packed& packed) {
    const PlacementSpread found =
        packed.read([](const PackedScores& words) { return placement_spread(words); });
    auto table = std::make_unique<double[]>(3 * found.sides.size());
    double* at = table.get();
    for (const SideSpread& side : found.sides)
        for (const double number : {side.weight, side.square, side.spread}) *at++ = number;
    nb::object pairs = packed.is_weighted() ? nb::cast(found.pairs) : nb::cast(found.counted);
    return nb::make_tuple(pairs, owned(std::move(table), 2, 3), found.size);
}

void add_rows(Packed& packed, nb::handle own_gains, nb::handle rest_gains, nb::handle lifts, nb::handle out) {
    const Input own(own_gains, "own_gains", 2), rest(rest_gains, "rest_gains", 2);
    const Input of_lifts(lifts, "lifts", 2), rows(out, "out", 2);
    const InfluenceGains gains{own.contiguous_rows(), rest.contiguous_rows(), of_lifts.contiguous_rows(),
                               own.length()};
    double* to = rows.accumulators();
    check_length("own_gains", own.length(), "rest_gains", rest.length());
    check_length("own_gains", own.length(), "lifts", of_lifts.length());
    check_length("out", rows.length(), "the rows", packed.n_rows());
    if (own.width() != packed.k() || rest.width() != packed.k() || of_lifts.width() != 2 ||
        rows.width() != own.length())
        throw nb::value_error("gains must be [m, k], lifts [m, 2] and out [n, m]");
    if (!has_lifts(gains)) {
        packed.read([&](const PackedScores& words) {
            add_influences(words, gains, nullptr, to);
            return 0;
        });
        return;
    }
    packed.read_lifts([&](const PackedScores& words, ShareLifts& of_words) {
        add_influences(words, gains, &of_words, to);
        return 0;
    });
}

nb::object squares_of(Packed& packed) {
    const auto found = packed.read_lifts([](const PackedScores&, ShareLifts& lifts) { return lift_squares(lifts); });
    auto table = std::make_unique<double[]>(4);
    double* at = table.get();
    for (const auto& kind : found)
        for (const double side : kind) *at++ = side;
    return owned(std::move(table), 2, 2);
}

}  // namespace

void bind_cumulative(nb::module_& m) {
    nb::class_<Cut>(m, "CutScores")
        .def_prop_ro("words", [](nb::handle self) { return nb::cast<Cut&>(self).words(self); })
        .def("sort", &Cut::sort)
        .def("areas", &Cut::areas);
    nb::class_<Packed>(m, "PackedScores")
        .def_prop_ro("n_items", &Packed::n)
        .def_prop_ro("words", [](nb::handle self) { return nb::cast<Packed&>(self).words(self); })
        .def("sort", &Packed::sort)
        .def("settle", &Packed::settle)
        .def("cut", &Packed::cut)
        .def("classes", classes_of)
        .def("areas", areas_of)
        .def("step_area", [](Packed& packed) { return packed.share_area(step_area); })
        .def("trapezoid_area", [](Packed& packed) { return packed.share_area(trapezoid_area); })
        .def("levels", levels_of_packed, nb::arg("last"), nb::arg("limit"))
        .def("points", points_of, nb::arg("wants_counts"))
        .def("steps", steps_of, nb::arg("last"), nb::arg("own"), nb::arg("limit"))
        .def("spread", spread_of)
        .def("add_influences", add_rows, nb::arg("own_gains"), nb::arg("rest_gains"),
             nb::arg("lifts"), nb::arg("out"))
        .def("lift_squares", squares_of);
    m.def("thread_limit", thread_limit, nb::arg("n_threads"));
    m.def("areas_together", areas_together, nb::arg("columns"), nb::arg("n_threads"));
    m.def(
        "pack_scores",
        [](nb::handle values, nb::handle codes, int64_t own, int64_t k, nb::handle weights,
           int n_threads, bool wants_rows) {
            return new Packed(values, codes, own, k, weights, false, n_threads, wants_rows);
        },
        nb::arg("values"), nb::arg("codes"), nb::arg("own"), nb::arg("k"),
        nb::arg("weights").none(), nb::arg("n_threads"), nb::arg("wants_rows") = false);
    m.def(
        "pack_cells",
        [](nb::handle values, nb::handle codes, nb::handle weights, int n_threads,
           bool wants_rows) {
            return new Packed(values, codes, 1, 2, weights, true, n_threads, wants_rows);
        },
        nb::arg("values"), nb::arg("codes"), nb::arg("weights").none(), nb::arg("n_threads"),
        nb::arg("wants_rows") = false);
}

}  // namespace karat
