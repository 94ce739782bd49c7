#include "kernels/encode_integers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "kernels/read_block.hpp"
#include "kernels/rejected.hpp"
#include "kernels/scratch.hpp"

namespace karat {
namespace {

constexpr int64_t kMostCodes = std::numeric_limits<int32_t>::max();

// Few values over a short range: mark those that occur, number them in order.
std::vector<int64_t> encode_by_table(const Column& column, Window window, int32_t* codes) {
    uint32_t* offsets = Scratch::mine().truth;
    std::vector<int32_t> table(window.width, 0);
    const Reader reader(column, window, nullptr);
    // Both ends occur; of more values those that do are counted.
    int64_t n_missing = std::max(int64_t{window.width} - 2, int64_t{0});
    table.front() = table.back() = 1;
    // Offsets are the codes where no value of the range is missing.
    for (int64_t first = 0; first < column.n; first += kBlock) {
        const int64_t n = std::min(kBlock, column.n - first);
        // The range was measured, yet it is checked again: the array may change under us.
        if (reader.read(first, n, offsets) == Reader::kOutside)
            throw std::runtime_error("the data changed while it was encoded");
        std::copy_n(offsets, n, codes + first);
        for (int64_t i = 0; n_missing > 0 && i < n; ++i) {
            n_missing -= table[offsets[i]] == 0;
            table[offsets[i]] = 1;
        }
    }
    std::vector<int64_t> values;
    for (int64_t i = 0; i < window.width; ++i) {
        if (table[i] == 0) continue;
        table[i] = static_cast<int32_t>(values.size());
        values.push_back(window.base + i);
    }
    if (n_missing > 0)
        for (int64_t i = 0; i < column.n; ++i) codes[i] = table[codes[i]];
    return values;
}

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

std::vector<int64_t> encode_integers(const Column& column, int32_t* codes) {
    if (column.n == 0) return {};
    int64_t least, most;
    span_of(column, 0, column.n, &least, &most);
    if (most == std::numeric_limits<int64_t>::max()) reject_beyond_int64(column);
    const uint64_t needed = uint64_t(most) - uint64_t(least);
    const int64_t limit =
        std::min<int64_t>(int64_t{1} << 26, std::max<int64_t>(65536, 4 * column.n));
    if (needed < uint64_t(limit))
        return encode_by_table(column, {least, static_cast<uint32_t>(needed + 1)}, codes);
    return encode_by_hash(column, codes);
}

}  // namespace karat
