// Memory for long arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace karat {

// Asks for large pages where the memory is long: the first touch of a small page costs as much as
// filling it ten times. Does nothing where the system knows no such wish.
void use_large_pages(void* memory, size_t bytes);

// Arrays of more bytes have pages of their own where they come and go: those of the heap would stay between arrays
// that live longer.
inline constexpr size_t kOwnPages = size_t{8} << 20;

// Pages that the system has back at once when they are unmapped. Null where there are none, or where it maps none.
void* map_pages(size_t bytes);
void unmap_pages(void* memory, size_t bytes);

// Gives the free memory between living arrays of the heap back to the system, where the system knows how.
void trim_heap();

// Items that nobody has written yet.
template <class T>
std::unique_ptr<T[]> uninitialised(int64_t n) {
    std::unique_ptr<T[]> memory(new T[static_cast<size_t>(n)]);
    use_large_pages(memory.get(), static_cast<size_t>(n) * sizeof(T));
    return memory;
}

struct Unmap {
    size_t bytes = 0;  // 0: of the heap

    template <class T>
    void operator()(T* items) const {
        if (bytes > 0) {
            unmap_pages(items, bytes);
        } else {
            delete[] items;
        }
    }
};

template <class T>
using Paged = std::unique_ptr<T[], Unmap>;

// The same of an array that comes and goes with each column.
template <class T>
Paged<T> paged(int64_t n) {
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);
    if (bytes > kOwnPages)
        if (void* const memory = map_pages(bytes)) return Paged<T>(static_cast<T*>(memory), Unmap{bytes});
    return Paged<T>(uninitialised<T>(n).release());
}

}  // namespace karat
