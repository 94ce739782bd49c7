// Memory for long arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace karat {

// Asks for large pages where the memory is long: the first touch of a small page costs as much as
// filling it ten times. Does nothing where the system knows no such wish.
void use_large_pages(void* memory, size_t bytes);

// Memory of its own pages, which the system has back at once when it is unmapped, and of which nothing stays in the
// heap between arrays that live longer. Null where there is none, or where the system maps none.
void* map_pages(size_t bytes);
void unmap_pages(void* memory, size_t bytes);

// Items that nobody has written yet.
template <class T>
std::unique_ptr<T[]> uninitialised(int64_t n) {
    std::unique_ptr<T[]> memory(new T[static_cast<size_t>(n)]);
    use_large_pages(memory.get(), static_cast<size_t>(n) * sizeof(T));
    return memory;
}

}  // namespace karat
