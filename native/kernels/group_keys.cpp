#include "kernels/group_keys.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "kernels/large_pages.hpp"

namespace karat {
namespace {

constexpr int64_t kDense = 8;
constexpr int64_t kFirstPlaces = 256;

// The group of each number, or -1.
template <class Place>
class DenseTable {
public:
    explicit DenseTable(int64_t n_keys) : places_(paged<Place>(n_keys)) {
        std::fill_n(places_.get(), n_keys, Place{-1});
    }
    // The group of a number; `next` if it is new.
    int64_t at(int64_t key, int64_t next, const std::vector<int64_t>&, const int64_t*) {
        Place& place = places_[key];
        if (place < 0) place = static_cast<Place>(next);
        return place;
    }

private:
    Paged<Place> places_;
};

// The same of the numbers that occur; it doubles while more than half of it is taken.
class HashTable {
public:
    HashTable() : places_(kFirstPlaces, -1) {}
    int64_t at(int64_t key, int64_t next, const std::vector<int64_t>& first, const int64_t* keys) {
        if (2 * (next + 1) > static_cast<int64_t>(places_.size())) grow(first, keys);
        int64_t& place = places_[place_of(key, first, keys)];
        if (place < 0) place = next;
        return place;
    }

private:
    size_t place_of(int64_t key, const std::vector<int64_t>& first, const int64_t* keys) const {
        const size_t mask = places_.size() - 1;
        uint64_t hash = static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
        size_t at = hash & mask;
        while (places_[at] >= 0 && keys[first[static_cast<size_t>(places_[at])]] != key) at = (at + 1) & mask;
        return at;
    }
    void grow(const std::vector<int64_t>& first, const int64_t* keys) {
        places_.assign(2 * places_.size(), -1);
        for (size_t group = 0; group < first.size(); ++group)
            places_[place_of(keys[first[group]], first, keys)] = static_cast<int64_t>(group);
    }

    std::vector<int64_t> places_;  // a power of two of them
};

template <class Table>
std::vector<int64_t> grouped(Table&& table, const int64_t* keys, int64_t n, int64_t n_keys, int64_t* groups) {
    std::vector<int64_t> first;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t key = keys[i];
        if (key < 0 || key >= n_keys) throw std::invalid_argument("a key is outside of [0, n_keys)");
        const auto next = static_cast<int64_t>(first.size());
        const int64_t group = table.at(key, next, first, keys);
        if (group == next) first.push_back(i);
        groups[i] = group;
    }
    return first;
}

}  // namespace

std::vector<int64_t> group_keys(const int64_t* keys, int64_t n, int64_t n_keys, int64_t* groups) {
    if (n_keys < 0) throw std::invalid_argument("n_keys is negative");
    if (n_keys / kDense > n) return grouped(HashTable(), keys, n, n_keys, groups);
    if (n <= std::numeric_limits<int32_t>::max())
        return grouped(DenseTable<int32_t>(n_keys), keys, n, n_keys, groups);
    return grouped(DenseTable<int64_t>(n_keys), keys, n, n_keys, groups);
}

}  // namespace karat
