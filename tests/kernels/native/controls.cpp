// Deliberate mistakes: a test program that cannot fail would prove nothing.
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "kernels/choose_isa.hpp"

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
    } else if (name == "mismatch") {
        check_same(int64_t{2}, int64_t{1 + 2 * one}, "a deliberate difference");
    } else {
        throw std::invalid_argument("no control of that name");
    }
}

}  // namespace karat_tests
