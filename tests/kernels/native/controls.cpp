// Deliberate mistakes: a test program that cannot fail would prove nothing.
#include <atomic>
#include <limits>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "kernels/choose_isa.hpp"
#include "kernels/threads.hpp"

namespace karat_tests {

void run_control(const std::string& name) {
    volatile int64_t one = 1;
    if (name == "overrun") {
        // A kernel is told one row more than there is.
        Exact<int64_t> labels(std::vector<int64_t>(37, 5));
        int64_t low, high;
        karat::lanes().span[static_cast<int>(karat::Kind::i64)](labels.data(), labels.size() + one,
                                                                &low, &high);
    } else if (name == "overflow") {
        volatile int64_t most = std::numeric_limits<int64_t>::max();
        most = most + one;
    } else if (name == "race") {
        // Two threads of the pool add to one number; each waits until the other is there.
        std::atomic<int> there{0};
        int64_t sum = 0;
        karat::parallel(2, 2, [&](int, int64_t) {
            there.fetch_add(1, std::memory_order_relaxed);
            while (there.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
            sum = sum + one;
        }, nullptr);
    } else if (name == "mismatch") {
        check_same(int64_t{2}, int64_t{1 + 2 * one}, "a deliberate difference");
    } else {
        throw std::invalid_argument("no control of that name");
    }
}

}  // namespace karat_tests
