// Words as Python objects: PackedScores and CutScores, and how NumPy sorts them.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "bind/score_arrays.hpp"
#include "bind/turns.hpp"
#include "kernels/pack_scores.hpp"
#include "kernels/rank_areas.hpp"
#include "kernels/rank_prefixes.hpp"
#include "kernels/slice_words.hpp"

namespace karat {

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

inline Poll poll_for(int64_t n) {
    constexpr int64_t kItemsForPoll = int64_t{1} << 24;
    return n < kItemsForPoll ? nullptr : poll_signals;
}

inline nb::object view_of(PackedScores& packed, nb::handle owner) {
    if (packed.layout.is_wide) return view(owner, packed.wide.get(), packed.task.n());
    return view(owner, packed.narrow.get(), packed.task.n());
}

// Without NumPy, and without Python.
inline void sort_plainly(PackedScores& packed) {
    const int64_t n = packed.task.n();
    packed.layout.is_wide ? std::sort(packed.wide.get(), packed.wide.get() + n)
                          : std::sort(packed.narrow.get(), packed.narrow.get() + n);
}

// Makes the words, if nobody has asked for them, and has NumPy sort them: it is as fast as any, and
// lets other threads run meanwhile.
inline void sort_words(PackedScores& packed, nb::handle owner, int n_threads) {
    const int64_t n = packed.task.n();
    std::vector<int64_t> starts;
    {
        const Unlocked unlocked(n);
        starts = slice_words(packed, n_threads, poll_for(n));
    }
    // NumPy gives the GIL up within.
    const Stay stay;
    if (!stay.is_granted()) return sort_plainly(packed);
    const nb::object words = view_of(packed, owner);
    if (starts.size() < 3) {
        words.attr("sort")();
        return;
    }
    std::vector<nb::object> slices;
    for (size_t i = 1; i < starts.size(); ++i)
        slices.push_back(words[nb::slice(starts[i - 1], starts[i])]);
    const nb::gil_scoped_release unlocked;
    const auto sort = [&](int, int64_t i) {
        const nb::gil_scoped_acquire locked;
        slices[static_cast<size_t>(i)].attr("sort")();
    };
    parallel(thread_limit(n_threads), static_cast<int64_t>(slices.size()), sort, poll_for(n));
}

// The same on the thread that calls, and where nobody sees the words meanwhile. `may_lock`: it has no
// GIL, and may ask for it.
inline void sort_alone(PackedScores& packed, bool may_lock) {
    pack_words(packed, 1, nullptr);
    if (!may_lock) return sort_plainly(packed);
    const nb::gil_scoped_acquire locked;
    view_of(packed, nb::none()).attr("sort")();
}

inline void check_words(const PackedScores& packed) {
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
        const Turn turn(turns_);
        {
            const Unlocked unlocked(n());
            pack_words(cut_, n_threads_, poll_for(n()));
        }
        return view_of(cut_, self);
    }

    void sort(nb::handle self) {
        const Turn turn(turns_);
        sort_words(cut_, self, n_threads_);
    }

    nb::object areas() {
        const Turn turn(turns_);
        check_words(cut_);
        std::optional<std::vector<int64_t>> found;
        {
            const Unlocked unlocked(n());
            found = count_cut_areas(surveyed_, cut_, n_threads_, poll_for(n()));
        }
        if (found) return owned(std::move(*found));
        return nb::none();
    }

private:
    int64_t n() const { return surveyed_.task.n(); }

    std::shared_ptr<Arrays> arrays_;
    PackedScores surveyed_, cut_;
    int n_threads_;
    Turns turns_;
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
        const Turn turn(turns_);
        {
            const Unlocked unlocked(n());
            pack_words(packed_, n_threads_, poll_for(n()));
        }
        release();
        return view_of(packed_, self);
    }

    void sort(nb::handle self) {
        const Turn turn(turns_);
        sort_words(packed_, self, n_threads_);
        release();
        settle_words();
    }

    // None where whole words do as well.
    nb::object cut() {
        const Turn turn(turns_);
        if (!prefixes_pay(packed_)) return nb::none();
        return nb::cast(new Cut(arrays_, packed_, n_threads_), nb::rv_policy::take_ownership);
    }

    std::vector<int64_t> areas() {
        const Turn turn(turns_);
        check_words(packed_);
        const Unlocked unlocked(n());
        return count_areas(packed_, n_threads_, poll_for(n()));
    }

    // int64, or double with weights: of each class.
    using Areas = std::variant<std::vector<int64_t>, std::vector<double>>;

    // Makes the words, where nobody has, sorts and reads them on the thread that calls; see
    // sort_alone. Whoever calls it has the turn.
    Areas areas_alone(bool may_lock) {
        if (prefixes_pay(packed_)) {
            PackedScores cut = cut_keys(packed_);
            sort_alone(cut, may_lock);
            if (std::optional<std::vector<int64_t>> found =
                    count_cut_areas(packed_, cut, 1, nullptr))
                return std::move(*found);
        }
        sort_alone(packed_, may_lock);
        karat::settle(packed_);
        if (is_weighted()) return weigh_areas(packed_);
        return count_areas(packed_, 1, nullptr);
    }

    double share_area(double (*area)(const PackedScores&, int, Poll)) {
        const Turn turn(turns_);
        check_words(packed_);
        const Unlocked unlocked(n());
        return area(packed_, n_threads_, poll_for(n()));
    }

    // What a function of the sorted words returns.
    template <class Read>
    auto read(const Read& read) {
        const Turn turn(turns_);
        check_words(packed_);
        const Unlocked unlocked(n());
        return read(packed_);
    }

    // What a function returns to which their order is nothing.
    template <class Read>
    auto total(const Read& read) {
        const Turn turn(turns_);
        const Unlocked unlocked(n());
        return read(packed_);
    }

    void settle() {
        const Turn turn(turns_);
        check_words(packed_);
        settle_words();
    }

    Turns& turns() { return turns_; }

private:
    void settle_words() {
        const Unlocked unlocked(n());
        karat::settle(packed_);
    }

    void release() {
        if (packed_.has_words && !packed_.layout.has_rows) arrays_.reset();
    }

    std::shared_ptr<Arrays> arrays_;
    PackedScores packed_;
    int n_threads_;
    Turns turns_;
};

}  // namespace karat
