// Memory for long arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace karat {

// Asks for large pages where the memory is long: the first touch of a small page costs as much as
// filling it ten times. Does nothing where the system knows no such wish.
void use_large_pages(void* memory, size_t bytes);

// Items that nobody has written yet.
template <class T>
std::unique_ptr<T[]> uninitialised(int64_t n) {
    std::unique_ptr<T[]> memory(new T[static_cast<size_t>(n)]);
    use_large_pages(memory.get(), static_cast<size_t>(n) * sizeof(T));
    return memory;
}

}  // namespace karat
