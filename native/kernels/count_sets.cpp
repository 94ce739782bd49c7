#include "kernels/count_sets.hpp"

#include <vector>

namespace karat {
namespace {

constexpr int64_t kTaskRows = 4096;
constexpr int64_t kItemsForThreads = 400000;
constexpr int64_t kParts = 4, kThird = 3;

// Calls add(part, label) for each label of a row; returns how many are in both sets.
template <class Add>
int64_t add_row(const SetsView& truth, const SetsView& pred, const SetsView* third, int64_t row, int64_t k,
                const Add& add) {
    int64_t hits = 0;
    merge_sets(truth, pred, row, k, [&](Side side, int64_t label, int64_t, int64_t) {
        hits += side == kInBoth;
        add(side, label);
    });
    if (third == nullptr) return hits;
    const SetRow own = row_of(*third, row);
    Ascending labels(k);
    for (int64_t i = own.first; i < own.last; ++i) add(kThird, labels.next(third->items[i]));
    return hits;
}

}  // namespace

void count_sets(const SetsView& truth, const SetsView& pred, const SetsView* third, const double* weights,
                int64_t k, const SetSums& sums, int64_t* hits, int n_threads, Poll poll) {
    check_ends(truth);
    check_ends(pred);
    if (third != nullptr) check_ends(*third);
    const int64_t n = truth.n, m = truth.m + pred.m;
    // Weights are added in one order; tables that are longer than the work are not worth a thread.
    const bool is_shared = weights == nullptr && m >= kItemsForThreads && kParts * k < m;
    const int n_slots = is_shared ? thread_limit(n_threads) : 1;
    std::vector<std::vector<int64_t>> others(static_cast<size_t>(n_slots - 1));
    const auto count = [&](int slot, int64_t task) {
        const int64_t first = task * kTaskRows, last = std::min(n, first + kTaskRows);
        if (weights != nullptr) {
            for (int64_t row = first; row < last; ++row) {
                const double w = weights[row], square = w * w;
                hits[row] = add_row(truth, pred, third, row, k, [&](int64_t part, int64_t label) {
                    const int64_t at = part * k + label;
                    sums.rows[at] += w > 0;
                    sums.weights[at] += w;
                    sums.squares[at] += square;
                });
            }
            return;
        }
        int64_t* rows = sums.rows;
        if (slot > 0) {
            others[slot - 1].resize(static_cast<size_t>(kParts * k));
            rows = others[slot - 1].data();
        }
        for (int64_t row = first; row < last; ++row)
            hits[row] = add_row(truth, pred, third, row, k,
                                [&](int64_t part, int64_t label) { ++rows[part * k + label]; });
    };
    parallel(n_slots, (n + kTaskRows - 1) / kTaskRows, count, poll);
    for (const std::vector<int64_t>& rows : others)
        for (size_t at = 0; at < rows.size(); ++at) sums.rows[at] += rows[at];
}

}  // namespace karat
