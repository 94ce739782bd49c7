#include "kernels/shuffle.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/choose_isa.hpp"
#include "kernels/draw_totals.hpp"
#include "kernels/random.hpp"

namespace karat {
namespace {

constexpr int kParts = 256;
// So many bytes are shuffled where they lie.
constexpr int64_t kShortBytes = 1 << 15;

// The words of one replicate, one after the other.
class WordsInTurn {
public:
    explicit WordsInTurn(const Source& source) : source_(source), lanes_(lanes()) {}

    uint32_t word() {
        if (at_ == kPlaceWords) {
            source_.next_words(lanes_, Purpose::places, item_, draw_, words_.data());
            draw_ += kPlaces;
            if (draw_ == 0) ++item_;
            at_ = 0;
        }
        return words_[at_++];
    }
    // A whole number in [0, n), all equally probable: Lemire (2019), Fast random integer generation in an interval.
    uint32_t below(uint32_t n) {
        uint64_t product = uint64_t{word()} * n;
        if (static_cast<uint32_t>(product) < n) {
            const uint32_t least = -n % n;
            while (static_cast<uint32_t>(product) < least) product = uint64_t{word()} * n;
        }
        return static_cast<uint32_t>(product >> 32);
    }

private:
    const Source& source_;
    const Lanes& lanes_;
    std::array<uint32_t, kPlaceWords> words_{};
    size_t at_ = kPlaceWords;
    uint32_t item_ = 0, draw_ = 0;
};

template <class T>
class Shuffle {
public:
    explicit Shuffle(int64_t n) : parts_(static_cast<size_t>(n)) {}

    // From `from` to `to`, of n items each, which do not overlap.
    void items(const T* from, int64_t n, WordsInTurn& words, T* to) {
        if (n * static_cast<int64_t>(sizeof(T)) <= kShortBytes) {
            std::copy(from, from + n, to);
            in_place(to, n, words);
            return;
        }
        std::array<int64_t, kParts + 1> starts{};
        for (int64_t i = 0; i < n; i += 4) {
            const uint32_t word = words.word();
            const int64_t last = std::min(n, i + 4);
            for (int64_t j = i; j < last; ++j)
                ++starts[size_t{parts_[static_cast<size_t>(j)] = static_cast<uint8_t>(word >> 8 * (j - i))} + 1];
        }
        for (size_t part = 0; part < kParts; ++part) starts[part + 1] += starts[part];
        std::array<int64_t, kParts> next{};
        std::copy(starts.begin(), starts.end() - 1, next.begin());
        for (int64_t i = 0; i < n; ++i) to[next[parts_[static_cast<size_t>(i)]]++] = from[i];
        for (size_t part = 0; part < kParts; ++part) {
            const int64_t start = starts[part], size = starts[part + 1] - start;
            if (size * static_cast<int64_t>(sizeof(T)) <= kShortBytes) {
                in_place(to + start, size, words);
                continue;
            }
            const std::vector<T> part_of(to + start, to + start + size);
            Shuffle<T>(size).items(part_of.data(), size, words, to + start);
        }
    }

private:
    static void in_place(T* items, int64_t n, WordsInTurn& words) {
        for (int64_t i = n - 1; i > 0; --i) std::swap(items[i], items[words.below(static_cast<uint32_t>(i + 1))]);
    }

    std::vector<uint8_t> parts_;
};

template <class T>
void shuffle(const void* items, int64_t n, uint64_t seed, uint32_t stream, int64_t first, int64_t count, void* out,
             int n_threads, Poll poll) {
    each_replicate(count, n, n_threads, [&](int, int64_t begin, int64_t end) {
        Shuffle<T> shuffle(n);
        for (int64_t at = begin; at < end; ++at) {
            const Source source{seed, stream, static_cast<uint32_t>(first + at)};
            WordsInTurn words(source);
            shuffle.items(static_cast<const T*>(items), n, words, static_cast<T*>(out) + at * n);
        }
    }, poll);
}

}  // namespace

void shuffle_items(const void* items, int64_t n, int item, uint64_t seed, uint32_t stream, int64_t first,
                   int64_t count, void* out, int n_threads, Poll poll) {
    if (item == 1)
        shuffle<uint8_t>(items, n, seed, stream, first, count, out, n_threads, poll);
    else
        shuffle<uint64_t>(items, n, seed, stream, first, count, out, n_threads, poll);
}

}  // namespace karat
