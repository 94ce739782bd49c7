// Words as Python objects: PackedScores and CutScores.
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
#include "kernels/rank_shares.hpp"

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

inline nb::object view_of(PackedScores& packed, nb::handle owner) {
    if (packed.layout.is_wide) return view(owner, packed.wide.get(), packed.task.n());
    return view(owner, packed.narrow.get(), packed.task.n());
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
        cut_.is_shown = true;
        return view_of(cut_, self);
    }

    void sort() {
        const Turn turn(turns_);
        const Unlocked unlocked(n());
        sort_packed(cut_, n_threads_, poll_for(n()));
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
        packed_.is_shown = true;
        return view_of(packed_, self);
    }

    void sort() {
        const Turn turn(turns_);
        {
            const Unlocked unlocked(n());
            pack_words(packed_, n_threads_, poll_for(n()));
        }
        // The sort takes memory: what it does not read is given back before.
        release();
        {
            const Unlocked unlocked(n());
            sort_packed(packed_, n_threads_, poll_for(n()));
        }
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

    // Makes the words, where nobody has, sorts and reads them on the thread that calls. Whoever calls
    // it has the turn.
    Areas areas_alone() {
        if (prefixes_pay(packed_)) {
            PackedScores cut = cut_keys(packed_);
            sort_packed(cut, 1, nullptr);
            if (std::optional<std::vector<int64_t>> found =
                    count_cut_areas(packed_, cut, 1, nullptr))
                return std::move(*found);
        }
        sort_packed(packed_, 1, nullptr);
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

    // The same of the words and their lifts, which are kept.
    template <class Read>
    auto read_lifts(const Read& read) {
        const Turn turn(turns_);
        check_words(packed_);
        const Unlocked unlocked(n());
        if (lifts_ == nullptr) lifts_ = share_lifts(packed_);
        return read(packed_, *lifts_);
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
        lifts_.reset();
        karat::settle(packed_);
    }

    void release() {
        if (packed_.has_words && !packed_.layout.has_rows) arrays_.reset();
    }

    std::shared_ptr<Arrays> arrays_;
    PackedScores packed_;
    std::unique_ptr<ShareLifts> lifts_;
    int n_threads_;
    Turns turns_;
};

}  // namespace karat
