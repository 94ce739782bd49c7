// Score levels on which own rows and others stand together.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/read_words.hpp"

namespace karat {

// Of sorted words: the rest of a score level are words first to border - 1, its own rows border to last - 1.
struct Border {
    int64_t first, border, last;
};

// Around a word that is of the own class, after one of the same score level that is not.
template <class Reader>
Border border_at(const Reader& reader, int64_t n, int64_t border) {
    Border found{border - 1, border, border + 1};
    while (found.first > 0 && reader.same(found.first - 1, border)) --found.first;
    while (found.last < n && reader.same(found.last, border)) ++found.last;
    return found;
}

}  // namespace karat
