#include "kernels/large_pages.hpp"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace karat {
namespace {

[[maybe_unused]] constexpr size_t kLeast = size_t{4} << 20;
[[maybe_unused]] constexpr uintptr_t kPage = 4096;

}  // namespace

void use_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes < kLeast) return;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(memory);
    const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
    // A wish: where it is not granted, nothing is lost.
    (void)madvise(reinterpret_cast<void*>(first), begin + bytes - first, MADV_HUGEPAGE);
#endif
}

void* map_pages([[maybe_unused]] size_t bytes) {
#if defined(__linux__)
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    use_large_pages(memory, bytes);
    return memory;
#else
    return nullptr;
#endif
}

void unmap_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
    (void)munmap(memory, bytes);
#endif
}

void trim_heap() {
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
}

}  // namespace karat
