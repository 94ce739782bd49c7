// How each row moves the area under the share of the own class: own weight among all at or above a
// score.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "kernels/pack_scores.hpp"
#include "kernels/read_words.hpp"

namespace karat {

// All of these read sorted and settled words.
//
// With p own weight on a score level, P and N own and all weight at or above it, and s = P/N: the area is
// F/W, where F = Σ p·s, or with straight lines between the score levels Σ p·(s + s of the score level before)/2
// (s = 1 where nothing stands above), and W the own weight. What a small weight on a row adds to
// the area, times W, is the lift of the row. For a row on score level q that is a of the own class, else 0,
//
//     lift = a·(x + Σ c/N − F/W) − Σ c·s/N,
//
// summed over score level q and all below it: steps have x = s and c = p; straight lines have x = (s + s of
// the score level before)/2 and c = (p + p of the score level below)/2.

// The lifts of the rows of a score level.
struct Lifts {
    double of_rest = 0, of_own = 0;
};

// The same of some score levels, best first, by steps (0) and by straight lines (1), less what they share; and Σw² of
// their rest and own rows.
struct LiftStretch {
    double of_rest[2][kBlock], of_own[2][kBlock], square[2][kBlock];

    Lifts at(int kind, int64_t level) const { return {of_rest[kind][level], of_own[kind][level]}; }
};

// The lifts of every score level, stretch by stretch.
//
// A walk from the best one on notes where each stretch begins. From there its lifts are made when they are asked for:
// no memory holds all of them. Reads the words again, which must not move meanwhile.
class ShareLifts {
public:
    virtual ~ShareLifts() = default;

    virtual size_t n_stretches() const = 0;
    // The score levels of a stretch: as many as it returns lie in `levels`.
    virtual int64_t make(size_t stretch) = 0;

    const LiftStretch& levels() const { return levels_; }
    // What all lifts of a kind share.
    const Lifts& shared(int kind) const { return shared_[kind]; }
    // One that `make` has made.
    Lifts lifts(int kind, int64_t level) const {
        const Lifts less = levels_.at(kind, level);
        return {less.of_rest + shared_[kind].of_rest, less.of_own + shared_[kind].of_own};
    }

protected:
    LiftStretch levels_;
    Lifts shared_[2];
};
std::unique_ptr<ShareLifts> share_lifts(const PackedScores& packed);

// Reads lifts from the lowest score level up.
class LiftsUpwards {
public:
    explicit LiftsUpwards(ShareLifts& lifts) : lifts_(lifts), stretch_(lifts.n_stretches()) {}

    // At most as often as there are score levels.
    std::array<Lifts, 2> next() {
        while (left_ == 0) take_stretch();
        --left_;
        return {lifts_.lifts(0, left_), lifts_.lifts(1, left_)};
    }

private:
    void take_stretch();

    ShareLifts& lifts_;
    size_t stretch_;    // those below this one have had their turn
    int64_t left_ = 0;  // score levels
};

// Σw²·lift² over the rest, and over the own rows: by steps (0), and by straight lines (1).
std::array<std::array<double, 2>, 2> lift_squares(ShareLifts& lifts);

}  // namespace karat
