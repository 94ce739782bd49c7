// Counts the rows whose two labels are the same, whatever the classes.
#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/choose_isa.hpp"
#include "kernels/count.hpp"
#include "kernels/read_block.hpp"

namespace karat {
namespace {

constexpr int64_t kRowsForThreads = 400000;  // below, waking threads costs more than it gives
constexpr int64_t kTaskRows = int64_t{1} << 17;
constexpr int64_t kRowsForPoll = int64_t{1} << 26;
// Losses of torch leave such rows out: whether they count is for the caller to say.
constexpr int64_t kIgnored = -100;

// Labels of any kind and stride, block by block. False when one lies beyond int64, or is ignored.
bool count_gathered(const Column& truth, const Column& pred, int64_t first, int64_t last,
                    int64_t* equal) {
    int64_t of_truth[kBlock], of_pred[kBlock];
    for (int64_t at = first; at < last; at += kBlock) {
        const int64_t n = std::min(kBlock, last - at);
        const bool fits = gather_integers(truth, at, n, of_truth);
        if (!gather_integers(pred, at, n, of_pred) || !fits) return false;
        *equal += lanes().equal[3](of_truth, of_pred, n);
        if (std::find(of_truth, of_truth + n, kIgnored) != of_truth + n) return false;
    }
    return true;
}

// Whether a block of consecutive labels has one that is ignored.
template <class T>
bool has_ignored(const void* labels, int64_t n) {
    static const std::vector<T> ignored(kBlock, static_cast<T>(kIgnored));
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return lanes().equal[width](labels, ignored.data(), n) > 0;
}

bool has_ignored(const Column& labels, int64_t first, int64_t n) {
    switch (labels.kind) {
        case Kind::i8: return has_ignored<int8_t>(labels.row(first), n);
        case Kind::i16: return has_ignored<int16_t>(labels.row(first), n);
        case Kind::i32: return has_ignored<int32_t>(labels.row(first), n);
        case Kind::i64: return has_ignored<int64_t>(labels.row(first), n);
        default: return false;
    }
}

// Equal labels, block by block, so that what is compared twice is still in the cache.
bool count_direct(const Column& truth, const Column& pred, int64_t first, int64_t last,
                  int64_t* equal) {
    const auto rows_equal = lanes().equal[static_cast<int>(truth.kind) / 2];
    for (int64_t at = first; at < last; at += kBlock) {
        const int64_t n = std::min(kBlock, last - at);
        *equal += rows_equal(truth.row(at), pred.row(at), n);
        if (has_ignored(truth, at, n)) return false;
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
        const auto rows = is_direct ? count_direct : count_gathered;
        if (!rows(truth, pred, first, last, &found)) fits = false;
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
