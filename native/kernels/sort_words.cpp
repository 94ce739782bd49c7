#include "kernels/sort_words.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "kernels/scratch.hpp"
#include "kernels/sort_short.hpp"

namespace karat {
namespace {

constexpr int64_t kItemsForThreads = 100000;
// Slices of so many words are sorted within the first cache.
constexpr int64_t kSliceWords = 2048;
constexpr int64_t kFewestToSlice = 2 * kSliceWords;
// Slices that are written to at once: each is a line of the cache, and an entry of its table of pages.
constexpr int64_t kMostSlices = 512;
constexpr int kMostDigitBits = 12;
constexpr int64_t kTaskWords = 1 << 16, kMostTasks = 64, kMostTaskWords = int64_t{1} << 31;
// Moves that words in order may take, beside some as they are read; first words that tell the order.
constexpr int64_t kFreeMoves = 64, kSampled = 256;

// Words divided into slices by their first digit, then each slice in its order.
//
// What a digit has is counted task by task; digits that follow each other make a slice of about the
// same size. A digit alone may have more: such a slice is divided once more, by its own first digit.
template <class Word>
class Divider {
public:
    Divider(int n_slots, Poll poll) : n_slots_(n_slots), poll_(poll) {}

    // From `from`, which is altered, to `to`: the same, or `other`, of n words too, which differ in no
    // bits but `varying`. Whatever it throws, `to` has all the words then.
    void sort(Word* from, Word* other, Word* to, int64_t n, Word varying) {
        from_ = from;
        other_ = other;
        to_ = to;
        n_ = n;
        varying_ = varying;
        if (write_few_values(from, to, n)) return;
        try {
            if (!divide()) return;
        } catch (...) {
            copy(from, 0, n);
            throw;
        }
        try {
            sort_slices();
        } catch (...) {
            for (size_t slice = 0; slice < is_done_.size(); ++slice)
                if (!is_done_[slice]) copy(other, starts_[slice], starts_[slice + 1]);
            throw;
        }
    }

private:
    void copy(const Word* words, int64_t first, int64_t last) {
        if (words != to_ && last > first)
            std::memcpy(to_ + first, words + first,
                        static_cast<size_t>(last - first) * sizeof(Word));
    }

    // Calls use(task, first, last) for stretches of words.
    template <class Use>
    void each_task(const Use& use) const {
        const auto work = [&](int, int64_t task) {
            use(task, task * task_words_, std::min(n_, (task + 1) * task_words_));
        };
        parallel(n_slots_, n_tasks_, work, poll_);
    }

    // False when nothing is left to do.
    bool divide() {
        n_tasks_ = std::max(std::min(n_ / kTaskWords, kMostTasks), n_ / kMostTaskWords + 1);
        task_words_ = (n_ + n_tasks_ - 1) / n_tasks_;
        const int low = __builtin_ctzll(varying_), high = top_bit(varying_) + 1;
        const int width = std::min({kMostDigitBits, high - low,
                                    std::max(6, top_bit(static_cast<uint64_t>(n_)) - 5)});
        digit_ = {high - width, width};
        count();
        if (digit_.shift == low) {
            write();
            return false;
        }
        choose_slices();
        move();
        return true;
    }

    void count() {
        const size_t size = digit_.size();
        counts_.assign(static_cast<size_t>(n_tasks_) * size, 0);
        each_task([&](int64_t task, int64_t first, int64_t last) {
            // Two tables take turns: the next addition need not wait for the last one.
            std::vector<uint32_t> odd(size);
            uint32_t* even = counts_.data() + static_cast<size_t>(task) * size;
            const Digit digit = digit_;
            const Word* from = from_;
            int64_t i = first;
            for (; i + 2 <= last; i += 2) {
                ++even[digit.of(from[i])];
                ++odd[digit.of(from[i + 1])];
            }
            if (i < last) ++even[digit.of(from[i])];
            for (size_t each = 0; each < size; ++each) even[each] += odd[each];
        });
    }

    // Where the digit is all that there is to say of a word.
    void write() {
        const Word rest = digit_.rest(from_[0]);
        Word* to = to_;
        for (uint32_t i = 0; i < digit_.size(); ++i)
            to = std::fill_n(to, total(i), static_cast<Word>(rest | Word{i} << digit_.shift));
    }

    int64_t total(uint32_t digit) const {
        int64_t sum = 0;
        for (int64_t task = 0; task < n_tasks_; ++task)
            sum += counts_[(static_cast<size_t>(task) << digit_.width) + digit];
        return sum;
    }

    void choose_slices() {
        const uint32_t n_digits = digit_.size();
        const int64_t most = std::max(kSliceWords, n_ / kMostSlices + 1);
        slice_of_.resize(n_digits);
        starts_ = {0};
        ends_differ_ = {0};
        uint32_t first = 0;
        int64_t here = 0, start = 0;
        for (uint32_t digit = 0; digit < n_digits; ++digit) {
            const int64_t more = total(digit);
            if (here > 0 && here + more > most) {
                starts_.push_back(start);
                ends_differ_.push_back(0);
                here = 0;
            }
            if (here == 0) first = digit;
            if (more > 0) ends_differ_.back() = first ^ digit;
            slice_of_[digit] = static_cast<uint16_t>(starts_.size() - 1);
            here += more;
            start += more;
        }
        const size_t n_slices = starts_.size();
        starts_.push_back(n_);
        // How many words each task has for each slice, then where it writes the next one.
        places_.assign(static_cast<size_t>(n_tasks_) * n_slices, 0);
        for (size_t task = 0; task < static_cast<size_t>(n_tasks_); ++task)
            for (uint32_t digit = 0; digit < n_digits; ++digit)
                places_[task * n_slices + slice_of_[digit]] += counts_[(task << digit_.width) + digit];
        std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
        for (size_t task = 0; task < static_cast<size_t>(n_tasks_); ++task) {
            for (size_t slice = 0; slice < n_slices; ++slice) {
                const int64_t words = places_[task * n_slices + slice];
                places_[task * n_slices + slice] = next[slice];
                next[slice] += words;
            }
        }
    }

