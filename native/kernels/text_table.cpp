#include "kernels/text_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace karat {

TextTable::TextTable() : slots_(256, Slot{{}, 0, -1, 0}), mask_(slots_.size() - 1) {}

ShortText TextTable::prefix(const char* bytes, int64_t length) {
    const auto word = [&](auto made, int64_t at) {
        std::memcpy(&made, bytes + at, sizeof made);
        return static_cast<uint64_t>(made);
    };
    const int64_t n = std::min<int64_t>(length, 16);
    // Two loads that overlap take a third of the time of a copy of unknown length.
    if (n > 8) return {word(uint64_t{}, 0), word(uint64_t{}, n - 8) >> (8 * (16 - n))};
    if (n == 8) return {word(uint64_t{}, 0), 0};
    if (n >= 4)
        return {word(uint32_t{}, 0) | word(uint32_t{}, n - 4) << (8 * (n - 4)), 0};
    if (n <= 0) return {};
    return {word(uint8_t{}, 0) | word(uint8_t{}, n / 2) << (8 * (n / 2)) |
                word(uint8_t{}, n - 1) << (8 * (n - 1)),
            0};
}

uint64_t TextTable::hash_long(const char* bytes, int64_t length) {
    uint64_t state = static_cast<uint64_t>(length);
    for (int64_t i = 0; i < length; i += 16) {
        const ShortText part = prefix(bytes + i, length - i);
        state = mix(part.low ^ 0x9e3779b97f4a7c15u ^ state, part.high ^ 0xd6e8feb86659fd93u);
    }
    return state;
}

int32_t TextTable::code_of_long(const char* bytes, int64_t length) {
    const uint64_t hash = hash_long(bytes, length);
    const ShortText start = prefix(bytes, 16);
    size_t at = hash & mask_;
    while (slots_[at].code >= 0) {
        const Slot& slot = slots_[at];
        if (slot.hash == hash && slot.length == length && slot.prefix.low == start.low &&
            slot.prefix.high == start.high &&
            std::memcmp(arena_.data() + texts_[slot.code].offset, bytes,
                        static_cast<size_t>(length)) == 0)
            return slot.code;
        at = (at + 1) & mask_;
    }
    return insert(at, hash, bytes, length);
}

int32_t TextTable::insert_short(size_t at, uint64_t hash, ShortText text, int64_t length) {
    char bytes[16];
    std::memcpy(bytes, &text.low, 8);
    std::memcpy(bytes + 8, &text.high, 8);
    return insert(at, hash, bytes, length);
}

int32_t TextTable::insert(size_t at, uint64_t hash, const char* bytes, int64_t length) {
    if (texts_.size() >= static_cast<size_t>(std::numeric_limits<int32_t>::max()))
        throw std::length_error("more than 2^31 - 1 labels");
    if (length > std::numeric_limits<int32_t>::max())
        throw std::length_error("a label of more than 2^31 - 1 bytes");
    const int32_t code = static_cast<int32_t>(texts_.size());
    const uint32_t size = static_cast<uint32_t>(length);
    texts_.push_back({arena_.size(), size});
    arena_.insert(arena_.end(), bytes, bytes + length);
    slots_[at] = {prefix(bytes, length), hash, code, size};
    if (2 * texts_.size() > slots_.size()) grow();
    return code;
}

void TextTable::grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{{}, 0, -1, 0});
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
        if (slot.code < 0) continue;
        size_t at = slot.hash & mask_;
        while (slots_[at].code >= 0) at = (at + 1) & mask_;
        slots_[at] = slot;
    }
}

}  // namespace karat
