// Random numbers by counting: a word depends on its place alone, so that every division of the work
// among threads draws the same.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/lanes.hpp"

namespace karat {

// Philox4x32-10: Salmon, Moraes, Dror, Shaw (2011). Parallel random numbers: as easy as 1, 2, 3.
using Words = std::array<uint32_t, 4>;

inline Words philox(Words counter, uint64_t key) {
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = uint64_t{0xD2511F53} * counter[0];
        const uint64_t p1 = uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<uint32_t>(p1),
                   static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<uint32_t>(p0)};
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return counter;
}

// What is drawn for: words of different purposes are never the same.
enum class Purpose : uint32_t { cells, totals, whole_rows, part_rows, items, item_weights, places };

constexpr int64_t kMostStreams = int64_t{1} << 24;
constexpr int64_t kMostItems = int64_t{1} << 32;

// Where the words of one replicate come from.
struct Source {
    uint64_t seed;
    uint32_t stream;     // below kMostStreams: tables that are drawn independently
    uint32_t replicate;

    Words words(Purpose purpose, uint32_t item, uint32_t draw) const {
        return philox({draw, item, replicate, static_cast<uint32_t>(purpose) << 24 | stream}, seed);
    }
    // The first words of kPlaces items from `item` on.
    void first_words(const Lanes& lanes, Purpose purpose, uint32_t item, uint32_t* out) const {
        place_words(lanes, purpose, item, 0, {0, 1}, out);
    }
    // The words of kPlaces draws from `draw` on, of one item.
    void next_words(const Lanes& lanes, Purpose purpose, uint32_t item, uint32_t draw, uint32_t* out) const {
        place_words(lanes, purpose, item, draw, {1, 0}, out);
    }

private:
    void place_words(const Lanes& lanes, Purpose purpose, uint32_t item, uint32_t draw,
                     std::array<uint32_t, 2> steps, uint32_t* out) const {
        const Words counter{draw, item, replicate, static_cast<uint32_t>(purpose) << 24 | stream};
        lanes.random.words(counter.data(), seed, steps.data(), out);
    }
};

// A number in (0, 1): 52 bits, and half a step so that neither end is reached.
inline double uniform_of(uint32_t high, uint32_t low) {
    const uint64_t bits = uint64_t{high} << 20 | low >> 12;
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

// The same of one word alone: 32 bits.
inline double uniform_of(uint32_t word) { return (word + 0.5) * 0x1p-32; }

// As many numbers as one item needs.
class Draws {
public:
    Draws(const Source& source, Purpose purpose, int64_t item)
        : source_(source), purpose_(purpose), item_(static_cast<uint32_t>(item)) {}
    // The same, of an item whose first words are there.
    Draws(const Source& source, Purpose purpose, int64_t item, const uint32_t* first_words)
        : Draws(source, purpose, item) {
        first_words_ = first_words;
    }

    // Four words that nothing else of the item reads.
    Words words() {
        left_ = 0;
        if (draw_++ == 0 && first_words_ != nullptr)
            return {first_words_[0], first_words_[1], first_words_[2], first_words_[3]};
        return source_.words(purpose_, item_, draw_ - 1);
    }
    double uniform() {
        if (left_ == 0) {
            words_ = words();
            left_ = 2;
        }
        --left_;
        return uniform_of(words_[2 * left_], words_[2 * left_ + 1]);
    }

private:
    const Source& source_;
    Purpose purpose_;
    uint32_t item_, draw_ = 0;
    const uint32_t* first_words_ = nullptr;
    Words words_{};
    int left_ = 0;
};

}  // namespace karat
