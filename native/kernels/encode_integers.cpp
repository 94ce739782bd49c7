#include "kernels/encode_integers.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "kernels/read_block.hpp"
#include "kernels/rejected.hpp"
#include "kernels/scratch.hpp"
#include "kernels/threads.hpp"

namespace karat {
namespace {

constexpr int64_t kMostCodes = std::numeric_limits<int32_t>::max();

// A table for each thread; one that is longer than this is filled by one thread.
constexpr uint32_t kWidthForThreads = 4096;
constexpr int64_t kItemsForThreads = 200000, kTaskItems = 32 * kBlock;

// Few values over a short range: mark those that occur, number them in order.
class TableEncoder {
public:
    // Both ends of the window occur.
    TableEncoder(const Column& column, Window window, int n_threads)
        : n_(column.n),
          window_(window),
          reader_(column, window, nullptr),
          n_tasks_((n_ + kTaskItems - 1) / kTaskItems),
          n_slots_(n_ < kItemsForThreads || window.width > kWidthForThreads
                       ? 1
                       : thread_limit(n_threads)),
          marks_(static_cast<size_t>(n_slots_)) {}

    // False when a value lies outside of the window.
    bool run(int32_t* codes, std::vector<int64_t>& values) {
        std::atomic<bool> is_outside{false};
        parallel(n_slots_, n_tasks_, [&](int slot, int64_t task) {
            if (is_outside) return;
            if (!read(task, marks_[static_cast<size_t>(slot)], codes)) is_outside = true;
        }, nullptr);
        if (is_outside) return false;
        const std::vector<int32_t> code_of = number(values);
        // Offsets are the codes where no value of the range is missing.
        if (values.size() < window_.width)
            parallel(n_slots_, n_tasks_, [&](int, int64_t task) {
                const int64_t end = end_of(task);
                for (int64_t i = task * kTaskItems; i < end; ++i) codes[i] = code_of[codes[i]];
            }, nullptr);
        return true;
    }

private:
    // Which values were seen, and how many were not.
    struct Marks {
        std::vector<uint8_t> seen;
        int64_t n_missing = 0;
    };

    int64_t end_of(int64_t task) const { return std::min(n_, (task + 1) * kTaskItems); }

    bool read(int64_t task, Marks& marks, int32_t* codes) const {
        if (marks.seen.empty()) {
            marks.seen.assign(window_.width, 0);
            marks.seen.front() = marks.seen.back() = 1;
            marks.n_missing = std::max(int64_t{window_.width} - 2, int64_t{0});
        }
        uint32_t* offsets = Scratch::mine().truth;
        const int64_t end = end_of(task);
        for (int64_t first = task * kTaskItems; first < end; first += kBlock) {
            const int64_t n = std::min(kBlock, end - first);
            if (reader_.read(first, n, offsets) == Reader::kOutside) return false;
            std::copy_n(offsets, n, codes + first);
            for (int64_t i = 0; marks.n_missing > 0 && i < n; ++i) {
                marks.n_missing -= marks.seen[offsets[i]] == 0;
                marks.seen[offsets[i]] = 1;
            }
        }
        return true;
    }

    std::vector<int32_t> number(std::vector<int64_t>& values) const {
        std::vector<int32_t> code_of(window_.width);
        for (int64_t i = 0; i < window_.width; ++i) {
            const auto saw = [&](const Marks& marks) { return !marks.seen.empty() && marks.seen[i]; };
            if (std::none_of(marks_.begin(), marks_.end(), saw)) continue;
            code_of[i] = static_cast<int32_t>(values.size());
            values.push_back(window_.base + i);
        }
        return code_of;
    }

    const int64_t n_;
    const Window window_;
    const Reader reader_;
    const int64_t n_tasks_;
    const int n_slots_;
    std::vector<Marks> marks_;
};

// Open addressing, at most half full.
class ValueTable {
public:
    ValueTable() : slots_(1024, Slot{0, -1}) {}

    int32_t code_of(int64_t value) {
        size_t at = home(value);
        while (slots_[at].code >= 0) {
            if (slots_[at].value == value) return slots_[at].code;
            at = (at + 1) & (slots_.size() - 1);
        }
        if (static_cast<int64_t>(values_.size()) >= kMostCodes)
            throw std::length_error("more than 2^31 - 1 labels");
        const int32_t code = static_cast<int32_t>(values_.size());
        slots_[at] = {value, code};
        values_.push_back(value);
        if (2 * values_.size() > slots_.size()) grow();
        return code;
    }

    std::vector<int64_t>& values() { return values_; }

private:
    struct Slot {
        int64_t value;
        int32_t code;  // -1: free
    };

    size_t home(int64_t value) const {
        // Fibonacci hashing: the high bits of the product depend on all bits of the value.
        uint64_t mixed = static_cast<uint64_t>(value) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 32;
        return static_cast<size_t>(mixed * 0x9e3779b97f4a7c15u >> 20) & (slots_.size() - 1);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{0, -1});
        for (size_t code = 0; code < values_.size(); ++code) {
            size_t at = home(values_[code]);
            while (slots_[at].code >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {values_[code], static_cast<int32_t>(code)};
        }
    }

    std::vector<Slot> slots_;
    std::vector<int64_t> values_;  // by code
};

std::vector<int64_t> encode_by_hash(const Column& column, int32_t* codes) {
    int64_t* wide = Scratch::mine().wide;
    ValueTable table;
    for (int64_t first = 0; first < column.n; first += kBlock) {
        const int64_t n = std::min(kBlock, column.n - first);
        gather_integers(column, first, n, wide);
        for (int64_t i = 0; i < n; ++i) codes[first + i] = table.code_of(wide[i]);
    }
    // From the order of first appearance to ascending order.
    std::vector<int64_t>& values = table.values();
    std::vector<int32_t> order(values.size()), rank(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return values[a] < values[b]; });
    for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<int32_t>(i);
    for (int64_t i = 0; i < column.n; ++i) codes[i] = rank[codes[i]];
    std::sort(values.begin(), values.end());
    return std::move(values);
}

void reject_beyond_int64(const Column& column) {
    if (column.kind != Kind::u64) return;
    for (int64_t i = 0; i < column.n; ++i)
        if (*static_cast<const uint64_t*>(column.row(i)) >
            static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            throw Rejected("range", Argument::truth, i);
}

}  // namespace

std::vector<int64_t> encode_integers(const Column& column, int32_t* codes, int n_threads) {
    std::vector<int64_t> values;
    if (column.n == 0) return values;
    int64_t least, most;
    const auto width = [&] { return uint64_t(most) - uint64_t(least); };
    const auto by_table = [&] {
        const Window window{least, static_cast<uint32_t>(width() + 1)};
        return TableEncoder(column, window, n_threads).run(codes, values);
    };
    // The first rows often hold the least and the largest value: then one read is enough.
    if (column.n > kBlock) {
        span_of(column, 0, kBlock, &least, &most);
        if (width() < kWidthForThreads && by_table()) return values;
    }
    span_of(column, 0, column.n, &least, &most);
    if (most == std::numeric_limits<int64_t>::max()) reject_beyond_int64(column);
    const int64_t limit =
        std::min<int64_t>(int64_t{1} << 26, std::max<int64_t>(65536, 4 * column.n));
    if (width() >= uint64_t(limit)) return encode_by_hash(column, codes);
    // The range was measured, yet it is checked again: the array may change under us.
    if (!by_table()) throw std::runtime_error("the data changed while it was encoded");
    return values;
}

}  // namespace karat
