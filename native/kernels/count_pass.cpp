#include "kernels/count_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

constexpr int64_t kRowsForThreads = 200000;  // below, waking threads costs more than it gives
constexpr int64_t kMostTaskRows = int64_t{1} << 20;
constexpr int64_t kRowsForPoll = int64_t{1} << 26;
// Rows for each entry of a further table, whose clearing and adding up must pay.
constexpr int64_t kRowsPerEntry = 16;
constexpr int64_t kLeastSegment = 100000, kMostSegments = 64;
// uint32 counts are flushed before they could overflow.
constexpr int64_t kFlushRows = std::numeric_limits<uint32_t>::max() - kMostTaskRows;

const double* weight_at(Weights weights, int64_t row) {
    return reinterpret_cast<const double*>(reinterpret_cast<const char*>(weights.data) +
                                           row * weights.stride);
}

}  // namespace

CountPass::CountPass(const Column& truth, const Column& pred, Weights weights, Layout layout,
                     const Options& options, Window window, int64_t most_width)
    : weights_(weights),
      layout_(layout),
      options_(options),
      window_(window),
      most_width_(most_width),
      is_discovered_(true) {
    truth_.column = truth;
    pred_.column = pred;
}

CountPass::CountPass(const Codes& truth, const Codes& pred, Weights weights, Layout layout,
                     const Options& options, Window window)
    : truth_(truth),
      pred_(pred),
      weights_(weights),
      layout_(layout),
      options_(options),
      window_(window),
      most_width_(window.width),
      is_discovered_(false) {}

Poll CountPass::poll() const { return n_rows() >= kRowsForPoll ? options_.poll : nullptr; }

void CountPass::open(Slot& slot, Window window, int64_t expected_rows) const {
    const auto reader = [&](const Codes& codes) {
        if (is_discovered_) return Reader(codes.column, window, nullptr);
        return Reader(codes.column, {codes.base, static_cast<uint32_t>(codes.n_lut)}, codes.lut);
    };
    slot.truth = reader(truth_);
    slot.pred = reader(pred_);
    slot.counter.open(window, expected_rows);
}

// A block left the window: keeps what is counted and goes on with a wider one. Room on the side
// that gave way makes the number of such steps logarithmic when labels come sorted.
bool CountPass::widen(Slot& slot, Sums& sums, int64_t first, int64_t n) {
    int64_t low[2], high[2];
    span_of(truth_.column, first, n, &low[0], &high[0]);
    span_of(pred_.column, first, n, &low[1], &high[1]);
    const Window before = slot.counter.window();
    int64_t least = std::min({low[0], low[1], before.base});
    int64_t most = std::max({high[0], high[1], before.base + (int64_t{before.width} - 1)});
    const uint64_t needed = uint64_t(most) - uint64_t(least);
    // The largest int64 may stand for a value beyond it.
    constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(),
                      kMost = std::numeric_limits<int64_t>::max();
    if (most == kMost || needed >= uint64_t(most_width_)) {
        is_too_wide_ = true;
        return false;
    }
    const int64_t room = std::min(most_width_ - 1 - int64_t(needed), int64_t(needed) / 4);
    if (least < before.base)
        least = std::max(least, kLeast + room) - room;
    else
        most = std::min(most, kMost - room) + room;
    slot.counter.flush(sums);
    open(slot, {least, static_cast<uint32_t>(most - least + 1)}, n_rows() - first);
    return true;
}

// Classes of a block into scratch.truth and scratch.pred, all of them below the window's width.
bool CountPass::read(Slot& slot, Sums& sums, int64_t first, int64_t n, uint32_t* most) {
    const auto both = [&] {
        const uint32_t most_true = slot.truth.read(first, n, slot.scratch.truth);
        const uint32_t most_pred = slot.pred.read(first, n, slot.scratch.pred);
        *most = std::max(most_true, most_pred);
        return *most != Reader::kOutside;
    };
    if (both()) return true;
    if (!is_discovered_) {
        is_bad_ = true;
        return false;
    }
    if (!widen(slot, sums, first, n)) return false;
    if (both()) return true;
    // Only when someone writes to the array meanwhile.
    is_too_wide_ = true;
    return false;
}

