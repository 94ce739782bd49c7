#include "kernels/read_block.hpp"

#include <algorithm>
#include <limits>

#include "kernels/choose_isa.hpp"
#include "kernels/scratch.hpp"

namespace karat {
namespace {

template <class T>
bool gather(const Column& column, int64_t first, int64_t n, int64_t* out) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    const char* at = static_cast<const char*>(column.row(first));
    bool fits = true;
    for (int64_t i = 0; i < n; ++i, at += column.stride) {
        const T value = *reinterpret_cast<const T*>(at);
        if constexpr (std::numeric_limits<T>::max() > uint64_t{kMost}) {
            fits = fits && value <= uint64_t{kMost};
            out[i] = static_cast<int64_t>(std::min<T>(value, kMost));
        } else {
            out[i] = static_cast<int64_t>(value);
        }
    }
    return fits;
}

bool within(Window window, Domain domain) {
    return window.base >= domain.low && window.base <= domain.high &&
           uint64_t(domain.high) - uint64_t(window.base) >= uint64_t{window.width} - 1;
}

}  // namespace

bool gather_integers(const Column& column, int64_t first, int64_t n, int64_t* out) {
    using Gather = bool (*)(const Column&, int64_t, int64_t, int64_t*);
    static constexpr Gather kGather[kKinds] = {gather<uint8_t>,  gather<int8_t>,   gather<uint16_t>,
                                               gather<int16_t>,  gather<uint32_t>, gather<int32_t>,
                                               gather<uint64_t>, gather<int64_t>};
    return kGather[static_cast<int>(column.kind)](column, first, n, out);
}

void span_of(const Column& column, int64_t first, int64_t n, int64_t* low, int64_t* high) {
    if (column.is_contiguous()) {
        lanes().span[static_cast<int>(column.kind)](column.row(first), n, low, high);
        return;
    }
    int64_t* wide = Scratch::mine().wide;
    *low = std::numeric_limits<int64_t>::max();
    *high = std::numeric_limits<int64_t>::min();
    for (int64_t done = 0; done < n; done += kBlock) {
        const int64_t m = std::min(kBlock, n - done);
        int64_t low_here, high_here;
        gather_integers(column, first + done, m, wide);
        lanes().span[static_cast<int>(Kind::i64)](wide, m, &low_here, &high_here);
        *low = std::min(*low, low_here);
        *high = std::max(*high, high_here);
    }
}

Reader::Reader(const Column& column, Window window, const int32_t* lut)
    : column_(column),
      window_(window),
      lut_(lut),
      is_direct_(column.is_contiguous() && within(window, lane_domain(column.kind))) {
    // No value lies beyond int64: a window that reaches there is cut.
    const uint64_t room = uint64_t(std::numeric_limits<int64_t>::max()) - uint64_t(window.base);
    if (window.width > room) window_.width = static_cast<uint32_t>(room + 1);
}

uint32_t Reader::read(int64_t first, int64_t n, uint32_t* out) const {
    const Lanes& lane = lanes();
    uint32_t top;
    if (is_direct_) {
        top =
            lane.offsets[static_cast<int>(column_.kind)](column_.row(first), n, window_.base, out);
    } else {
        int64_t* wide = Scratch::mine().wide;
        if (!gather_integers(column_, first, n, wide)) return kOutside;
        top = lane.offsets[static_cast<int>(Kind::i64)](wide, n, window_.base, out);
    }
    if (top >= window_.width) return kOutside;
    if (lut_ == nullptr) return top;
    int32_t any = 0;
    for (int64_t i = 0; i < n; ++i) {
        const int32_t index = lut_[out[i]];
        any |= index;
        out[i] = static_cast<uint32_t>(index);
    }
    return any < 0 ? kOutside : static_cast<uint32_t>(any);
}

void Reader::reject_first(Argument argument) const {
    Scratch& scratch = Scratch::mine();
    for (int64_t first = 0; first < column_.n; first += kBlock) {
        const int64_t n = std::min(kBlock, column_.n - first);
        if (read(first, n, scratch.truth) != kOutside) continue;
        for (int64_t i = 0; i < n; ++i) {
            int64_t value;
            const bool fits = gather_integers(column_, first + i, 1, &value);
            const uint64_t offset = uint64_t(value) - uint64_t(window_.base);
            if (!fits || offset >= window_.width) throw Rejected("range", argument, first + i);
            if (lut_ != nullptr && lut_[offset] < 0) throw Rejected("outside", argument, first + i);
        }
    }
}

Ahead::Stream Reader::stream(int64_t first, Ahead::Stream none) const {
    if (!is_direct_) return none;
    return {static_cast<const char*>(column_.row(first)), 8 * column_.stride};
}

}  // namespace karat
