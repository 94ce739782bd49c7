// What the C++ tests of the kernels share: the comparison, random numbers, arrays without slack.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/column.hpp"
#include "kernels/rejected.hpp"

namespace karat_tests {

// The one comparison of these tests: ends the program with status 1 when the two differ.
template <class A, class B>
void check_same(const A& actual, const B& expected, const std::string& about) {
    if (actual == expected) return;
    std::fprintf(stderr, "FAILED: %s\n", about.c_str());
    std::exit(1);
}

// The kernel throws Rejected with these facts.
template <class Call>
void check_rejected(const Call& call, const std::string& kind, karat::Argument argument,
                    int64_t row) {
    try {
        call();
    } catch (const karat::Rejected& rejected) {
        check_same(std::string(rejected.kind), kind, "kind of the rejection");
        check_same(rejected.argument, argument, "argument of the rejection");
        check_same(rejected.row, row, "row of the rejection");
        return;
    }
    check_same(false, true, "a bad row was accepted");
}

// The kernel throws std::invalid_argument.
template <class Call>
void check_refused(const Call& call, const std::string& about) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return;
    }
    check_same(false, true, "accepted: " + about);
}

using Random = std::mt19937_64;

inline int64_t below(Random& random, int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
}

// Memory of exactly n items, so that the address sanitizer sees the first read beyond it.
template <class T>
class Exact {
public:
    explicit Exact(int64_t n)
        : n_(n), data_(static_cast<T*>(std::malloc(n > 0 ? n * sizeof(T) : 1))) {}
    explicit Exact(const std::vector<T>& values) : Exact(static_cast<int64_t>(values.size())) {
        if (n_ > 0) std::memcpy(data_.get(), values.data(), values.size() * sizeof(T));
    }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    int64_t size() const { return n_; }
    T& operator[](int64_t i) { return data_.get()[i]; }
    const T& operator[](int64_t i) const { return data_.get()[i]; }

private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    int64_t n_;
    std::unique_ptr<T, Free> data_;
};

// A column of any kind and stride in memory of exactly its size, and what it holds.
class Labels {
public:
    Labels(karat::Kind kind, int64_t stride, const std::vector<int64_t>& values)
        : values(values), kind_(kind), stride_(stride), bytes_(item() * (span() > 0 ? span() : 0)) {
        for (int64_t i = 0; i < n(); ++i) std::memcpy(bytes_.data() + place(i), &values[i], item());
    }
    karat::Column column() const {
        return {bytes_.data() + (n() > 0 ? place(0) : 0), n(), stride_ * item(), kind_};
    }
    void set(int64_t i, int64_t value) {
        values[i] = value;
        std::memcpy(bytes_.data() + place(i), &value, item());
    }

    std::vector<int64_t> values;

private:
    int64_t n() const { return static_cast<int64_t>(values.size()); }
    int64_t item() const { return int64_t{1} << (static_cast<int>(kind_) / 2); }
    int64_t span() const { return n() == 0 ? 0 : (n() - 1) * std::abs(stride_) + 1; }
    int64_t place(int64_t i) const {
        return item() * (stride_ > 0 ? i * stride_ : (i - n() + 1) * stride_);
    }

    karat::Kind kind_;
    int64_t stride_;
    Exact<char> bytes_;
};

void test_callers(Random& random);
void test_changing(Random& random);
void test_counts(Random& random);
void test_cuts(Random& random);
void test_edges();
void test_encoders(Random& random);
void test_cumulative(Random& random);
void test_limits(Random& random);
void test_objectives(Random& random);
void test_pairs(Random& random);
void test_paths(Random& random);
void test_placements(Random& random);
void test_programs(Random& random);
void test_resampling(Random& random);
void test_levels(Random& random);
void test_scores(Random& random);
void test_sets(Random& random);
void test_sorts(Random& random);
void test_variances(Random& random);

// Deliberate mistakes, by name; each must end the program in an error.
void run_control(const std::string& name);

}  // namespace karat_tests
