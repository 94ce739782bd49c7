// One caller at a time for objects that calls change while the GIL is not held.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "bind/unlocked.hpp"

namespace karat {

// Whose turn it is, of one object.
class Turns {
    friend class Turn;
    std::mutex mutex_;
    std::atomic<std::thread::id> caller_{};
};

// While it exists other callers wait. Made and given back with the GIL; who waits does so without,
// as the caller at work may ask for it.
class Turn {
public:
    explicit Turn(Turns& turns) : turns_(turns) {
        if (turns_.caller_ == std::this_thread::get_id())
            throw std::runtime_error("a call of this object was interrupted by another one");
        if (!turns_.mutex_.try_lock()) wait();
        turns_.caller_ = std::this_thread::get_id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        turns_.caller_ = std::thread::id();
        turns_.mutex_.unlock();
    }

private:
    void wait() {
        const Stay stay;
        if (!stay.is_granted())
            throw std::runtime_error("another thread is at work, and the interpreter is ending");
        const nb::gil_scoped_release unlocked;
        turns_.mutex_.lock();
    }

    Turns& turns_;
};

}  // namespace karat