const double* CountPass::read_weights(Scratch& scratch, int64_t first, int64_t n) const {
    if (weights_.stride == int64_t{sizeof(double)}) return weight_at(weights_, first);
    for (int64_t i = 0; i < n; ++i) scratch.weights[i] = *weight_at(weights_, first + i);
    return scratch.weights;
}

// The rows of the next block, as long as there is a whole one.
Ahead CountPass::ahead_of(const Slot& slot, int64_t first, int64_t last) const {
    Ahead ahead(slot.scratch.index);
    const int64_t next = first + kBlock;
    if (next + kBlock > last) return ahead;
    ahead.truth = slot.truth.stream(next, ahead.truth);
    ahead.pred = slot.pred.stream(next, ahead.pred);
    if (is_weighted())
        ahead.weights = {reinterpret_cast<const char*>(weight_at(weights_, next)),
                         8 * weights_.stride};
    return ahead;
}

bool CountPass::count_block(Slot& slot, Sums& sums, int64_t first, int64_t n, int64_t last) {
    uint32_t most;
    if (!read(slot, sums, first, n, &most)) return false;
    if (!slot.counter.prepare(n, most)) return true;
    const Ahead ahead = ahead_of(slot, first, last);
    if (!is_weighted()) {
        slot.counter.add(n, ahead);
        return true;
    }
    if (slot.counter.add_weighted(n, read_weights(slot.scratch, first, n), ahead)) return true;
    is_bad_ = true;
    return false;
}

void CountPass::count_rows(Slot& slot, Sums& sums, int64_t first, int64_t last) {
    for (int64_t at = first; at < last; at += kBlock) {
        if (is_bad_.load(std::memory_order_relaxed) || is_too_wide_.load(std::memory_order_relaxed))
            return;
        if (!count_block(slot, sums, at, std::min(kBlock, last - at), last)) return;
    }
}

Tally CountPass::finish(Slot& slot) const {
    const Finish how{slot.counter.window(), is_discovered_, options_.cells};
    const auto made = [&](auto rows) {
        return layout_ == Layout::cells ? finish_cells(rows, how) : finish_marginals(rows, how);
    };
    return is_weighted() ? made(slot.counter.folded_weights()) : made(slot.counter.folded_rows());
}

Tally CountPass::finish(const Sums& sums) const {
    const Finish how{sums.window, is_discovered_, options_.cells};
    const auto made = [&](auto rows) {
        return layout_ == Layout::cells ? finish_cells(rows, how) : finish_marginals(rows, how);
    };
    return is_weighted() ? made(sums.weighted.data()) : made(sums.rows.data());
}

// On the calling thread, and when the window held, without a copy of the table.
Tally CountPass::run_alone() {
    Slot slot(layout_, is_weighted(), Scratch::mine());
    Sums sums;
    open(slot, window_, n_rows());
    count_rows(slot, sums, 0, n_rows());
    if (is_bad_ || is_too_wide_) return {};
    if (!slot.counter.was_flushed()) return finish(slot);
    slot.counter.flush(sums);
    return finish(sums);
}

// Integers: the order of additions does not matter, so that any thread counts any rows.
Tally CountPass::run_unweighted(int n_slots) {
    const int64_t n = n_rows();
    const int64_t fair = (n / (4 * n_slots) + kBlock) / kBlock * kBlock;
    const int64_t task_rows = std::clamp(fair, 16 * kBlock, kMostTaskRows);
    // Tables of their own: a thread's scratch memory is free for others once parallel() returns.
    std::vector<std::unique_ptr<Scratch>> scratches(n_slots);
    std::vector<std::optional<Slot>> slots(n_slots);
    std::vector<Sums> sums(n_slots);
    const auto count = [&](int id, int64_t task) {
        std::optional<Slot>& slot = slots[id];
        if (!slot) {
            scratches[id].reset(new Scratch);
            slot.emplace(layout_, false, *scratches[id]);
            open(*slot, window_, n / n_slots);
        }
        const int64_t first = task * task_rows, last = std::min(n, first + task_rows);
        count_rows(*slot, sums[id], first, last);
        slot->rows += last - first;
        if (slot->rows > kFlushRows) {
            slot->counter.flush(sums[id]);
            slot->rows = 0;
        }
    };
    parallel(n_slots, (n + task_rows - 1) / task_rows, count, poll());
    if (is_bad_ || is_too_wide_) return {};
    Sums total;
    for (int id = 0; id < n_slots; ++id) {
        if (!slots[id]) continue;
        slots[id]->counter.flush(sums[id]);
        total.add(layout_, sums[id]);
    }
    return finish(total);
}

