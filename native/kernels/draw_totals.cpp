#include "kernels/draw_totals.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

// A Poisson number of a rate below 1 by inversion; `none` is the chance of 0.
double few_rows(double rate, double none, uint32_t word) {
    double u = uniform_of(word), term = none, k = 0;
    while (u > term && term > 0x1p-40) {
        u -= term;
        k += 1.0;
        term *= rate / k;
    }
    return k;
}

}  // namespace

Totals::Totals(const double* sums, const double* squares, int64_t m, Law law)
    : law_(law), mean_(sums, sums + m), scale_(static_cast<size_t>(m), 1.0),
      tables_(SmallPoisson::kMostRate + 1), few_(static_cast<size_t>(m)) {
    if (m > kMostItems) throw std::invalid_argument("more than 2^32 sums");
    for (Few& few : few_) few.whole = &none_;
    for (int64_t i = 0; i < m; ++i) {
        const double sum = sums[i], square = squares ? squares[i] : sum;
        // The square of a weight may be too small for a number: then it counts as one row.
        const bool is_tiny = square == 0 && sum <= 0x1p-500;
        if (!(sum >= 0 && square >= 0 && sum <= 0x1p500 && square <= 0x1p1000) ||
            ((sum > 0) != (square > 0) && !is_tiny))
            throw std::invalid_argument("a sum or a square is negative, too large or alone");
        if (sum == 0) continue;
        double rows = is_tiny ? 1 : squares ? sum * (sum / square) : sum;
        if (!(rows <= 0x1p52)) throw std::invalid_argument("a sum is of more than 2^52 rows");
        // Rows of one weight are a whole number of them, but for rounding.
        if (std::fabs(rows - std::round(rows)) < 1e-9 * rows) rows = std::round(rows);
        scale_[i] = is_tiny ? sum : squares ? square / sum : 1.0;
        const double whole = std::floor(rows);
        if (law == Law::gamma || whole > SmallPoisson::kMostRate) {
            large_.push_back({i, rows, Poisson(rows)});
            continue;
        }
        few_[i].part = rows - whole;
        few_[i].none = std::exp(-few_[i].part);
        if (whole == 0) continue;
        std::unique_ptr<SmallPoisson>& table = tables_[static_cast<size_t>(whole)];
        if (!table) table = std::make_unique<SmallPoisson>(static_cast<int>(whole));
        few_[i].whole = table.get();
    }
    find_blocks();
}

void Totals::draw(const Source& source, double* out) const {
    std::fill(out, out + size(), 0.0);
    if (large_.size() < scale_.size()) draw_few(source, out);
    const Lanes& lanes = karat::lanes();
    uint32_t words[kPlaceWords];
    int64_t next = 0;  // the item after those whose words are there
    for (const Large& large : large_) {
        if (large.item >= next) {
            const int64_t first = large.item - large.item % kPlaces;
            source.first_words(lanes, Purpose::totals, static_cast<uint32_t>(first), words);
            next = first + kPlaces;
        }
        Draws draws(source, Purpose::totals, large.item, words + 4 * (large.item % kPlaces));
        const double rows = law_ == Law::poisson ? large.poisson.draw(draws)
                                                 : draw_gamma(large.rows, draws);
        out[large.item] = rows * scale_[large.item];
    }
}

void Totals::find_blocks() {
    const auto n_blocks = static_cast<size_t>((size() + kPlaceWords - 1) / kPlaceWords);
    blocks_.resize(n_blocks);
    factors_.resize(n_blocks * kPlaceWords, 0.0);
    for (size_t i = 0; i < few_.size(); ++i) {
        Block& block = blocks_[i / kPlaceWords];
        block.has_part |= few_[i].part > 0;
        if (few_[i].whole == &none_) continue;
        factors_[i] = scale_[i];
        const bool is_alone = few_[i].whole->is_short() && (!block.has_whole || block.alone == few_[i].whole);
        block.alone = is_alone ? few_[i].whole : nullptr;
        block.has_whole = true;
    }
}

// Four items share the words of one place; kPlaces places are drawn together.
void Totals::draw_few(const Source& source, double* out) const {
    const Lanes& lanes = karat::lanes();
    uint32_t words[kPlaceWords];
    for (size_t b = 0; b < blocks_.size(); ++b) {
        const Block& block = blocks_[b];
        const int64_t first = static_cast<int64_t>(b) * kPlaceWords, n = std::min<int64_t>(size() - first, kPlaceWords);
        const auto place = static_cast<uint32_t>(first / 4);
        double* const to = out + first;
        const Few* const few = few_.data() + first;
        if (block.has_whole) {
            source.first_words(lanes, Purpose::whole_rows, place, words);
            if (block.alone != nullptr && !block.has_part) {
                double made[kPlaceWords];
                block.alone->draw_places(lanes, words, factors_.data() + first, made);
                std::copy(made, made + n, to);
                continue;
            }
            for (int64_t i = 0; i < n; ++i) to[i] = few[i].whole->draw(words[i]);
        }
        if (block.has_part) {
            source.first_words(lanes, Purpose::part_rows, place, words);
            for (int64_t i = 0; i < n; ++i) to[i] += few_rows(few[i].part, few[i].none, words[i]);
        }
        for (int64_t i = 0; i < n; ++i) to[i] *= scale_[first + i];
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
