// karat._native.fuzz_control, in the fuzzed module only: deliberate mistakes behind two bytes that
// nobody guesses at once. A fuzzer that does not find them would prove nothing.
#include <climits>

#include "bind/arrays.hpp"

namespace karat {
namespace {

int control(nb::handle array, bool is_overrun) {
    const Input input(array, "array", 1);
    const char* bytes = input.packed_bytes();
    const int64_t n = input.length();
    if (n < 3 || bytes[0] != 'k' || bytes[1] != 't') return 0;
    // One item more than there is.
    if (is_overrun) return static_cast<const volatile char*>(bytes)[n];
    volatile int most = INT_MAX;
    most = most + 1;
    return most != INT_MAX;
}

}  // namespace

void bind_control(nb::module_& m) { 
    m.def("fuzz_control", control, nb::arg("array"), nb::arg("is_overrun"));
}

}  // namespace karat