    // To the slices, in `other`.
    void move() {
        const size_t n_slices = starts_.size() - 1;
        each_task([&](int64_t task, int64_t first, int64_t last) {
            int64_t* places = places_.data() + static_cast<size_t>(task) * n_slices;
            const uint16_t* slice_of = slice_of_.data();
            const Digit digit = digit_;
            const Word* from = from_;
            Word* to = other_;
            for (int64_t i = first; i < last; ++i) {
                const Word word = from[i];
                to[places[slice_of[digit.of(word)]]++] = word;
            }
        });
    }

    void sort_slices() {
        const int64_t n_slices = static_cast<int64_t>(starts_.size()) - 1;
        is_done_.assign(static_cast<size_t>(n_slices), 0);
        // A slice of many words is divided by all threads together.
        const int64_t most = n_slots_ == 1 && poll_ == nullptr ? n_ : std::max(kMostShort, n_ / 16);
        const auto work = [&](int, int64_t slice) {
            const int64_t words = starts_[slice + 1] - starts_[slice];
            if (words <= kMostShort) {
                Word* room = Scratch::mine().tables.uninitialised<Word>(kMostShort);
                const int64_t first = starts_[slice];
                sort_short(other_ + first, to_ + first, room, words, varying_in(slice));
                is_done_[slice] = 1;
            } else if (words <= most) {
                divide_slice(slice, 1, nullptr);
            }
        };
        parallel(n_slots_, n_slices, work, poll_);
        for (int64_t slice = 0; slice < n_slices; ++slice)
            if (!is_done_[slice]) divide_slice(slice, n_slots_, poll_);
    }

    // The bits in which words of a slice may differ.
    Word varying_in(int64_t slice) const {
        const uint32_t differ = ends_differ_[slice];
        const Word of_digit = differ == 0 ? 1 : Word{2} << top_bit(differ);
        return varying_ & static_cast<Word>((of_digit << digit_.shift) - 1);
    }

    void divide_slice(int64_t slice, int n_slots, Poll poll) {
        const int64_t first = starts_[slice], words = starts_[slice + 1] - first;
        const Word varying = varying_bits(other_ + first, words);
        is_done_[slice] = 1;
        Divider(n_slots, poll)
            .sort(other_ + first, from_ + first, to_ + first, words, varying);
    }

    const int n_slots_;
    const Poll poll_;
    Word *from_ = nullptr, *other_ = nullptr, *to_ = nullptr;
    int64_t n_ = 0, n_tasks_ = 1, task_words_ = 0;
    Word varying_ = 0;
    Digit digit_;
    std::vector<uint32_t> counts_;    // [task, digit]
    std::vector<uint16_t> slice_of_;  // of each digit
    std::vector<int64_t> starts_;     // of each slice, and the end
    std::vector<uint32_t> ends_differ_;  // of each slice: in which bits its first and last digit do
    std::vector<int64_t> places_;     // [task, slice]
    std::vector<uint8_t> is_done_;    // of each slice: `to` has its words
};

// Whether words in order, or in reversed order, but for a few, are in their order now.
template <class Word>
bool settle_ordered(Word* words, int64_t n) {
    int64_t n_falls = 0, n_rises = 0;
    for (int64_t i = 1; i < std::min(n, kSampled); ++i) {
        n_falls += words[i] < words[i - 1];
        n_rises += words[i] > words[i - 1];
    }
    if (n_falls > 16 * n_rises) std::reverse(words, words + n);
    return settle_few(words, n, kFreeMoves);
}

// Gives much memory back at the end.
struct Trimmed {
    Buffer& buffer;
    ~Trimmed() { buffer.trim(); }
};

template <class Word>
void sort_all(Word* words, int64_t n, int n_bits, int n_threads, Poll poll) {
    if (settle_ordered(words, n)) return;
    constexpr int kBits = 8 * sizeof(Word);
    const Word varying = static_cast<Word>(~Word{0} >> (kBits - std::clamp(n_bits, 1, kBits)));
    try {
        if (n <= kFewestToSlice) {
            Word* room = Scratch::mine().tables.uninitialised<Word>(n);
            return sort_short(words, words, room, n, varying);
        }
        const Trimmed kept{Scratch::mine().words};
        Word* other = kept.buffer.uninitialised<Word>(n);
        const int n_slots = n < kItemsForThreads ? 1 : thread_limit(n_threads);
        Divider<Word>(n_slots, poll).sort(words, other, words, n, varying);
    } catch (const std::bad_alloc&) {
        std::sort(words, words + n);
    }
}

}  // namespace

void sort_words(uint32_t* words, int64_t n, int n_bits, int n_threads, Poll poll) {
    sort_all(words, n, n_bits, n_threads, poll);
}

void sort_words(uint64_t* words, int64_t n, int n_bits, int n_threads, Poll poll) {
    sort_all(words, n, n_bits, n_threads, poll);
}

}  // namespace karat
