// karat._native: PackedScores, CutScores.
#include <memory>
#include <optional>
#include <vector>

#include "bind/score_arrays.hpp"
#include "kernels/pack_scores.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_placements.hpp"
#include "kernels/rank_prefixes.hpp"
#include "kernels/rank_rungs.hpp"
#include "kernels/rank_shares.hpp"
#include "kernels/slice_words.hpp"

namespace karat {
namespace {

constexpr int64_t kItemsForPoll = int64_t{1} << 24;

// What rows are given as.
struct Arrays {
    Arrays(nb::handle values_, nb::handle codes_, nb::handle weights_, bool is_pooled)
        : values(values_, "values", is_pooled ? 2 : 1), codes(codes_, "codes", 1) {
        check_length("values", values.length(), "codes", codes.length());
        if (weights_.is_none()) return;
        weights.emplace(weights_, "weights", 1);
        check_length("values", values.length(), "weights", weights->length());
    }

    Input values, codes;
    std::optional<Input> weights;
};

template <class T>
nb::object view(T* words, int64_t n, nb::handle owner) {
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(words, {static_cast<size_t>(n)}, owner));
}

Poll poll_for(int64_t n) { return n < kItemsForPoll ? nullptr : poll_signals; }

nb::object view_of(PackedScores& packed, nb::handle owner) {
    return packed.layout.is_wide ? view(packed.wide.get(), packed.task.n(), owner)
                                 : view(packed.narrow.get(), packed.task.n(), owner);
}

// Makes the words, if nobody has asked for them, and has NumPy sort them: it is as fast as any, and
// lets other threads run meanwhile.
void sort_words(PackedScores& packed, nb::handle owner, int n_threads) {
    const int64_t n = packed.task.n();
    std::vector<int64_t> starts;
    {
        const Unlocked unlocked(n);
        starts = slice_words(packed, n_threads, poll_for(n));
    }
    const nb::object words = view_of(packed, owner);
    if (starts.size() < 3) {
        words.attr("sort")();
        return;
    }
    std::vector<nb::object> slices;
    for (size_t i = 1; i < starts.size(); ++i)
        slices.push_back(words[nb::slice(starts[i - 1], starts[i])]);
    const Unlocked unlocked(n);
    const auto sort = [&](int, int64_t i) {
        const nb::gil_scoped_acquire locked;
        slices[static_cast<size_t>(i)].attr("sort")();
    };
    parallel(thread_limit(n_threads), static_cast<int64_t>(slices.size()), sort, poll_for(n));
}

void check_words(const PackedScores& packed) {
    if (!packed.has_words) throw nb::value_error("nobody has asked for the words");
}

// Words of half the size, while they are sorted and read.
class Cut {
public:
    Cut(std::shared_ptr<Arrays> arrays, const PackedScores& surveyed, int n_threads)
        : arrays_(std::move(arrays)), n_threads_(n_threads) {
        surveyed_.task = surveyed.task;
        surveyed_.layout = surveyed.layout;
        cut_ = cut_keys(surveyed_);
    }

    nb::object words(nb::handle self) {
        {
            const Unlocked unlocked(n());
            pack_words(cut_, n_threads_, poll_for(n()));
        }
        return view_of(cut_, self);
    }

    void sort(nb::handle self) { sort_words(cut_, self, n_threads_); }

    nb::object areas() const {
        check_words(cut_);
        std::optional<std::vector<int64_t>> found;
        {
            const Unlocked unlocked(n());
            found = count_cut_areas(surveyed_, cut_, n_threads_, poll_for(n()));
        }
        return found ? owned(std::move(*found)) : nb::none();
    }

private:
    int64_t n() const { return surveyed_.task.n(); }

