#include "kernels/slice_words.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "kernels/choose_isa.hpp"
#include "kernels/large_pages.hpp"

namespace karat {
namespace {

constexpr int64_t kItemsForSlices = 500000;
constexpr int kMostLevels = 6;
constexpr int64_t kSampled = 4096;
constexpr int64_t kTaskItems = 32 * kBlock;

// Slices of about one size, 2^levels of them: what of a sample is above their bounds is even.
template <class Word>
std::vector<Word> bounds_of(const PackedScores& packed, int levels) {
    const Scores& scores = packed.task.scores;
    const KeyLayout& layout = packed.layout;
    std::vector<Word> sample;
    for (int64_t i = 0; i < kSampled; ++i) {
        const double score = scores.value(packed.task.n() / kSampled * i);
        const uint64_t key = scores.is_double ? layout.key_of(score)
                                              : layout.key_of(static_cast<float>(score));
        sample.push_back(static_cast<Word>(key >> layout.drop << layout.below()));
    }
    std::sort(sample.begin(), sample.end());
    std::vector<Word> bounds;
    for (int64_t slice = 1; slice < int64_t{1} << levels; ++slice)
        bounds.push_back(sample[static_cast<size_t>(slice * kSampled >> levels)]);
    return bounds;
}

template <class Word>
class Slicer {
public:
    Slicer(const PackedScores& packed, Word* out, int n_slots, Poll poll)
        : packed_(packed),
          blocks_(packed.task, packed.layout),
          out_(out),
          n_(packed.task.n()),
          n_tasks_((n_ + kTaskItems - 1) / kTaskItems),
          levels_(std::min(bits_of(static_cast<uint64_t>(n_slots - 1)), kMostLevels)),
          n_slices_(int64_t{1} << levels_),
          bounds_(bounds_of<Word>(packed, levels_)),
          n_slots_(n_slots),
          poll_(poll),
          places_(static_cast<size_t>(n_tasks_ * n_slices_)) {}

    std::vector<int64_t> run() {
        parallel(n_slots_, n_tasks_, [&](int, int64_t task) { count(task); }, poll_);
        std::vector<int64_t> starts = place();
        parallel(n_slots_, n_tasks_, [&](int, int64_t task) { write(task); }, poll_);
        return starts;
    }

private:
    // Where the words of a task go, of one slice.
    struct Place {
        int64_t next = 0, end = 0;
    };
    using Rooms = Word[kMostLevels][kBlock];

    // Calls use(first, n) for the blocks of a task.
    template <class Use>
    void each_block(int64_t task, const Use& use) const {
        const int64_t end = std::min(n_, (task + 1) * kTaskItems);
        for (int64_t first = task * kTaskItems; first < end; first += kBlock)
            use(first, std::min(kBlock, end - first));
    }

    // Fills next with the number of words in each slice.
    void count(int64_t task) {
        alignas(64) Word words[kBlock];
        Place* places = places_.data() + task * n_slices_;
        const auto count_below = lanes().cumulative.count_below[sizeof(Word) == 8];
        each_block(task, [&](int64_t first, int64_t n) {
            blocks_.make_keys(first, n, words);
            int64_t before = 0;
            for (int64_t slice = 0; slice + 1 < n_slices_; ++slice) {
                const int64_t below = count_below(words, n, bounds_[slice]);
                places[slice].next += below - before;
                before = below;
            }
            places[n_slices_ - 1].next += n - before;
        });
    }

    std::vector<int64_t> place() {
        std::vector<int64_t> starts;
        int64_t next = 0;
        for (int64_t slice = 0; slice < n_slices_; ++slice) {
            starts.push_back(next);
            for (int64_t task = 0; task < n_tasks_; ++task) {
                Place& place = places_[task * n_slices_ + slice];
                const int64_t here = place.next;
                place = {next, next + here};
                next += here;
            }
        }
        starts.push_back(next);
        return starts;
    }

    void write(int64_t task) {
        alignas(64) Word words[kBlock];
        Rooms rooms;
        Place* places = places_.data() + task * n_slices_;
        each_block(task, [&](int64_t first, int64_t n) {
            blocks_.make(first, n, words);
            divide(words, n, 0, 0, places, rooms);
        });
    }

    // Words of the slices from `slice` on that this level holds.
    void divide(Word* words, int64_t n, int level, int64_t slice, Place* places, Rooms& rooms) {
        if (level == levels_) {
            Place& place = places[slice];
            if (place.end - place.next < n)
                throw std::runtime_error("the scores changed while they were read");
            std::copy_n(words, n, out_ + place.next);
            place.next += n;
            return;
        }
        const int64_t middle = slice + (n_slices_ >> (level + 1));
        const Word bound = bounds_[static_cast<size_t>(middle - 1)];
        Word* upper = rooms[level];
        const int64_t n_lower = lanes().cumulative.divide[sizeof(Word) == 8](words, n, bound, upper);
        divide(words, n_lower, level + 1, slice, places, rooms);
        divide(upper, n - n_lower, level + 1, middle, places, rooms);
    }

    const PackedScores& packed_;
    const WordBlocks blocks_;
    Word* out_;
    const int64_t n_, n_tasks_;
    const int levels_;
    const int64_t n_slices_;
    const std::vector<Word> bounds_;  // the least word of each slice but the first
    const int n_slots_;
    Poll poll_;
    std::vector<Place> places_;  // [task, slice]
};

}  // namespace

std::vector<int64_t> slice_words(PackedScores& packed, int n_threads, Poll poll) {
    const int64_t n = packed.task.n();
    const int n_slots = n < kItemsForSlices ? 1 : thread_limit(n_threads);
    if (n_slots == 1 || packed.has_words) {
        pack_words(packed, n_threads, poll);
        return {0, n};
    }
    std::vector<int64_t> starts;
    if (packed.layout.is_wide) {
        packed.wide = uninitialised<uint64_t>(n);
        starts = Slicer<uint64_t>(packed, packed.wide.get(), n_slots, poll).run();
    } else {
        packed.narrow = uninitialised<uint32_t>(n);
        starts = Slicer<uint32_t>(packed, packed.narrow.get(), n_slots, poll).run();
    }
    packed.has_words = true;
    return starts;
}

}  // namespace karat
