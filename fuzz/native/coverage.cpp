// karat._native.fuzz_counters, in the fuzzed module only: how often each edge was taken.
#include "bind/arrays.hpp"

extern "C" {
// The linker makes both where there is such a section.
extern __attribute__((visibility("hidden"))) unsigned char __start___sancov_cntrs[];
extern __attribute__((visibility("hidden"))) unsigned char __stop___sancov_cntrs[];
}

namespace karat {

void bind_coverage(nb::module_& m) {
    m.def("fuzz_counters", [](nb::handle owner) {
        const auto n = static_cast<size_t>(__stop___sancov_cntrs - __start___sancov_cntrs);
        return nb::cast(nb::ndarray<nb::numpy, unsigned char, nb::ndim<1>>(__start___sancov_cntrs,
                                                                          {n}, owner));
    }, nb::arg("owner"));
}

}  // namespace karat
