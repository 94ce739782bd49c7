// The memory of the fuzzed module: what is longer than any honest call needs is refused, as a small
// machine would, so that every kernel meets std::bad_alloc. The sanitizer's own `new` ends the
// process instead.
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kMost = std::size_t{1} << 28;

void* taken(std::size_t size) noexcept {
    return size > kMost ? nullptr : std::malloc(size == 0 ? 1 : size);
}

void* taken(std::size_t size, std::align_val_t alignment) noexcept {
    void* memory = nullptr;
    if (size > kMost) return nullptr;
    return posix_memalign(&memory, static_cast<std::size_t>(alignment), size) == 0 ? memory : nullptr;
}

void* required(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return required(taken(size)); }
void* operator new[](std::size_t size) { return required(taken(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void* operator new(std::size_t size, std::align_val_t at) { return required(taken(size, at)); }
void* operator new[](std::size_t size, std::align_val_t at) { return required(taken(size, at)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
