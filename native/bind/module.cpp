// karat._native: the module, its errors and the choice of instruction set.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <limits>
#include <string>
#include <typeinfo>

#include "bind/arrays.hpp"
#include "bind/unlocked.hpp"
#include "kernels/choose_isa.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

// Rejected becomes an exception with args (kind, argument, row), and column for a matrix.
void translate(const std::exception_ptr& pending, void* type) {
    try {
        std::rethrow_exception(pending);
    } catch (const Rejected& rejected) {
        const int argument = static_cast<int>(rejected.argument);
        const nb::object args =
            rejected.of_matrix
                ? nb::make_tuple(rejected.kind, argument, rejected.row, rejected.column)
                : nb::make_tuple(rejected.kind, argument, rejected.row);
        PyErr_SetObject(static_cast<PyObject*>(type), args.ptr());
    } catch (const Interrupted&) {
        // The signal handler has set the error.
    } catch (const std::bad_cast&) {
        PyErr_SetString(PyExc_TypeError,
                        "an argument is of another type than the call takes, or was never made");
    }
}

nb::object long_array(int64_t n) {
    if (n < 0 || n > std::numeric_limits<int64_t>::max() / 8) throw nb::value_error("n is no length");
    return owned(paged<double>(n), n);
}

}  // namespace
}  // namespace karat

NB_MODULE(_core, m) {
    using namespace karat;
    m.doc() = "The native core: encodes labels and counts them. Knows no metric.";
    // Lives as long as the process: the translator has no end of life.
    PyObject* rejected = PyErr_NewException("karat._native.Rejected", PyExc_ValueError, nullptr);
    if (rejected == nullptr) throw nb::python_error();
    m.attr("Rejected") = nb::handle(rejected);
    nb::register_exception_translator(translate, rejected);

    m.def("isa", [] { return std::string(lanes().name); });
    m.def("isas", [] {
        nb::list names;
        for (const char* name : usable_isas()) names.append(nb::str(name));
        return names;
    });
    m.def(
        "use_isa",
        [](const std::string& name) {
            if (std::strlen(name.c_str()) != name.size()) throw nb::value_error("name has a NUL");
            use_isa(name.c_str());
        },
        nb::arg("name"));
    m.def("long_array", long_array, nb::arg("n"));
    m.def("trim_heap", [] {
        const Unlocked unlocked;
        trim_heap();
    });
    // Compiled formulas live in caches until the process ends, which is no leak to warn about.
    nb::set_leak_warnings(false);
    await_work_at_exit();
    lanes();  // KARAT_ISA is read, and refused if it must be, at import
    bind_count(m);
    bind_encode(m);
    bind_cumulative(m);
    bind_limits(m);
    bind_objectives(m);
    bind_objects(m);
    bind_pairs(m);
    bind_paths(m);
    bind_program(m);
    bind_resampling(m);
    bind_levels(m);
    bind_score_pairs(m);
    bind_scores(m);
    bind_sets(m);
    bind_slices(m);
    bind_variance(m);
#ifdef KARAT_FUZZ
    bind_control(m);
    bind_coverage(m);
#endif
}

// The module by its name. It is refused before nanobind initialises anything: what another
// interpreter writes into its globals ends the main one.
extern "C" NB_EXPORT PyObject* PyInit__native() {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError,
                        "karat cannot be used in a sub-interpreter: neither its native core nor "
                        "NumPy supports them. Use processes, or the main interpreter.");
        return nullptr;
    }
    return PyInit__core();
}
