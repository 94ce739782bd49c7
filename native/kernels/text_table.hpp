// A table from texts to codes 0, 1, 2 … in the order of first appearance.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace karat {

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first byte of a text is the lowest byte of an integer"
#endif

// A text of at most 16 bytes as two integers, zero beyond its end.
struct ShortText {
    uint64_t low = 0, high = 0;
};

class TextTable {
public:
    TextTable();

    // Code of a text; a new text gets the next one. std::length_error beyond 2^31 - 1 texts.
    int32_t code_of(const char* bytes, int64_t length) {
        return length <= 16 ? code_of(prefix(bytes, length), length) : code_of_long(bytes, length);
    }
    int32_t code_of(ShortText text, int64_t length) {
        const uint64_t hash = hash_short(text, length);
        size_t at = hash & mask_;
        while (slots_[at].code >= 0) {
            const Slot& slot = slots_[at];
            if (slot.prefix.low == text.low && slot.prefix.high == text.high &&
                slot.length == length)
                return slot.code;
            at = (at + 1) & mask_;
        }
        return insert_short(at, hash, text, length);
    }

    int64_t size() const { return static_cast<int64_t>(texts_.size()); }
    std::string_view text(int64_t code) const {
        return {arena_.data() + texts_[code].offset, static_cast<size_t>(texts_[code].length)};
    }

    // The first `length` bytes, at most 16.
    static ShortText prefix(const char* bytes, int64_t length);

private:
    struct Slot {
        ShortText prefix;
        uint64_t hash;
        int32_t code;  // -1: free
        uint32_t length;
    };
    struct Text {
        uint64_t offset;
        uint32_t length;
    };

    static uint64_t mix(uint64_t a, uint64_t b) {
        // Folded 64 × 64 → 128 bit product: every bit of the result depends on every bit of both.
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    static uint64_t hash_short(ShortText text, int64_t length) {
        return mix(text.low ^ 0x9e3779b97f4a7c15u,
                   text.high ^ 0xd6e8feb86659fd93u ^ static_cast<uint64_t>(length));
    }
    static uint64_t hash_long(const char* bytes, int64_t length);

    int32_t code_of_long(const char* bytes, int64_t length);
    int32_t insert_short(size_t at, uint64_t hash, ShortText text, int64_t length);
    int32_t insert(size_t at, uint64_t hash, const char* bytes, int64_t length);
    void grow();

    std::vector<Slot> slots_;  // open addressing, at most half full
    size_t mask_;
    std::vector<Text> texts_;  // by code
    std::vector<char> arena_;
};

}  // namespace karat
