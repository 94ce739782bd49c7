#include "kernels/group_profiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace karat {
namespace {

constexpr int64_t kNumbers = 4;
constexpr int64_t kFirstPlaces = 256;

// A sum and what its roundings lost, found without loss (Knuth's two-sum).
struct ExactSum {
    double sum = 0, lost = 0;

    void add(double x) {
        const double next = sum + x, part = next - sum;
        lost += (sum - (next - part)) + (x - part);
        sum = next;
    }
    // What is not finite lost nothing that could be found.
    double value() const { return std::isfinite(sum) ? sum + lost : sum; }
};

uint64_t hash_of(const int64_t* numbers) {
    uint64_t hash = 0;
    for (int64_t i = 0; i < kNumbers; ++i) {
        hash = (hash ^ static_cast<uint64_t>(numbers[i])) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

// The groups by their numbers, in the order in which they were first met.
class Groups {
public:
    // Which group a row belongs to; a copy of its numbers is kept.
    int64_t of(const int64_t* row) {
        int64_t own[kNumbers];
        std::memcpy(own, row, sizeof own);
        if (2 * (n_ + 1) > static_cast<int64_t>(places_.size())) grow();
        int64_t& place = places_[place_of(own)];
        if (place < 0) {
            numbers_.insert(numbers_.end(), own, own + kNumbers);
            place = n_++;
        }
        return place;
    }
    const int64_t* numbers(int64_t group) const { return numbers_.data() + group * kNumbers; }
    int64_t size() const { return n_; }

private:
    // Where a group is, or the free place where it would be.
    size_t place_of(const int64_t* own) const {
        const size_t mask = places_.size() - 1;
        size_t at = hash_of(own) & mask;
        while (places_[at] >= 0 && std::memcmp(numbers(places_[at]), own, kNumbers * sizeof *own) != 0)
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        places_.assign(std::max<size_t>(2 * places_.size(), kFirstPlaces), -1);
        for (int64_t group = 0; group < n_; ++group) places_[place_of(numbers(group))] = group;
    }

    std::vector<int64_t> places_, numbers_;
    int64_t n_ = 0;
};

}  // namespace

Profiles group_profiles(const int64_t* numbers, const int64_t* rows, const double* weights,
                        const double* squares, int64_t m) {
    Groups groups;
    std::vector<uint64_t> n_rows;
    std::vector<ExactSum> sums, square_sums;
    for (int64_t i = 0; i < m; ++i) {
        const auto group = static_cast<size_t>(groups.of(numbers + i * kNumbers));
        if (group == n_rows.size()) {
            n_rows.push_back(0);
            if (weights != nullptr) {
                sums.emplace_back();
                square_sums.emplace_back();
            }
        }
        n_rows[group] += static_cast<uint64_t>(rows[i]);
        if (weights == nullptr) continue;
        sums[group].add(weights[i]);
        square_sums[group].add(squares[i]);
    }
    std::vector<int64_t> order(n_rows.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        const int64_t *const x = groups.numbers(a), *const y = groups.numbers(b);
        return std::lexicographical_compare(x, x + kNumbers, y, y + kNumbers);
    });
    Profiles found;
    for (const int64_t group : order) {
        const int64_t* const own = groups.numbers(group);
        found.numbers.insert(found.numbers.end(), own, own + kNumbers);
        found.rows.push_back(static_cast<int64_t>(n_rows[group]));
        if (weights == nullptr) continue;
        found.weights.push_back(sums[group].value());
        found.squares.push_back(square_sums[group].value());
    }
    return found;
}

}  // namespace karat
