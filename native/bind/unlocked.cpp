#include "bind/unlocked.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <chrono>
#include <thread>

namespace karat {
namespace {

// Both are read and written with the GIL only.
int64_t n_stays = 0;
bool is_ending = false;

void await_work() {
    is_ending = true;
    while (n_stays > 0) {
        {
            const nb::gil_scoped_release unlocked;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
}

}  // namespace

Stay::Stay() : is_granted_(!is_ending) { n_stays += is_granted_; }

Stay::~Stay() { n_stays -= is_granted_; }

void await_work_at_exit() {
#if !defined(_WIN32)
    // Of the threads of a process only the one that forks goes on, and it has no work.
    pthread_atfork(nullptr, nullptr, [] { n_stays = 0; });
#endif
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(await_work));
}

}  // namespace karat
