// From a table of cells, true × predicted, to a tally.
#include "kernels/count.hpp"

namespace karat {
namespace {

// The offsets of the classes, in order: row i of the matrix is the class of offset kept[i].
template <class Occurs>
std::vector<int64_t> kept_classes(Finish how, const Occurs& occurs) {
    std::vector<int64_t> kept;
    kept.reserve(how.window.width);
    for (int64_t i = 0; i < how.window.width; ++i)
        if (!how.discovered || occurs(i)) kept.push_back(i);
    return kept;
}

Tally tally_of(const std::vector<int64_t>& kept, Finish how, bool weighted) {
    Tally tally;
    tally.k = static_cast<int64_t>(kept.size());
    tally.has_cells = how.cells;
    tally.weighted = weighted;
    tally.discovered = how.discovered;
    if (how.discovered) {
        tally.labels = kept;
        for (int64_t& label : tally.labels) label += how.window.base;
    }
    tally.tp.resize(kept.size()), tally.fp.resize(kept.size()), tally.fn.resize(kept.size());
    return tally;
}

template <class Count>
void copy_counts(const Count* rows, int64_t width, const std::vector<int64_t>& kept, Tally& tally) {
    const size_t k = kept.size();
    tally.counts.reserve(k * k);
    // The classes are often consecutive: then a row is one copy.
    const bool is_run = k > 0 && kept.back() - kept.front() + 1 == static_cast<int64_t>(k);
    for (const int64_t i : kept) {
        const Count* row = rows + i * width;
        if (is_run)
            tally.counts.insert(tally.counts.end(), row + kept.front(), row + kept.front() + k);
        else
            for (const int64_t j : kept) tally.counts.push_back(static_cast<int64_t>(row[j]));
    }
}

}  // namespace

template <class Count>
Tally finish_cells(const Count* rows, Finish how) {
    const int64_t width = how.window.width;
    std::vector<int64_t> total(2 * width);
    int64_t* by_truth = total.data();
    int64_t* by_pred = by_truth + width;
    for (int64_t i = 0; i < width; ++i) {
        int64_t sum = 0;
        for (int64_t j = 0; j < width; ++j) {
            const int64_t count = rows[i * width + j];
            sum += count;
            by_pred[j] += count;
        }
        by_truth[i] = sum;
    }
    const std::vector<int64_t> kept =
        kept_classes(how, [&](int64_t i) { return (by_truth[i] | by_pred[i]) != 0; });
    Tally tally = tally_of(kept, how, false);
    for (size_t k = 0; k < kept.size(); ++k) {
        const int64_t i = kept[k], hit = rows[i * width + i];
        tally.tp[k] = hit;
        tally.fp[k] = by_pred[i] - hit;
        tally.fn[k] = by_truth[i] - hit;
    }
    if (how.cells) copy_counts(rows, width, kept, tally);
    return tally;
}

Tally finish_cells(const WeightedEntry* rows, Finish how) {
    const int64_t width = how.window.width;
    std::vector<uint8_t> occurs(width);
    for (int64_t i = 0; how.discovered && i < width; ++i)
        for (int64_t j = 0; j < width; ++j)
            if (rows[i * width + j].rows > 0) occurs[i] = occurs[j] = 1;
    const std::vector<int64_t> kept = kept_classes(how, [&](int64_t i) { return occurs[i] != 0; });

    Tally tally = tally_of(kept, how, true);
    const size_t k = kept.size();
    tally.tp_w.resize(k), tally.fp_w.resize(k), tally.fn_w.resize(k);
    tally.tp_w2.resize(k), tally.fp_w2.resize(k), tally.fn_w2.resize(k);
    if (how.cells) tally.sums.reserve(k * k), tally.squares.reserve(k * k);
    for (size_t i = 0; i < k; ++i)
        for (size_t j = 0; j < k; ++j) {
            const WeightedEntry& cell = rows[kept[i] * width + kept[j]];
            const int64_t count = static_cast<int64_t>(cell.positive);
            if (how.cells) {
                tally.sums.push_back(cell.weight);
                tally.squares.push_back(cell.square);
            }
            if (i == j) {
                tally.tp[i] = count;
                tally.tp_w[i] = cell.weight;
                tally.tp_w2[i] = cell.square;
            } else {
                tally.fn[i] += count, tally.fp[j] += count;
                tally.fn_w[i] += cell.weight, tally.fp_w[j] += cell.weight;
                tally.fn_w2[i] += cell.square, tally.fp_w2[j] += cell.square;
            }
        }
    return tally;
}

template Tally finish_cells(const uint32_t*, Finish);
template Tally finish_cells(const int64_t*, Finish);

}  // namespace karat
