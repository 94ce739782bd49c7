// karat._native: PackedScores, PairScores, weigh_scores, copy_columns.
#include <limits>
#include <optional>

#include "bind/arrays.hpp"
#include "kernels/copy_columns.hpp"
#include "kernels/pack_scores.hpp"
#include "kernels/pair_scores.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_placements.hpp"
#include "kernels/rank_rungs.hpp"
#include "kernels/rank_shares.hpp"

namespace karat {
namespace {

constexpr int64_t kItemsForPoll = int64_t{1} << 24;

Scores scores_of(const Input& values, bool is_matrix) {
    return {values.bytes(),
            values.length(),
            is_matrix ? values.width() : 1,
            values.stride(),
            is_matrix ? values.column_stride() : 0,
            values.float_bytes() == 8};
}

// Words and, where they name rows, the arrays that these are rows of.
class Packed {
public:
    Packed(nb::handle values, nb::handle codes, int64_t own, int64_t k, nb::handle weights,
           bool is_pooled, int n_threads, bool wants_rows)
        : values_(std::in_place, values, "values", is_pooled ? 2 : 1),
          codes_(std::in_place, codes, "codes", 1) {
        check_length("values", values_->length(), "codes", codes_->length());
        RankTask task{scores_of(*values_, is_pooled), codes_->int32s(), nullptr, k, own, is_pooled,
                      wants_rows};
        if (!weights.is_none()) {
            weights_.emplace(weights, "weights", 1);
            check_length("values", values_->length(), "weights", weights_->length());
            task.weights = weights_->doubles(true);
        }
        {
            const Unlocked unlocked(task.n());
            packed_ =
                pack_scores(task, n_threads, task.n() < kItemsForPoll ? nullptr : poll_signals);
        }
        if (packed_.layout.has_rows) return;
        values_.reset();
        codes_.reset();
    }

    bool is_weighted() const { return packed_.task.weights != nullptr; }
    int64_t n() const { return packed_.task.n(); }
    int64_t n_rows() const { return packed_.task.scores.n_rows; }
    int64_t k() const { return packed_.task.k; }

    nb::object words(nb::handle self) {
        return packed_.layout.is_wide ? view(packed_.wide.get(), self)
                                      : view(packed_.narrow.get(), self);
    }

    // What a function of the words returns.
    template <class Read>
    auto read(const Read& read) {
        const Unlocked unlocked(packed_.task.n());
        return read(packed_);
    }

private:
    template <class T>
    nb::object view(T* words, nb::handle self) const {
        return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(
            words, {static_cast<size_t>(packed_.task.n())}, self));
    }

    std::optional<Input> values_, codes_, weights_;
    PackedScores packed_;
};

nb::object classes_of(Packed& packed) {
    return packed.is_weighted() ? owned(packed.read(weigh_classes))
                                : owned(packed.read(count_classes));
}

nb::object areas_of(Packed& packed) {
    return packed.is_weighted() ? owned(packed.read(weigh_areas)) : owned(packed.read(count_areas));
}

nb::object rungs_of_packed(Packed& packed, int64_t last, int64_t limit) {
    if (last < 0 || last > packed.n() || limit < 1)
        throw nb::index_error("last must be a number of words, and limit at least 1");
    Rungs rungs =
        packed.read([&](const PackedScores& words) { return rungs_of(words, last, limit); });
    const int64_t u = rungs.u;
    nb::object scores = owned(std::move(rungs.scores), u), squares = nb::none();
    if (packed.is_weighted()) squares = owned(std::move(rungs.squares), u, 2);
    nb::object counts = packed.is_weighted() ? owned(std::move(rungs.weights), u, 2)
                                             : owned(std::move(rungs.counts), u, 2);
    return nb::make_tuple(scores, counts, squares, rungs.last);
}

nb::object spread_of(Packed& packed) {
    const PlacementSpread found = packed.read(placement_spread);
    std::vector<double> sides;
    for (const SideSpread& side : found.sides)
        sides.insert(sides.end(), {side.weight, side.square, side.spread});
    std::unique_ptr<double[]> table(new double[sides.size()]);
    std::copy(sides.begin(), sides.end(), table.get());
    nb::object pairs = packed.is_weighted() ? nb::cast(found.pairs) : nb::cast(found.counted);
    return nb::make_tuple(pairs, owned(std::move(table), 2, 3), found.size);
}

void place_rows(Packed& packed, nb::handle own_gains, nb::handle rest_gains, nb::handle out) {
    const Input own(own_gains, "own_gains", 2), rest(rest_gains, "rest_gains", 2);
    const Input rows(out, "out", 2);
    const double *of_own = own.contiguous_rows(), *of_rest = rest.contiguous_rows();
    double* to = rows.accumulators();
    check_length("own_gains", own.length(), "out", rows.length());
    check_length("rest_gains", rest.length(), "out", rows.length());
    if (own.width() != packed.k() || rest.width() != packed.k() || rows.width() != packed.n_rows())
        throw nb::value_error("gains must be [m, k] and out [m, n]");
    packed.read([&](const PackedScores& words) {
        add_placements(words, of_own, of_rest, rows.length(), to);
        return 0;
    });
}

void lift_rows(Packed& packed, bool is_straight, double gain, nb::handle out) {
    const Input rows(out, "out", 1);
    double* to = rows.accumulators();
    if (rows.length() != packed.n_rows()) throw nb::value_error("out must be [n]");
    packed.read([&](const PackedScores& words) {
        add_lifts(words, is_straight, gain, to);
        return 0;
    });
}

nb::object squares_of(Packed& packed, bool is_straight) {
    const auto found =
        packed.read([&](const PackedScores& words) { return lift_squares(words, is_straight); });
    return owned(std::vector<double>(found.begin(), found.end()));
}

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
        return weights_ ? owned(std::vector<double>(*weights_)) : nb::none();
    }
    nb::object rows() const { return owned(std::vector<int64_t>(classes_.rows)); }
    nb::object starts() const { return owned(std::vector<int64_t>(classes_.starts)); }

    nb::object differences(int64_t i, int64_t j) const {
        if (i < 0 || j < 0 || i >= scores_.width || j >= scores_.width)
            throw nb::index_error("i and j must be classes");
        const int64_t n = classes_.starts[i + 1] - classes_.starts[i] + classes_.starts[j + 1] -
                          classes_.starts[j];
        std::unique_ptr<double[]> out = uninitialised<double>(n);
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
    return scores.is_double ? copied<double>(scores, first, count, n_threads)
                            : copied<float>(scores, first, count, n_threads);
}

}  // namespace

void bind_ladder(nb::module_& m) {
    nb::class_<Packed>(m, "PackedScores")
        .def_prop_ro("words", [](nb::handle self) { return nb::cast<Packed&>(self).words(self); })
        .def("settle", [](Packed& packed) { packed.read(settle); })
        .def("classes", classes_of)
        .def("areas", areas_of)
        .def("step_area", [](Packed& packed) { return packed.read(step_area); })
        .def("trapezoid_area", [](Packed& packed) { return packed.read(trapezoid_area); })
        .def("rungs", rungs_of_packed, nb::arg("last"), nb::arg("limit"))
        .def("spread", spread_of)
        .def("add_placements", place_rows, nb::arg("own_gains"), nb::arg("rest_gains"),
             nb::arg("out"))
        .def("add_lifts", lift_rows, nb::arg("is_straight"), nb::arg("gain"), nb::arg("out"))
        .def("lift_squares", squares_of, nb::arg("is_straight"));
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