    std::shared_ptr<Arrays> arrays_;
    PackedScores surveyed_, cut_;
    int n_threads_;
};

// Words and, where they name rows or are still to be made, the arrays that these are rows of.
class Packed {
public:
    Packed(nb::handle values, nb::handle codes, int64_t own, int64_t k, nb::handle weights,
           bool is_pooled, int n_threads, bool wants_rows)
        : arrays_(std::make_shared<Arrays>(values, codes, weights, is_pooled)),
          n_threads_(n_threads) {
        RankTask task{scores_of(arrays_->values, is_pooled), arrays_->codes.int32s(), nullptr, k,
                      own, is_pooled, wants_rows};
        if (arrays_->weights) task.weights = arrays_->weights->doubles(true);
        {
            const Unlocked unlocked(task.n());
            packed_ = survey_scores(task, n_threads, poll_for(task.n()));
        }
        release();
    }

    bool is_weighted() const { return packed_.task.weights != nullptr; }
    int64_t n() const { return packed_.task.n(); }
    int64_t n_rows() const { return packed_.task.scores.n_rows; }
    int64_t k() const { return packed_.task.k; }

    // In the order of the rows unless they were asked for before; whoever asks may sort them.
    nb::object words(nb::handle self) {
        {
            const Unlocked unlocked(n());
            pack_words(packed_, n_threads_, poll_for(n()));
        }
        release();
        return view_of(packed_, self);
    }

    void sort(nb::handle self) {
        sort_words(packed_, self, n_threads_);
        release();
        settle();
    }

    // None where whole words do as well.
    nb::object cut() const {
        if (!prefixes_pay(packed_)) return nb::none();
        return nb::cast(new Cut(arrays_, packed_, n_threads_), nb::rv_policy::take_ownership);
    }

    std::vector<int64_t> areas() const {
        check_words(packed_);
        const Unlocked unlocked(n());
        return count_areas(packed_, n_threads_, poll_for(n()));
    }

    double share_area(double (*area)(const PackedScores&, int, Poll)) const {
        check_words(packed_);
        const Unlocked unlocked(n());
        return area(packed_, n_threads_, poll_for(n()));
    }

    // What a function of the sorted words returns.
    template <class Read>
    auto read(const Read& read) const {
        check_words(packed_);
        return total(read);
    }

    // What a function returns to which their order is nothing.
    template <class Read>
    auto total(const Read& read) const {
        const Unlocked unlocked(packed_.task.n());
        return read(packed_);
    }

    void settle() {
        check_words(packed_);
        const Unlocked unlocked(packed_.task.n());
        karat::settle(packed_);
    }

private:
    void release() {
        if (packed_.has_words && !packed_.layout.has_rows) arrays_.reset();
    }

    std::shared_ptr<Arrays> arrays_;
    PackedScores packed_;
    int n_threads_;
};

nb::object classes_of(Packed& packed) {
    return packed.is_weighted() ? owned(packed.total(weigh_classes))
                                : owned(packed.total(count_classes));
}

nb::object areas_of(Packed& packed) {
    return packed.is_weighted() ? owned(packed.read(weigh_areas)) : owned(packed.areas());
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

}  // namespace

void bind_ladder(nb::module_& m) {
    nb::class_<Cut>(m, "CutScores")
        .def_prop_ro("words", [](nb::handle self) { return nb::cast<Cut&>(self).words(self); })
        .def("sort", [](nb::handle self) { nb::cast<Cut&>(self).sort(self); })
        .def("areas", &Cut::areas);
    nb::class_<Packed>(m, "PackedScores")
        .def_prop_ro("n_items", &Packed::n)
        .def_prop_ro("words", [](nb::handle self) { return nb::cast<Packed&>(self).words(self); })
        .def("sort", [](nb::handle self) { nb::cast<Packed&>(self).sort(self); })
        .def("settle", &Packed::settle)
        .def("cut", &Packed::cut)
        .def("classes", classes_of)
        .def("areas", areas_of)
        .def("step_area", [](const Packed& packed) { return packed.share_area(step_area); })
        .def("trapezoid_area", [](const Packed& packed) { return packed.share_area(trapezoid_area); })
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
}

}  // namespace karat
