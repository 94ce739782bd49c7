// Plans a pass: the layout of the tables and the window of classes.
#include "kernels/count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/count_pass.hpp"

namespace karat {
namespace {

// Up to this many classes a row costs less in a table of cells than in one of marginals, where it
// changes two entries.
constexpr int64_t kCellsAreCheaper = 64;

int64_t most_discovered_width(Layout layout, int64_t n) {
    if (layout == Layout::marginals)
        return std::min(kMostMarginalClasses, std::max<int64_t>(65536, n));
    const double cells = std::max(65536.0, 8.0 * static_cast<double>(n));
    return std::min<int64_t>(2048, static_cast<int64_t>(std::sqrt(cells)));
}

// The range of values, guessed from the first block and, in a long column, from samples over its
// whole length; exact when there is only one block. A wrong guess costs time, never a row.
bool guess_window(const Column& truth, const Column& pred, int64_t most_width, Window* window) {
    constexpr int64_t kSpots = 16, kSpotRows = 256;
    int64_t least = std::numeric_limits<int64_t>::max(), most = std::numeric_limits<int64_t>::min();
    const auto look = [&](int64_t first, int64_t n) {
        for (const Column* column : {&truth, &pred}) {
            int64_t low, high;
            span_of(*column, first, n, &low, &high);
            least = std::min(least, low);
            most = std::max(most, high);
        }
    };
    look(0, std::min(truth.n, kBlock));
    if (truth.n > kBlock)
        for (int64_t spot = 1; spot <= kSpots; ++spot)
            look((truth.n - kSpotRows) / kSpots * spot, kSpotRows);
    const uint64_t needed = uint64_t(most) - uint64_t(least);
    // The largest int64 may stand for a value beyond it.
    if (most == std::numeric_limits<int64_t>::max() || needed >= uint64_t(most_width)) return false;
    *window = {least, static_cast<uint32_t>(needed + 1)};
    return true;
}

void check_lut(const Codes& codes, int64_t k) {
    if (codes.n_lut >= Reader::kOutside)
        throw std::invalid_argument("the lookup table is too long");
    if (codes.lut == nullptr) return;
    for (int64_t i = 0; i < codes.n_lut; ++i)
        if (codes.lut[i] < -1 || codes.lut[i] >= k)
            throw std::invalid_argument("an entry of the lookup table is neither -1 nor a class");
}

}  // namespace

std::optional<Tally> count_discovered(const Column& truth, const Column& pred, Weights weights,
                                      const Options& options) {
    const Layout layout = options.cells ? Layout::cells : Layout::marginals;
    const int64_t most_width = most_discovered_width(layout, truth.n);
    Window window;
    if (!guess_window(truth, pred, most_width, &window)) return std::nullopt;
    if (layout == Layout::marginals && window.width <= kCellsAreCheaper) {
        CountPass pass(truth, pred, weights, Layout::cells, options, window, 2 * kCellsAreCheaper);
        if (std::optional<Tally> tally = pass.run()) return tally;
    }
    return CountPass(truth, pred, weights, layout, options, window, most_width).run();
}

Tally count_declared(const Codes& truth, const Codes& pred, int64_t k, Weights weights,
                     const Options& options) {
    const int64_t most = options.cells ? kMostCellClasses : kMostMarginalClasses;
    if (k < 1 || k > most)
        throw std::invalid_argument("k must be between 1 and " + std::to_string(most));
    Codes codes[2] = {truth, pred};
    for (Codes& each : codes) {
        if (each.lut == nullptr) each.n_lut = k;
        check_lut(each, k);
    }
    const Layout layout =
        options.cells || k <= kCellsAreCheaper ? Layout::cells : Layout::marginals;
    const Window window{0, static_cast<uint32_t>(k)};
    return *CountPass(codes[0], codes[1], weights, layout, options, window).run();
}

}  // namespace karat
