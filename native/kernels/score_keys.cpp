#include "kernels/score_keys.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace karat {
namespace {

// Steps from zero to the score that is read as this integer.
int64_t steps_to(const KeyLayout& layout, int64_t ordered) {
    const int64_t magnitude = (ordered < 0 ? ~ordered : ordered) >> layout.zeros;
    const int64_t steps = std::max(magnitude, layout.floor) - layout.floor;
    return ordered < 0 ? -steps : steps;
}

uint64_t distance(int64_t from, int64_t to) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

}  // namespace

int bits_of(uint64_t most) {
    int bits = 0;
    for (; most != 0; most >>= 1) ++bits;
    return bits;
}

uint64_t KeyLayout::key_of(double score) const {
    return distance(lowest, steps_to(*this, ordered_of<double, int64_t>(score)));
}

uint64_t KeyLayout::key_of(float score) const {
    return distance(lowest, steps_to(*this, ordered_of<float, int32_t>(score)));
}

KeyLayout choose_layout(const FloatSpan& span, bool is_double, int64_t n, int64_t k,
                        bool wants_rows) {
    KeyLayout layout;
    layout.is_double = is_double;
    layout.class_bits = bits_of(static_cast<uint64_t>(k - 1));
    if (n > 0) {
        const uint64_t largest = is_double ? uint64_t{INT64_MAX} : uint64_t{INT32_MAX};
        if ((span.bits & largest) != 0)
            while ((span.bits >> layout.zeros & 1) == 0) ++layout.zeros;
        layout.floor = static_cast<int64_t>(std::min(static_cast<uint64_t>(span.small), largest)) >>
                       layout.zeros;
        layout.lowest = steps_to(layout, span.least);
        layout.key_bits = bits_of(distance(layout.lowest, steps_to(layout, span.most)));
    }
    layout.has_rows = wants_rows || layout.key_bits + layout.class_bits > 64;
    layout.is_wide = layout.has_rows || layout.key_bits + layout.class_bits > 32;
    if (layout.has_rows) {
        layout.row_bits = bits_of(static_cast<uint64_t>(std::max<int64_t>(n, 1) - 1));
        const int room = 64 - layout.below();
        if (room < 1) throw std::invalid_argument("rows and classes need more than 63 bits");
        layout.drop = std::max(0, layout.key_bits - room);
    }
    return layout;
}

bool is_finite(const FloatSpan& span, bool is_double) {
    const int64_t infinity = is_double ? int64_t{0x7ff} << 52 : int64_t{0xff} << 23;
    return span.most < infinity && span.least > ~infinity;
}

}  // namespace karat
