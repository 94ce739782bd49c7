// The vector kernels that draw random numbers.
#pragma once

#include <cstdint>

namespace karat {

// Counters of random numbers that are drawn together, and their words.
constexpr int kPlaces = 16;
constexpr int kPlaceWords = 4 * kPlaces;

// A distribution function of whole numbers: of words up to until[0] the number is `least`, up to until[1] one
// more, and so on. Few words are above until[n_usual - 1].
struct CountSteps {
    const uint32_t* until;
    int64_t n, n_usual;  // 1 <= n_usual <= n
    int32_t least;
};

struct RandomLanes {
    // Words of Philox (random.hpp) of kPlaces counters, place by place. Of place j the first number is
    // counter[0] + j · steps[0], the second counter[1] + j · steps[1].
    void (*words)(const uint32_t counter[4], uint64_t key, const uint32_t steps[2], uint32_t* out);

    // out[i] = factors[i] · (least + how many of `until` are below words[i]), of kPlaceWords words.
    void (*count_below)(const uint32_t* words, const CountSteps& steps, const double* factors, double* out);
};

}  // namespace karat
