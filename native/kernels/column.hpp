// One column of integers as it lies in the caller's memory.
#pragma once

#include <cstdint>
#include <limits>

namespace karat {

enum class Kind : uint8_t { u8, i8, u16, i16, u32, i32, u64, i64 };
constexpr int kKinds = 8;

struct Column {
    const void* data = nullptr;
    int64_t n = 0;
    int64_t stride = 0;  // bytes from one row to the next, of any sign
    Kind kind = Kind::i64;

    int64_t item_bytes() const { return int64_t{1} << (static_cast<int>(kind) / 2); }
    bool is_contiguous() const { return stride == item_bytes() || n <= 1; }
    const void* row(int64_t i) const { return static_cast<const char*>(data) + i * stride; }
};

// The integers whose differences a kernel can form in the lanes it uses for this kind
// without two of them becoming one: 32-bit lanes up to 32 bits, else 64-bit lanes.
struct Domain {
    int64_t low, high;
};
constexpr Domain lane_domain(Kind kind) {
    switch (kind) {
        case Kind::u32: return {0, std::numeric_limits<uint32_t>::max()};
        case Kind::u64: return {0, std::numeric_limits<int64_t>::max()};
        case Kind::i64:
            return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
        default: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    }
}

}  // namespace karat
