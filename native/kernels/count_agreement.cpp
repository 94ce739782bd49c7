// Counts the rows whose two labels are the same, whatever the classes.
#include <algorithm>
#include <atomic>

#include "kernels/choose_isa.hpp"
#include "kernels/count.hpp"
#include "kernels/read_block.hpp"

namespace karat {
namespace {

constexpr int64_t kRowsForThreads = 400000;  // below, waking threads costs more than it gives
constexpr int64_t kTaskRows = int64_t{1} << 17;
constexpr int64_t kRowsForPoll = int64_t{1} << 26;

// Labels of any kind and stride, block by block. False when one lies beyond int64.
bool count_gathered(const Column& truth, const Column& pred, int64_t first, int64_t last,
                    int64_t* equal) {
    int64_t of_truth[kBlock], of_pred[kBlock];
    for (int64_t at = first; at < last; at += kBlock) {
        const int64_t n = std::min(kBlock, last - at);
        const bool fits = gather_integers(truth, at, n, of_truth);
        if (!gather_integers(pred, at, n, of_pred) || !fits) return false;
        *equal += lanes().equal[3](of_truth, of_pred, n);
    }
    return true;
}

}  // namespace

std::optional<Tally> count_agreement(const Column& truth, const Column& pred, int n_threads,
                                     Poll poll) {
    const int64_t n = truth.n;
    const bool is_direct =
        truth.kind == pred.kind && truth.is_contiguous() && pred.is_contiguous();
    std::atomic<int64_t> equal{0};
    std::atomic<bool> fits{true};
    const auto count = [&](int, int64_t task) {
        const int64_t first = task * kTaskRows, last = std::min(n, first + kTaskRows);
        int64_t found = 0;
        if (is_direct)
            found = lanes().equal[static_cast<int>(truth.kind) / 2](
                truth.row(first), pred.row(first), last - first);
        else if (!count_gathered(truth, pred, first, last, &found))
            fits = false;
        equal += found;
    };
    const int64_t n_tasks = (n + kTaskRows - 1) / kTaskRows;
    if (n_tasks == 1) {
        count(0, 0);
    } else {
        const int n_slots = n < kRowsForThreads ? 1 : thread_limit(n_threads);
        parallel(n_slots, n_tasks, count, n >= kRowsForPoll ? poll : nullptr);
    }
    if (!fits) return std::nullopt;
    Tally tally;
    tally.k = 2;
    tally.n_rows = n;
    tally.tp = {equal, 0};
    tally.fp = {0, n - equal};
    tally.fn = {n - equal, 0};
    return tally;
}

}  // namespace karat
