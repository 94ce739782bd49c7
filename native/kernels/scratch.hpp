// Memory that a thread keeps between calls, so that a small call allocates nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/lanes.hpp"
#include "kernels/large_pages.hpp"

namespace karat {

// Memory in whole lines of the cache: grows, and is kept up to a bound.
class Buffer {
public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    template <class T>
    T* zeroed(int64_t n) {
        T* memory = uninitialised<T>(n);
        std::memset(memory, 0, static_cast<size_t>(n) * sizeof(T));
        return memory;
    }

    template <class T>
    T* uninitialised(int64_t n) {
        reserve(static_cast<size_t>(n) * sizeof(T));
        return static_cast<T*>(memory_);
    }

    // Gives memory back when it is more than a thread may keep.
    void trim() {
        if (bytes_ > kOwnPages) release();
    }

private:
    static constexpr std::align_val_t kLine{64};

    void release() {
        if (is_mapped_) {
            unmap_pages(memory_, bytes_);
        } else {
            ::operator delete(memory_, kLine);
        }
        memory_ = nullptr;
        is_mapped_ = false;
        bytes_ = 0;
    }

    void reserve(size_t bytes) {
        if (bytes <= bytes_) return;
        release();
        if (bytes > kOwnPages) memory_ = map_pages(bytes);
        is_mapped_ = memory_ != nullptr;
        if (!is_mapped_) {
            memory_ = ::operator new(bytes, kLine);
            use_large_pages(memory_, bytes);
        }
        bytes_ = bytes;
    }

    void* memory_ = nullptr;
    bool is_mapped_ = false;
    size_t bytes_ = 0;
};

struct Scratch {
    alignas(64) uint32_t truth[kBlock];
    alignas(64) uint32_t pred[kBlock];
    alignas(64) uint32_t index[2 * kBlock];
    alignas(64) int64_t wide[kBlock];
    alignas(64) double weights[kBlock];
    Buffer tables;
    Buffer words;  // of a sort

    // This thread's own.
    static Scratch& mine() {
        static thread_local std::unique_ptr<Scratch> scratch;
        // Not make_unique: that would clear it all.
        if (!scratch) scratch.reset(new Scratch);
        return *scratch;
    }
};

}  // namespace karat
