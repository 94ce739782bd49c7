// Draws and replicates: known words, sums that are kept, areas against plain loops, any threads.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "kernels/draw_items.hpp"
#include "kernels/replicate_cumulative.hpp"
#include "kernels/resample_counts.hpp"

namespace karat_tests {

namespace {

using karat::Law;

template <class Call>
bool is_refused(const Call& call) {
    try {
        call();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

template <class T>
std::vector<T> copied(const Exact<T>& values) {
    return std::vector<T>(values.data(), values.data() + values.size());
}

void test_words() {
    check_same(karat::philox({0, 0, 0, 0}, 0),
               karat::Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, "words of zeros");
    check_same(karat::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
               karat::Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}, "words of pi");
    check_same(karat::uniform_of(0, 0) > 0.0, true, "a number above 0");
    check_same(karat::uniform_of(UINT32_MAX, UINT32_MAX) < 1.0, true, "a number below 1");
    for (int rate = 1; rate <= karat::SmallPoisson::kMostRate; ++rate) {
        const karat::SmallPoisson law(rate);
        check_same(law.draw(0) <= law.draw(1u << 31), true, "counts rise with their words");
        check_same(law.draw(1u << 31) <= law.draw(UINT32_MAX), true, "the largest word");
        check_same(std::abs(law.draw(1u << 31) - rate) <= 1, true, "the median is near the rate");
    }
}

void test_counts_drawn(Random& random) {
    for (const int64_t m : {0, 1, 2, 7, 300}) {
        Exact<int64_t> counts(m);
        int64_t rows = 0;
        for (int64_t i = 0; i < m; ++i)
            rows += counts[i] = below(random, 4) == 0 ? 0 : below(random, 100000);
        const int64_t b = 9;
        std::vector<std::vector<int64_t>> found;
        for (const int threads : {1, 2, 3}) {
            Exact<int64_t> out(b * m);
            karat::resample_counts(counts.data(), m, 5, 0, 0, b, out.data(), threads, nullptr);
            found.push_back(copied(out));
            for (int64_t r = 0; r < b && m > 0; ++r) {
                int64_t sum = 0;
                for (int64_t i = 0; i < m; ++i) {
                    sum += out[r * m + i];
                    check_same(out[r * m + i] >= 0 && (counts[i] > 0 || out[r * m + i] == 0), true,
                               "no rows where there were none");
                }
                check_same(sum, rows, "as many rows as there are");
            }
        }
        check_same(found[0] == found[1] && found[1] == found[2], true, "any number of threads");
        Exact<int64_t> part(4 * m);
        karat::resample_counts(counts.data(), m, 5, 0, 3, 4, part.data(), 1, nullptr);
        check_same(copied(part), std::vector<int64_t>(found[0].begin() + 3 * m,
                                                      found[0].begin() + 7 * m),
                   "a part of the replicates");
    }
    const Exact<int64_t> bad(std::vector<int64_t>{3, -1});
    Exact<int64_t> out(2);
    check_same(is_refused([&] {
        karat::resample_counts(bad.data(), 2, 0, 0, 0, 1, out.data(), 1, nullptr);
    }), true, "a negative count");
}

void test_items_drawn() {
    for (const int64_t n : {0, 1, 5, 4099}) {
        Exact<int32_t> drawn(n), counts(n);
        Exact<double> weights(n);
        const karat::Source source{1, 0, 2};
        karat::resample_items(source, n, drawn.data());
        int64_t sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += drawn[i];
        check_same(sum, n, "as many items as there are");
        karat::draw_poisson_items(source, n, counts.data());
        karat::draw_exponential_items(source, n, weights.data());
        for (int64_t i = 0; i < n; ++i)
            check_same(counts[i] >= 0 && weights[i] > 0 && std::isfinite(weights[i]), true,
                       "weights of items");
    }
}

void test_clusters_drawn(Random& random) {
    const int64_t n_clusters = 40, n_entries = 300, m = 6, b = 5;
    Exact<int32_t> ids(n_entries), cells(n_entries), drawn(n_clusters);
    Exact<double> weights(n_entries);
    for (int64_t e = 0; e < n_entries; ++e) {
        ids[e] = static_cast<int32_t>(below(random, n_clusters));
        cells[e] = static_cast<int32_t>(below(random, m));
        weights[e] = static_cast<double>(below(random, 8)) / 8;
    }
    karat::ClusterEntries entries;
    entries.ids = ids.data();
    entries.cells = cells.data();
    entries.n_entries = n_entries;
    entries.n_clusters = n_clusters;
    entries.m = m;
    entries.validate();
    Exact<int64_t> counted(b * m);
    karat::resample_clusters(entries, 3, 0, 0, b, counted.data(), 2, nullptr);
    entries.weights = weights.data();
    entries.validate();
    Exact<double> weighed(b * m), smooth(b * m);
    karat::weigh_clusters(entries, Law::poisson, 3, 0, 0, b, weighed.data(), 2, nullptr);
    karat::weigh_clusters(entries, Law::gamma, 3, 0, 0, b, smooth.data(), 3, nullptr);
    for (int64_t r = 0; r < b; ++r) {
        karat::resample_items({3, 0, static_cast<uint32_t>(r)}, n_clusters, drawn.data());
        Exact<int64_t> rows(m);
        Exact<double> sums(m);
        for (int64_t i = 0; i < m; ++i) rows[i] = 0, sums[i] = 0;
        for (int64_t e = 0; e < n_entries; ++e) {
            rows[cells[e]] += drawn[ids[e]];
            sums[cells[e]] += drawn[ids[e]] * weights[e];
        }
        for (int64_t i = 0; i < m; ++i) {
            check_same(counted[r * m + i], rows[i], "rows of whole clusters");
            check_same(weighed[r * m + i], sums[i], "weights of whole clusters");
            check_same(smooth[r * m + i] > 0, true, "weighed clusters");
        }
    }
    ids[7] = n_clusters;
    check_same(is_refused([&] { entries.validate(); }), true, "no such cluster");
    ids[7] = 0, cells[7] = m;
    check_same(is_refused([&] { entries.validate(); }), true, "no such cell");
}

void test_cumulative_drawn(Random& random) {
    const int64_t u = 30, b = 12;
    Exact<double> sums(2 * u), squares(2 * u), within(u), scores(u);
    for (int64_t i = 0; i < u; ++i) {
        scores[i] = static_cast<double>(u - i);
        within[i] = static_cast<double>(below(random, 5)) / 4;
        for (const int64_t side : {0, 1}) {
            sums[2 * i + side] = static_cast<double>(below(random, 4) * below(random, 400));
            squares[2 * i + side] = 2.5 * sums[2 * i + side];
        }
    }
    for (const Law law : {Law::poisson, Law::gamma})
        for (const bool is_weighted : {false, true}) {
            const karat::Totals totals(sums.data(), is_weighted ? squares.data() : nullptr, 2 * u,
                                       law);
            Exact<double> areas(b), weights(2 * b), drawn(2 * u);
            karat::replicate_areas(totals, within.data(), 9, 1, 2, b, areas.data(), weights.data(),
                                   3, nullptr);
            Exact<double> levels(b * u), sides(2 * b * u), of_squares(2 * b * u);
            Exact<int64_t> counts(2 * b * u), lengths(b);
            const bool is_counted = law == Law::poisson && !is_weighted;
            karat::replicate_levels(totals, scores.data(), law, 9, 1, 2, b,
                                   {levels.data(), is_counted ? counts.data() : nullptr,
                                    sides.data(), of_squares.data(), lengths.data()},
                                   2, nullptr);
            for (int64_t r = 0; r < b; ++r) {
                totals.draw({9, 1, static_cast<uint32_t>(2 + r)}, drawn.data());
                double area = 0;
                int64_t length = 0;
                for (int64_t i = 0; i < u; ++i) {
                    for (int64_t j = i + 1; j < u; ++j)
                        area += 2 * drawn[2 * i + 1] * drawn[2 * j];
                    area += 2 * within[i] * drawn[2 * i] * drawn[2 * i + 1];
                    if (drawn[2 * i] + drawn[2 * i + 1] == 0) continue;
                    check_same(levels[r * u + length], scores[i], "score of a level");
                    for (const int64_t side : {0, 1}) {
                        const int64_t at = 2 * (r * u + length) + side;
                        check_same(is_counted ? static_cast<double>(counts[at]) : sides[at],
                                   drawn[2 * i + side], "what stands on a level");
                    }
                    ++length;
                }
                check_same(lengths[r], length, "levels that something stands on");
                check_same(std::fabs(areas[r] - area) <= 1e-12 * area, true, "area of a replicate");
            }
        }
    sums[3] = -1;
    check_same(is_refused([&] { karat::Totals(sums.data(), nullptr, 2 * u, Law::gamma); }), true,
               "a negative sum");
    sums[3] = std::nan("");
    check_same(is_refused([&] { karat::Totals(sums.data(), nullptr, 2 * u, Law::gamma); }), true,
               "no number");
}

// Means of many draws, within six standard errors.
void test_means() {
    constexpr int64_t n = 20000;
    for (const double mean : {0.3, 4.0, 12.5, 700.0}) {
        const karat::Poisson poisson(mean);
        double sums[3] = {0, 0, 0};
        const double p = mean / 2000.0;
        for (int64_t i = 0; i < n; ++i) {
            const karat::Source source{8, 0, static_cast<uint32_t>(i)};
            karat::Draws first(source, karat::Purpose::cells, 0);
            karat::Draws second(source, karat::Purpose::cells, 1);
            karat::Draws third(source, karat::Purpose::cells, 2);
            sums[0] += poisson.draw(first);
            sums[1] += static_cast<double>(karat::draw_binomial(2000, p, second));
            sums[2] += karat::draw_gamma(mean, third);
        }
        for (const double sum : sums)
            check_same(std::fabs(sum / n - mean) < 6.0 * std::sqrt(mean / n), true, "mean of draws");
    }
}

}  // namespace

void test_resampling(Random& random) {
    test_words();
    test_means();
    test_counts_drawn(random);
    test_items_drawn();
    test_clusters_drawn(random);
    test_cumulative_drawn(random);
}

}  // namespace karat_tests