// Doubles: fixed segments of rows, each counted from an empty table, added in their order. What a
// segment does depends on its own rows and on the guessed window only, so that any number of
// threads gives the same bits.
Tally CountPass::run_segments(int64_t n_segments) {
    const int64_t n = n_rows();
    const int64_t rows = (n / n_segments + kBlock) / kBlock * kBlock;
    std::vector<Sums> sums(n_segments);
    const auto count = [&](int, int64_t segment) {
        Slot slot(layout_, true, Scratch::mine());
        open(slot, window_, rows);
        count_rows(slot, sums[segment], segment * rows, std::min(n, segment * rows + rows));
        slot.counter.flush(sums[segment]);
        slot.scratch.tables.trim();
    };
    const int n_slots = n >= kRowsForThreads ? thread_limit(options_.n_threads) : 1;
    parallel(n_slots, n_segments, count, poll());
    if (is_bad_ || is_too_wide_) return {};
    Sums total;
    for (Sums& each : sums) {
        total.add(layout_, each);
        each = Sums();
    }
    return finish(total);
}

// A NaN or infinite weight leaves a sum that is not finite; so may finite weights near the end of
// the range, which are accepted.
bool CountPass::has_bad_sum(const Tally& tally) const {
    double total = 0;
    for (const double sum : tally.tp_w) total += sum;
    for (const double sum : tally.fn_w) total += sum;
    return !std::isfinite(total);
}

// Some row may be bad: finds the first, of the first argument that has one.
void CountPass::reject() const {
    if (!is_discovered_) {
        Slot slot(layout_, false, Scratch::mine());
        open(slot, {0, 1}, 0);
        slot.truth.reject_first(Argument::truth);
        slot.pred.reject_first(Argument::pred);
    }
    for (int64_t i = 0; is_weighted() && i < n_rows(); ++i) {
        const double weight = *weight_at(weights_, i);
        if (!std::isfinite(weight)) throw Rejected("bad_weight", Argument::weights, i);
        if (weight < 0) throw Rejected("negative_weight", Argument::weights, i);
    }
}

// How many tables there may be besides one another.
int64_t CountPass::n_tables(int64_t least_rows) const {
    const int64_t size = table_size(layout_, window_.width);
    return std::max<int64_t>(1, n_rows() / std::max(least_rows, kRowsPerEntry * size));
}

std::optional<Tally> CountPass::run() {
    const int64_t n = n_rows();
    Tally tally;
    if (is_weighted()) {
        const int64_t n_segments = std::min(kMostSegments, n_tables(kLeastSegment));
        tally = n_segments > 1 || poll() != nullptr ? run_segments(n_segments) : run_alone();
    } else {
        const int64_t most = n < kRowsForThreads ? 1 : n_tables(kRowsForThreads / 2);
        const int n_slots =
            most == 1 ? 1
                      : static_cast<int>(std::min<int64_t>(most, thread_limit(options_.n_threads)));
        const bool is_long = poll() != nullptr || n > kFlushRows;
        tally = n_slots > 1 || is_long ? run_unweighted(n_slots) : run_alone();
    }
    Scratch::mine().tables.trim();
    if (is_too_wide_) return std::nullopt;
    if (is_bad_ || (is_weighted() && has_bad_sum(tally))) reject();
    // Only when someone wrote to the arrays meanwhile.
    if (is_bad_) throw std::runtime_error("the arrays changed while they were counted");
    tally.n_rows = n;
    return tally;
}

}  // namespace karat
