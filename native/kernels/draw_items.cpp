#include "kernels/draw_items.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "kernels/choose_isa.hpp"
#include "kernels/draw_small.hpp"
#include "kernels/resample_counts.hpp"

namespace karat {
namespace {

// Memory of each thread, used again for its next replicate.
template <class T>
class Rooms {
public:
    Rooms(int n_threads, int64_t n)
        : rooms_(static_cast<size_t>(thread_limit(n_threads))), n_(static_cast<size_t>(n)) {}
    T* of(int slot) {
        rooms_[slot].resize(n_);
        return rooms_[slot].data();
    }

private:
    std::vector<std::vector<T>> rooms_;
    size_t n_;
};

template <class T, class Weight, class Factor>
void add_entries(const ClusterEntries& entries, const Factor* factors, Weight weight, T* to) {
    std::fill(to, to + entries.m, T{0});
    for (int64_t e = 0; e < entries.n_entries; ++e)
        to[entries.cells[e]] += static_cast<T>(factors[entries.ids[e]]) * weight(e);
}

// One replicate in weights.
template <class Factor>
void weigh_entries(const ClusterEntries& entries, const Factor* factors, double* to) {
    if (entries.weights == nullptr)
        add_entries(entries, factors, [](int64_t) { return 1.0; }, to);
    else
        add_entries(entries, factors, [&](int64_t e) { return entries.weights[e]; }, to);
}

// The draw as if the items were rows of a table: Σ = n.
void normalise(double* weights, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += weights[i];
    for (int64_t i = 0; i < n; ++i) weights[i] *= static_cast<double>(n) / sum;
}

}  // namespace

void draw_poisson_items(const Source& source, int64_t n, int32_t* out) {
    static const SmallPoisson law(1);
    const Lanes& lanes = karat::lanes();
    uint32_t words[kPlaceWords];
    for (int64_t first = 0; first < n; first += kPlaceWords) {
        source.first_words(lanes, Purpose::item_weights, static_cast<uint32_t>(first / 4), words);
        const int64_t last = std::min(n, first + kPlaceWords);
        for (int64_t i = first; i < last; ++i) out[i] = law.draw(words[i - first]);
    }
}

void draw_exponential_items(const Source& source, int64_t n, double* out) {
    for (int64_t first = 0; first < n; first += 2) {
        const Words words =
            source.words(Purpose::item_weights, static_cast<uint32_t>(first / 2), 1);
        out[first] = -std::log(uniform_of(words[0], words[1]));
        if (first + 1 < n) out[first + 1] = -std::log(uniform_of(words[2], words[3]));
    }
}

void ClusterEntries::validate() const {
    if (n_clusters < 0 || n_clusters > INT32_MAX)
        throw std::invalid_argument("the number of clusters is negative or above 2^31 − 1");
    for (int64_t e = 0; e < n_entries; ++e) {
        if (ids[e] < 0 || ids[e] >= n_clusters) throw std::invalid_argument("no such cluster");
        if (cells[e] < 0 || cells[e] >= m) throw std::invalid_argument("no such cell");
        if (weights && !(weights[e] >= 0 && weights[e] <= 0x1p104))
            throw std::invalid_argument("a weight is negative or too large");
    }
}

void resample_clusters(const ClusterEntries& entries, uint64_t seed, uint32_t stream,
                       int64_t first, int64_t count, int64_t* out, int n_threads, Poll poll) {
    Rooms<int32_t> rooms(n_threads, entries.n_clusters);
    const int64_t items = entries.n_clusters + entries.n_entries;
    each_replicate(count, items, n_threads, [&](int slot, int64_t begin, int64_t end) {
        int32_t* counts = rooms.of(slot);
        for (int64_t b = begin; b < end; ++b) {
            resample_items({seed, stream, static_cast<uint32_t>(first + b)}, entries.n_clusters,
                           counts);
            add_entries(entries, counts, [](int64_t) { return int64_t{1}; }, out + b * entries.m);
        }
    }, poll);
}

void weigh_clusters(const ClusterEntries& entries, Law law, uint64_t seed, uint32_t stream,
                    int64_t first, int64_t count, double* out, int n_threads, Poll poll) {
    const int64_t n = entries.n_clusters, items = n + entries.n_entries;
    Rooms<int32_t> counts_of(n_threads, law == Law::poisson ? n : 0);
    Rooms<double> weights_of(n_threads, law == Law::gamma ? n : 0);
    each_replicate(count, items, n_threads, [&](int slot, int64_t begin, int64_t end) {
        int32_t* counts = counts_of.of(slot);
        double* weights = weights_of.of(slot);
        for (int64_t b = begin; b < end; ++b) {
            const Source source{seed, stream, static_cast<uint32_t>(first + b)};
            if (law == Law::poisson) {
                resample_items(source, n, counts);
                weigh_entries(entries, counts, out + b * entries.m);
            } else {
                draw_exponential_items(source, n, weights);
                normalise(weights, n);
                weigh_entries(entries, weights, out + b * entries.m);
            }
        }
    }, poll);
}

}  // namespace karat
