// Reads sorted words: whose slot, which row, where a run of equal scores begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "kernels/lanes.hpp"
#include "kernels/pack_scores.hpp"

namespace karat {

// Words that hold the whole key.
template <class Word>
class WholeReader {
public:
    WholeReader(const PackedScores& packed, const Word* words)
        : words_(words),
          layout_(packed.layout),
          class_bits_(packed.layout.class_bits),
          mask_(static_cast<Word>((Word{1} << packed.layout.class_bits) - 1)) {}

    uint64_t slot(int64_t i) const { return words_[i] & mask_; }
    bool same(int64_t i, int64_t j) const { return (words_[i] ^ words_[j]) >> class_bits_ == 0; }
    double score(int64_t i) const { return layout_.score_of(words_[i] >> class_bits_); }
    void fetch_scores(int64_t) const {}
    const Word* words() const { return words_; }
    // Whether words with the same bits may have different scores.
    bool is_cut() const { return false; }

private:
    const Word* words_;
    const KeyLayout& layout_;
    int class_bits_;
    Word mask_;
};

// Words that hold a row, which may hold a part of the key only.
class RowReader {
public:
    explicit RowReader(const PackedScores& packed)
        : words_(packed.wide.get()),
          task_(packed.task),
          layout_(packed.layout),
          row_bits_(packed.layout.row_bits),
          below_(packed.layout.below()),
          is_cut_(packed.layout.drop > 0),
          class_mask_((uint64_t{1} << packed.layout.class_bits) - 1),
          row_mask_((uint64_t{1} << packed.layout.row_bits) - 1),
          n_(packed.task.n()) {}

    uint64_t slot(int64_t i) const { return words_[i] >> row_bits_ & class_mask_; }
    bool same(int64_t i, int64_t j) const {
        return (words_[i] ^ words_[j]) >> below_ == 0 && (!is_cut_ || score(i) == score(j));
    }
    double score(int64_t i) const {
        return is_cut_ ? task_.scores.value(item(i)) + 0.0 : layout_.score_of(words_[i] >> below_);
    }
    const uint64_t* words() const { return words_; }
    bool is_cut() const { return is_cut_; }
    // The row of word i, and its weight: 1 without weights.
    int64_t row(int64_t i) const {
        return task_.scores.width == 1 ? item(i) : task_.row_of(item(i));
    }
    double weight(int64_t i) const {
        return task_.weights == nullptr ? 1.0 : task_.weights[row(i)];
    }
    // Asks for the score that a walk downwards will read some words later, which lies anywhere where the word does not
    // hold it.
    void fetch_scores(int64_t i) const {
        constexpr int64_t kAhead = 32;
        if (!is_cut_) return;
        __builtin_prefetch(task_.scores.at(item(std::max<int64_t>(i - kAhead, 0))));
    }
    // Asks for the weight that a walk upwards will read some words later.
    void fetch_weight(int64_t i) const {
        constexpr int64_t kAhead = 32;
        if (task_.weights != nullptr) __builtin_prefetch(task_.weights + row(std::min(i + kAhead, n_ - 1)));
    }
    // Weights of words first to first + n - 1. Their rows lie anywhere in memory: each is asked for
    // some words before it is read.
    void weights(int64_t first, int64_t n, double* out) const {
        constexpr int64_t kAhead = 48;
        for (int64_t i = 0; i < n; ++i) {
            __builtin_prefetch(task_.weights + row(std::min(first + i + kAhead, n_ - 1)));
            out[i] = task_.weights[row(first + i)];
        }
    }

private:
    int64_t item(int64_t i) const {
        const int64_t found = static_cast<int64_t>(words_[i] & row_mask_);
        if (found >= n_) throw std::runtime_error("the words were altered");
        return found;
    }

    const uint64_t* words_;
    const RankTask& task_;
    const KeyLayout& layout_;
    int row_bits_, below_;
    bool is_cut_;
    uint64_t class_mask_, row_mask_;
    int64_t n_;
};

// std::invalid_argument when the words name no rows.
inline void check_names_rows(const PackedScores& packed) {
    if (!packed.layout.has_rows) throw std::invalid_argument("the words name no rows");
}

// Calls use(reader) with the reader of these words.
template <class Use>
auto with_reader(const PackedScores& packed, const Use& use) {
    if (packed.layout.has_rows) return use(RowReader(packed));
    if (packed.layout.is_wide) return use(WholeReader<uint64_t>(packed, packed.wide.get()));
    return use(WholeReader<uint32_t>(packed, packed.narrow.get()));
}

// Calls visit(first, last) for stretches of at most kBlock words, the largest scores first.
template <class Visit>
void each_stretch(int64_t n, const Visit& visit) {
    for (int64_t last = n; last > 0; last -= kBlock) visit(last > kBlock ? last - kBlock : 0, last);
}

// x, or 0 when it is not wanted, without a branch that the processor would have to guess.
inline double only_if(bool is_wanted, double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= -static_cast<uint64_t>(is_wanted);
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// A sum of a long stretch of terms, made stretch by stretch so that little is lost.
struct LongSum {
    double whole = 0, part = 0;

    double value() const { return whole + part; }
    void close() {
        whole += part;
        part = 0;
    }
};

}  // namespace karat
