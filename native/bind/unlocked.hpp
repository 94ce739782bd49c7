// Work without the GIL, and what becomes of it when the interpreter ends.
//
// A thread that asks for the GIL of an ending interpreter is unwound by CPython before 3.14, which
// from within C++ aborts the process. So the end waits for work that has begun, and work that begins
// afterwards, in threads that nobody waits for, keeps the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

namespace karat {

namespace nb = nanobind;

// While it exists and is granted, the interpreter does not end. Made and given back with the GIL.
class Stay {
public:
    Stay();
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;
    ~Stay();
    bool is_granted() const { return is_granted_; }

private:
    bool is_granted_;
};

// Lets other Python threads run, when the work is long enough for that to pay.
class Unlocked {
public:
    static constexpr int64_t kPays = 10000;

    explicit Unlocked(int64_t n = kPays)
        : state_(n >= kPays && stay_.is_granted() ? PyEval_SaveThread() : nullptr) {}
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    ~Unlocked() {
        if (state_ != nullptr) PyEval_RestoreThread(state_);
    }

private:
    const Stay stay_;
    PyThreadState* state_;
};

// Has the end of the interpreter wait, from now on.
void await_work_at_exit();

}  // namespace karat
