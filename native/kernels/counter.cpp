#include "kernels/counter.hpp"

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

template <int kCopies>
void add_rows(const uint32_t* index, int64_t n, uint32_t* counts, Ahead ahead) {
    // A multiple of every number of copies.
    constexpr int64_t kUnroll = 8;
    int64_t i = 0;
    for (; i + kUnroll <= n; i += kUnroll) {
        ahead.truth.fetch();
        ahead.pred.fetch();
        for (int j = 0; j < kUnroll; ++j) ++counts[index[i + j] + j % kCopies];
    }
    for (int j = 0; i < n; ++i, ++j) ++counts[index[i] + j % kCopies];
}

// log2 of the number of copies for a table of `size` entries. Weighted, the choice depends on
// nothing else, since it decides the order of the additions.
int copies_shift(int64_t size, bool weighted, int64_t expected_rows) {
    if (weighted) return size <= 1024 ? 2 : 0;
    // Clearing and folding the copies must cost less than they save.
    if (size <= 2048 && 32 * size <= expected_rows) return 3;
    return size <= 16384 && 8 * size <= expected_rows ? 1 : 0;
}

}  // namespace

void Counter::open(Window window, int64_t expected_rows) {
    window_ = window;
    size_ = table_size(layout_, window.width);
    shift_ = copies_shift(size_, weighted_, expected_rows);
    clear();
}

void Counter::clear() {
    if (weighted_) {
        sums_ = scratch_.tables.zeroed<WeightedEntry>(size_ << shift_);
    } else {
        counts_ = scratch_.tables.zeroed<uint32_t>(size_ << shift_);
    }
    since_clear_ = 0;
}

bool Counter::prepare(int64_t n, uint32_t most) {
    since_clear_ += n;
    if (!weighted_ && most <= 1 && window_.width >= 2) {
        add_two_classes(n);
        return false;
    }
    const int shift = shift_ + (weighted_ ? kEntryShift : 0);
    if (layout_ == Layout::cells)
        lanes().cell_index(scratch_.truth, scratch_.pred, n, window_.width, shift, scratch_.index);
    else
        lanes().marginal_index(scratch_.truth, scratch_.pred, n, window_.width, shift,
                               scratch_.index, scratch_.index + kBlock);
    return true;
}

void Counter::add_stream(const uint32_t* index, int64_t n, const Ahead& ahead) {
    shift_ == 3   ? add_rows<8>(index, n, counts_, ahead)
    : shift_ == 1 ? add_rows<2>(index, n, counts_, ahead)
                  : add_rows<1>(index, n, counts_, ahead);
}

void Counter::add(int64_t n, const Ahead& ahead) {
    add_stream(scratch_.index, n, ahead);
    if (layout_ == Layout::marginals) add_stream(scratch_.index + kBlock, n, Ahead(scratch_.index));
}

double Counter::add_weighted_stream(const uint32_t* index, int64_t n, const double* weights,
                                    const Ahead& ahead) {
    const double least = lanes().add_weighted(index, weights, n, 1 << shift_, sums_, ahead);
    // Rows of weight 0 occur, and were counted as positive like any other.
    for (int64_t i = 0; least == 0 && i < n; ++i)
        if (weights[i] == 0) sums_[index[i] >> kEntryShift].positive -= 1;
    return least;
}

bool Counter::add_weighted(int64_t n, const double* weights, const Ahead& ahead) {
    const double least = add_weighted_stream(scratch_.index, n, weights, ahead);
    if (layout_ == Layout::marginals)
        add_weighted_stream(scratch_.index + kBlock, n, weights, Ahead(scratch_.index));
    return least >= 0;
}

// Four counts from three sums: no table is touched in the loop.
void Counter::add_two_classes(int64_t n) {
    uint32_t sum[3];
    lanes().pair_sums(scratch_.truth, scratch_.pred, n, sum);
    const uint32_t both = sum[2], only_true = sum[0] - both, only_pred = sum[1] - both;
    const uint32_t neither = static_cast<uint32_t>(n) - both - only_true - only_pred;
    const int64_t width = window_.width;
    const auto at = [&](int64_t entry) -> uint32_t& { return counts_[entry << shift_]; };
    if (layout_ == Layout::cells) {
        at(0) += neither;
        at(1) += only_pred;
        at(width) += only_true;
        at(width + 1) += both;
    } else {
        at(0) += only_pred;  // class 0 missed
        at(1) += neither;
        at(2) += only_true;  // class 1 missed
        at(3) += both;
        at(2 * width) += only_true;  // class 0 predicted in error
        at(2 * width + 2) += only_pred;
    }
}

// Sums the copies of each entry, in order, into the front of the tables.
template <class Entry>
const Entry* Counter::fold(Entry* entries) const {
    const int64_t copies = int64_t{1} << shift_;
    for (int64_t i = 0; copies > 1 && i < size_; ++i) {
        Entry sum = entries[i * copies];
        for (int64_t copy = 1; copy < copies; ++copy) merge(sum, entries[i * copies + copy]);
        entries[i] = sum;
    }
    return entries;
}

const uint32_t* Counter::folded_rows() { return fold(counts_); }

const WeightedEntry* Counter::folded_weights() { return fold(sums_); }

void Counter::flush(Sums& sums) {
    was_flushed_ = true;
    if (since_clear_ == 0) return;
    Sums mine;
    mine.window = window_;
    if (weighted_) {
        const WeightedEntry* rows = fold(sums_);
        mine.weighted.assign(rows, rows + size_);
    } else {
        const uint32_t* rows = fold(counts_);
        mine.rows.assign(rows, rows + size_);
    }
    sums.is_empty() ? void(sums = std::move(mine)) : sums.add(layout_, mine);
    clear();
}

}  // namespace karat
