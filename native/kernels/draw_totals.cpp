#include "kernels/draw_totals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace karat {

Totals::Totals(const double* sums, const double* squares, int64_t m, Law law)
    : law_(law), mean_(sums, sums + m), scale_(static_cast<size_t>(m), 1.0),
      tables_(SmallPoisson::kMostRate + 1), small_(static_cast<size_t>(m), nullptr) {
    if (m > kMostItems) throw std::invalid_argument("more than 2^32 sums");
    for (int64_t i = 0; i < m; ++i) {
        const double sum = sums[i], square = squares ? squares[i] : sum;
        if (!(sum >= 0 && square >= 0 && sum <= 0x1p52 && square <= 0x1p104) ||
            (sum > 0) != (square > 0))
            throw std::invalid_argument("a sum or a square is negative, too large or alone");
        if (sum == 0) continue;
        const double rows = squares ? sum * (sum / square) : sum;
        scale_[i] = squares ? square / sum : 1.0;
        const bool is_small = law == Law::poisson && rows <= SmallPoisson::kMostRate &&
                              rows >= 1 && rows == std::floor(rows);
        if (!is_small) {
            large_.push_back({i, rows, Poisson(std::fmin(rows, 0x1p52))});
            continue;
        }
        std::unique_ptr<SmallPoisson>& table = tables_[static_cast<size_t>(rows)];
        if (!table) table = std::make_unique<SmallPoisson>(static_cast<int>(rows));
        small_[i] = table.get();
    }
}

void Totals::draw(const Source& source, double* out) const {
    std::fill(out, out + size(), 0.0);
    if (large_.size() < scale_.size()) draw_small(source, out);
    for (const Large& large : large_) {
        Draws draws(source, Purpose::totals, large.item);
        const double rows = law_ == Law::poisson ? large.poisson.draw(draws)
                                                 : draw_gamma(large.rows, draws);
        out[large.item] = rows * scale_[large.item];
    }
}

// Four items share the words of one place.
void Totals::draw_small(const Source& source, double* out) const {
    for (int64_t first = 0; first < size(); first += 4) {
        const int64_t last = std::min(size(), first + 4);
        if (std::all_of(&small_[first], &small_[first] + (last - first),
                        [](const SmallPoisson* law) { return law == nullptr; }))
            continue;
        const Words words =
            source.words(Purpose::small_totals, static_cast<uint32_t>(first / 4), 0);
        for (int64_t i = first; i < last; ++i)
            if (small_[i] != nullptr) out[i] = scale_[i] * small_[i]->draw(words[i - first]);
    }
}

void each_replicate(int64_t count, int64_t items, int n_threads,
                    const std::function<void(int, int64_t, int64_t)>& task, Poll poll) {
    constexpr int64_t kWorth = 16384;
    const int64_t stretch = std::max<int64_t>(1, kWorth / std::max<int64_t>(items, 1));
    const int64_t n_tasks = (count + stretch - 1) / stretch;
    const int64_t n_slots = std::min<int64_t>(thread_limit(n_threads), std::max<int64_t>(n_tasks, 1));
    parallel(
        static_cast<int>(n_slots), n_tasks,
        [&](int slot, int64_t i) {
            task(slot, i * stretch, std::min(count, (i + 1) * stretch));
        },
        poll);
}

void draw_totals(const Totals& totals, uint64_t seed, uint32_t stream, int64_t first, int64_t count,
                 bool is_normed, double* out, int n_threads, Poll poll) {
    const int64_t m = totals.size();
    double whole = 0;
    for (int64_t i = 0; i < m; ++i) whole += totals.mean(i);
    each_replicate(count, m, n_threads, [&](int, int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
            double* to = out + b * m;
            totals.draw({seed, stream, static_cast<uint32_t>(first + b)}, to);
            if (!is_normed) continue;
            double sum = 0;
            for (int64_t i = 0; i < m; ++i) sum += to[i];
            if (sum > 0) for (int64_t i = 0; i < m; ++i) to[i] *= whole / sum;
        }
    }, poll);
}

}  // namespace karat
