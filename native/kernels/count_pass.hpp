// One pass over two columns: shares the rows among threads, and widens the window of classes when a
// block leaves it.
#pragma once

#include <atomic>
#include <optional>

#include "kernels/count.hpp"
#include "kernels/counter.hpp"

namespace karat {

class CountPass {
public:
    // Classes are the values that occur: `window` is a guess of their range, which may grow to
    // `most_width` values.
    CountPass(const Column& truth, const Column& pred, Weights weights, Layout layout,
              const Options& options, Window window, int64_t most_width);

    // Classes are given: 0 to window.width - 1.
    CountPass(const Codes& truth, const Codes& pred, Weights weights, Layout layout,
              const Options& options, Window window);

    // Nothing when the values spread over more than most_width.
    std::optional<Tally> run();

private:
    // Where a thread stands.
    struct Slot {
        Slot(Layout layout, bool weighted, Scratch& scratch_)
            : scratch(scratch_), counter(layout, weighted, scratch_) {}
        Scratch& scratch;
        Counter counter;
        Reader truth, pred;
        int64_t rows = 0;  // since the last flush
    };

    bool is_weighted() const { return weights_.data != nullptr; }
    int64_t n_rows() const { return truth_.column.n; }
    Poll poll() const;

    void open(Slot& slot, Window window, int64_t expected_rows) const;
    bool widen(Slot& slot, Sums& sums, int64_t first, int64_t n);
    bool read(Slot& slot, Sums& sums, int64_t first, int64_t n, uint32_t* most);
    const double* read_weights(Scratch& scratch, int64_t first, int64_t n) const;
    Ahead ahead_of(const Slot& slot, int64_t first, int64_t last) const;
    bool count_block(Slot& slot, Sums& sums, int64_t first, int64_t n, int64_t last);
    void count_rows(Slot& slot, Sums& sums, int64_t first, int64_t last);

    int64_t n_tables(int64_t least_rows) const;
    Tally run_alone();
    Tally run_unweighted(int n_slots);
    Tally run_segments(int64_t n_segments);
    Tally finish(Slot& slot) const;
    Tally finish(const Sums& sums) const;
    bool has_bad_sum(const Tally& tally) const;
    void reject() const;

    Codes truth_, pred_;
    Weights weights_;
    Layout layout_;
    Options options_;
    Window window_;
    int64_t most_width_;
    bool is_discovered_;
    std::atomic<bool> is_bad_{false}, is_too_wide_{false};
};

}  // namespace karat
