#include "kernels/resample_counts.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/choose_isa.hpp"
#include "kernels/draw.hpp"
#include "kernels/draw_totals.hpp"

namespace karat {
namespace {

void resample(const int64_t* counts, int64_t m, int64_t rows, const Source& source, int64_t* out) {
    int64_t left = rows, weight = rows, i = 0;
    for (; i < m && left > 0; ++i) {
        if (counts[i] == weight) {
            out[i++] = left;
            break;
        }
        Draws draws(source, Purpose::cells, i);
        out[i] = draw_binomial(
            left, static_cast<double>(counts[i]) / static_cast<double>(weight), draws);
        left -= out[i];
        weight -= counts[i];
    }
    std::fill(out + i, out + m, int64_t{0});
}

}  // namespace

void resample_counts(const int64_t* counts, int64_t m, uint64_t seed, uint32_t stream,
                     int64_t first, int64_t count, int64_t* out, int n_threads, Poll poll) {
    constexpr int64_t kMostRows = int64_t{1} << 52;
    if (m > kMostItems) throw std::invalid_argument("more than 2^32 cells");
    int64_t rows = 0;
    for (int64_t i = 0; i < m; ++i) {
        if (counts[i] < 0 || counts[i] > kMostRows - rows)
            throw std::invalid_argument("a count is negative, or there are more than 2^52 rows");
        rows += counts[i];
    }
    each_replicate(count, m, n_threads, [&](int, int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b)
            resample(counts, m, rows, {seed, stream, static_cast<uint32_t>(first + b)}, out + b * m);
    }, poll);
}

void resample_items(const Source& source, int64_t n, int32_t* counts) {
    std::fill(counts, counts + n, 0);
    const auto width = static_cast<uint64_t>(n);
    // Of the products of a word with n those are refused whose low half makes some items likelier:
    // Lemire (2019). Fast random integer generation in an interval.
    const uint64_t refused = n > 0 ? (uint64_t{1} << 32) % width : 0;
    int64_t drawn = 0;
    const Lanes& lanes = karat::lanes();
    uint32_t words[kPlaceWords];
    for (uint64_t place = 0; drawn < n; place += kPlaces) {
        source.next_words(lanes, Purpose::items, static_cast<uint32_t>(place >> 32),
                          static_cast<uint32_t>(place), words);
        for (int i = 0; i < kPlaceWords && drawn < n; ++i) {
            const uint64_t product = words[i] * width;
            if (static_cast<uint32_t>(product) < refused) continue;
            ++counts[product >> 32];
            ++drawn;
        }
    }
}

}  // namespace karat
