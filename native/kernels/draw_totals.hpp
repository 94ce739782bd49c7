// Replicates of sums of weights: what each sum would be if its rows were drawn again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/draw.hpp"
#include "kernels/draw_small.hpp"
#include "kernels/threads.hpp"

namespace karat {

// poisson: every row is there a Poisson(1) number of times. gamma: every row gets a weight from
// the exponential distribution of mean 1.
enum class Law { poisson, gamma };

// Sums that are drawn together: item i has the mean sums[i] and the variance squares[i].
//
// With n = sums² / squares rows of one weight, sums / n, that is a Poisson(n) or a gamma(n) number
// of them: exact where the rows of an item weigh the same. Else it is the scaled Poisson
// distribution of Bohm, Zech (2014), Statistics of weighted Poisson events, which is never negative.
class Totals {
public:
    // squares may be null: every row weighs 1. Throws std::invalid_argument for a negative or
    // infinite number, or a sum without a square.
    Totals(const double* sums, const double* squares, int64_t m, Law law);
    Totals(const Totals&) = delete;
    Totals& operator=(const Totals&) = delete;

    int64_t size() const { return static_cast<int64_t>(scale_.size()); }
    double mean(int64_t i) const { return mean_[i]; }
    // What one row of item i weighs.
    double scale(int64_t i) const { return scale_[i]; }

    // All items of one replicate.
    void draw(const Source& source, double* out) const;

private:
    void draw_few(const Source& source, double* out) const;

    Law law_;
    std::vector<double> mean_, scale_;
    std::vector<std::unique_ptr<SmallPoisson>> tables_;  // by rate
    // A Poisson number of few rows: one of the whole rows of the rate, and one of what is over.
    struct Few {
        const SmallPoisson* whole = nullptr;  // that of no row below one row
        double part = 0, none = 1;            // what is over, and the chance of no row of it
    };
    std::vector<Few> few_;
    const SmallPoisson none_;  // always 0: which items have rows no branch has to guess
    // kPlaceWords items, whose words are drawn together.
    struct Block {
        bool has_whole = false, has_part = false;
        const SmallPoisson* alone = nullptr;  // where all that have rows have this rate
    };
    std::vector<Block> blocks_;
    std::vector<double> factors_;  // of the items of whole blocks: the scale, 0 without rows
    void find_blocks();
    struct Large {
        int64_t item;
        double rows;
        Poisson poisson;
    };
    std::vector<Large> large_;
};

// float64[count, m]: replicates first, first + 1, …. With `is_normed` each of them sums up to what
// the means sum up to.
void draw_totals(const Totals& totals, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                 bool is_normed, double* out, int n_threads, Poll poll);

// Calls task(slot, first, last) for stretches of replicates that are worth a thread.
void each_replicate(int64_t count, int64_t items, int n_threads,
                    const std::function<void(int, int64_t, int64_t)>& task, Poll poll);

}  // namespace karat
