#include "kernels/choose_isa.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace karat {
namespace {

std::atomic<const Lanes*> chosen{nullptr};

std::vector<const Lanes*> usable() {
    std::vector<const Lanes*> found;
#if KARAT_X86
    // These tests include whether the operating system saves the wide registers.
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found.push_back(&lanes_avx512);
    if (avx2) found.push_back(&lanes_avx2);
#endif
    found.push_back(&lanes_baseline);
    return found;
}

const Lanes* named(const char* name) {
    std::string known;
    for (const Lanes* each : usable()) {
        if (std::strcmp(each->name, name) == 0) return each;
        known += known.empty() ? each->name : std::string(", ") + each->name;
    }
    throw std::invalid_argument("instruction set '" + std::string(name) +
                                "' is not usable here; usable: " + known);
}

}  // namespace

const Lanes& lanes() {
    const Lanes* now = chosen.load(std::memory_order_acquire);
    if (now == nullptr) {
        const char* wish = std::getenv("KARAT_ISA");
        now = wish != nullptr && *wish != '\0' ? named(wish) : usable().front();
        chosen.store(now, std::memory_order_release);
    }
    return *now;
}

std::vector<const char*> usable_isas() {
    std::vector<const char*> names;
    for (const Lanes* each : usable()) names.push_back(each->name);
    return names;
}

void use_isa(const char* name) { chosen.store(named(name), std::memory_order_release); }

}  // namespace karat
