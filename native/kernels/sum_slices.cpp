#include "kernels/sum_slices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

// Rows that are laid side by side, whose lines stay in the second-level cache.
constexpr int64_t kRows = 4096;
constexpr int64_t kMostCells = int64_t{1} << 30;
// Cells of the tables of one task: some megabytes.
constexpr int64_t kCellsOfTask = 1 << 16;
constexpr int64_t kLane = kLineBytes / static_cast<int64_t>(sizeof(double));
// Numbers of 16 bits that are 0 or 1 are added so often before they are moved to wider ones.
constexpr int64_t kChunksOfCounts = 65535 / kRows;

using Eight = double __attribute__((vector_size(kLineBytes)));

Eight eight_at(const double* from) {
    Eight out;
    std::memcpy(&out, from, sizeof out);
    return out;
}

int64_t cells_of(const SliceGrid& grid, const std::vector<int>& cross) {
    int64_t cells = 1;
    for (const int column : cross) cells *= grid.n_parts[column] + 1;
    return cells;
}

// Sums by cell of 8 replicates, doubles; with the sums of squares beside them where width is 2.
class DoubleTables {
public:
    static constexpr int64_t kReplicates = kLane;

    DoubleTables(int64_t n_cells, int width)
        : width_(width), cells_(static_cast<size_t>(n_cells * width * kLane)), lines_(kRows * width * kLane) {}

    // Lays rows first, …, first + n of replicates from, from + 1, … side by side; adds up all of each.
    void lay(const SliceValues& values, int64_t from, int64_t n_rows, int64_t first, int64_t n, double* totals) {
        const int64_t step = width_ * kLane, b = std::min(kReplicates, values.b - from);
        std::fill(lines_.begin(), lines_.end(), 0.0);
        double sums[2 * kLane] = {};
        for (int64_t r = 0; r < b; ++r) {
            const double* value = values.doubles + (from + r) * n_rows + first;
            double* line = lines_.data() + r;
            for (int64_t i = 0; i < n; ++i) line[i * step] = value[i];
            if (width_ == 2)
                for (int64_t i = 0; i < n; ++i) line[i * step + kLane] = value[i] * value[i];
        }
        for (int64_t i = 0; i < n; ++i)
            for (int64_t lane = 0; lane < step; ++lane) sums[lane] += lines_[i * step + lane];
        for (int64_t lane = 0; lane < step; ++lane) totals[lane] += sums[lane];
    }
    void add(const Lanes& lanes, const uint32_t* cells, int64_t n, int64_t table) {
        lanes.lines.add_doubles(cells, lines_.data(), n, width_, cells_.data() + table * width_ * kLane);
    }
    void settle(int64_t) {}
    void finish() {}
    // Sums of 8 replicates in a cell, or their squares.
    Eight sums(int64_t cell, int64_t, int square) const {
        return eight_at(cells_.data() + (cell * width_ + square) * kLane);
    }

private:
    int width_;
    std::vector<double> cells_, lines_;
};

// Counts by cell of 32 replicates, of values that are 0 or 1.
class CountTables {
public:
    static constexpr int64_t kReplicates = kLineBytes / static_cast<int64_t>(sizeof(uint16_t));

    CountTables(int64_t n_cells, int)
        : counts_(static_cast<size_t>(n_cells * kReplicates)), wide_(counts_.size()), lines_(kRows * kReplicates) {}

    void lay(const SliceValues& values, int64_t from, int64_t n_rows, int64_t first, int64_t n, double* totals) {
        const int64_t b = std::min(kReplicates, values.b - from);
        std::fill(lines_.begin(), lines_.end(), uint16_t{0});
        for (int64_t r = 0; r < b; ++r) {
            const uint8_t* value = values.bits + (from + r) * n_rows + first;
            int64_t sum = 0;
            for (int64_t i = 0; i < n; ++i) {
                lines_[static_cast<size_t>(i * kReplicates + r)] = value[i];
                sum += value[i];
            }
            totals[r] += static_cast<double>(sum);
        }
    }
    void add(const Lanes& lanes, const uint32_t* cells, int64_t n, int64_t table) {
        lanes.lines.add_counts(cells, lines_.data(), n, counts_.data() + table * kReplicates);
    }
    void settle(int64_t chunk) {
        if (chunk % kChunksOfCounts == kChunksOfCounts - 1) finish();
    }
    void finish() {
        for (size_t i = 0; i < counts_.size(); ++i) wide_[i] += counts_[i];
        std::fill(counts_.begin(), counts_.end(), uint16_t{0});
    }
    Eight sums(int64_t cell, int64_t group, int) const {
        Eight out;
        const uint32_t* from = wide_.data() + cell * kReplicates + group * kLane;
        for (int lane = 0; lane < kLane; ++lane) out[lane] = from[lane];
        return out;
    }

private:
    std::vector<uint16_t> counts_;
    std::vector<uint32_t> wide_;
    std::vector<uint16_t> lines_;
};

// The sums of the slices of one cross, from those of its cells, for 8 replicates.
class SpansOfCross {
public:
    SpansOfCross(const SliceGrid& grid, const std::vector<int>& cross) : grid_(grid), cross_(cross) {}

    // of_cell(cell) is a sum; out[slices] has room for all.
    template <class OfCell>
    void sum(OfCell of_cell, std::vector<Eight>& out) {
        read(of_cell);
        int64_t before = 1;
        for (size_t at = 0; at < cross_.size(); ++at) {
            const int column = cross_[at];
            const int64_t parts = grid_.n_parts[column], spans = grid_.n_spans(column);
            int64_t inner = 1;
            for (size_t later = at + 1; later < cross_.size(); ++later) inner *= grid_.n_parts[cross_[later]];
            next_.assign(static_cast<size_t>(before * spans * inner), Eight{});
            for (int64_t i = 0; i < before; ++i)
                join(column, sums_.data() + i * parts * inner, inner, next_.data() + i * spans * inner);
            sums_.swap(next_);
            before *= spans;
        }
        out.swap(sums_);
    }

private:
    // The sums of all cells but those of rows in no part.
    template <class OfCell>
    void read(OfCell of_cell) {
        int64_t n_parts = 1;
        for (const int column : cross_) n_parts *= grid_.n_parts[column];
        sums_.resize(static_cast<size_t>(n_parts));
        std::vector<int64_t> at(cross_.size());
        for (int64_t i = 0; i < n_parts; ++i) {
            int64_t cell = 0;
            for (size_t j = 0; j < cross_.size(); ++j) cell = cell * (grid_.n_parts[cross_[j]] + 1) + at[j];
            sums_[static_cast<size_t>(i)] = of_cell(cell);
            for (size_t j = cross_.size(); j-- > 0;) {
                if (++at[j] < grid_.n_parts[cross_[j]]) break;
                at[j] = 0;
            }
        }
    }
    // from[parts, inner] to to[spans, inner].
    void join(int column, const Eight* from, int64_t inner, Eight* to) {
        const int64_t parts = grid_.n_parts[column], first = grid_.span_starts[column], n = grid_.n_spans(column);
        const int64_t* spans = grid_.spans + 2 * first;
        above_.resize(static_cast<size_t>(parts + 1));
        for (int64_t j = 0; j < inner; ++j) {
            above_[0] = Eight{};
            for (int64_t i = 0; i < parts; ++i)
                above_[static_cast<size_t>(i + 1)] = above_[static_cast<size_t>(i)] + from[i * inner + j];
            for (int64_t i = 0; i < n; ++i) {
                const int64_t low = spans[2 * i], high = spans[2 * i + 1];
                // Of one part it is the sum itself, which a difference would round.
                to[i * inner + j] = high == low + 1
                                        ? from[low * inner + j]
                                        : above_[static_cast<size_t>(high)] - above_[static_cast<size_t>(low)];
            }
        }
    }

    const SliceGrid& grid_;
    const std::vector<int>& cross_;
    std::vector<Eight> sums_, next_, above_;
};

// Crosses whose tables are filled together.
struct Group {
    size_t first, last;
    int64_t n_cells;
};

std::vector<Group> groups_of(const SliceGrid& grid, int64_t n_wanted) {
    int64_t all = 0;
    for (const auto& cross : grid.crosses) all += cells_of(grid, cross);
    const int64_t most = std::min(kCellsOfTask, all / n_wanted + 1);
    std::vector<Group> groups;
    for (size_t i = 0; i < grid.crosses.size(); ++i) {
        const int64_t cells = cells_of(grid, grid.crosses[i]);
        if (groups.empty() || groups.back().n_cells + cells > most) groups.push_back({i, i, 0});
        groups.back().last = i + 1;
        groups.back().n_cells += cells;
    }
    return groups;
}

// Calls take(cross, from, b, sums, squares, totals) with the sums of the slices of each cross, for up to 8 replicates
// from `from` on; totals are those of all rows, squares theirs. Replicates of one `from` may come on several threads.
template <class Tables, class Take>
void each_cross_of(const SliceGrid& grid, const SliceValues& values, int width, int n_threads, Poll poll, Take take) {
    const int64_t n_batches = (values.b + Tables::kReplicates - 1) / Tables::kReplicates;
    if (n_batches == 0 || grid.crosses.empty()) return;
    const int limit = thread_limit(n_threads);
    const std::vector<Group> groups = groups_of(grid, (limit + n_batches - 1) / n_batches);
    const int64_t n_groups = static_cast<int64_t>(groups.size()), n_tasks = n_batches * n_groups;
    constexpr int64_t kWorth = 1 << 18;
    const int64_t work = grid.n * static_cast<int64_t>(grid.crosses.size()) * n_batches;
    const int n_slots = work < kWorth ? 1 : static_cast<int>(std::min<int64_t>(limit, n_tasks));
    const Lanes& lanes = karat::lanes();
    parallel(n_slots, n_tasks, [&](int, int64_t task) {
        const Group& group = groups[static_cast<size_t>(task % n_groups)];
        const int64_t from = task / n_groups * Tables::kReplicates;
        Tables tables(group.n_cells, width);
        std::vector<uint32_t> cells(kRows);
        std::vector<double> totals(static_cast<size_t>(std::max(Tables::kReplicates, 2 * kLane)));
        for (int64_t first = 0, chunk = 0; first < grid.n; first += kRows, ++chunk) {
            const int64_t n = std::min(kRows, grid.n - first);
            tables.lay(values, from, grid.n, first, n, totals.data());
            int64_t table = 0;
            for (size_t i = group.first; i < group.last; ++i) {
                const std::vector<int>& cross = grid.crosses[i];
                for (size_t j = 0; j < cross.size(); ++j) {
                    const int32_t* code = grid.codes + cross[j] * grid.n + first;
                    const auto parts = static_cast<uint32_t>(grid.n_parts[cross[j]] + 1);
                    if (j == 0)
                        for (int64_t row = 0; row < n; ++row)
                            cells[static_cast<size_t>(row)] = static_cast<uint32_t>(code[row]);
                    else
                        for (int64_t row = 0; row < n; ++row)
                            cells[static_cast<size_t>(row)] =
                                cells[static_cast<size_t>(row)] * parts + static_cast<uint32_t>(code[row]);
                }
                tables.add(lanes, cells.data(), n, table);
                table += cells_of(grid, cross);
            }
            tables.settle(chunk);
        }
        tables.finish();
        int64_t table = 0;
        std::vector<Eight> sums, squares;
        for (size_t i = group.first; i < group.last; ++i) {
            SpansOfCross spans(grid, grid.crosses[i]);
            for (int64_t part = 0; part * kLane < Tables::kReplicates && from + part * kLane < values.b; ++part) {
                spans.sum([&](int64_t cell) { return tables.sums(table + cell, part, 0); }, sums);
                if (width == 2) spans.sum([&](int64_t cell) { return tables.sums(table + cell, part, 1); }, squares);
                const int64_t start = from + part * kLane;
                take(i, start, std::min(kLane, values.b - start), sums, squares, totals.data() + part * kLane);
            }
            table += cells_of(grid, grid.crosses[i]);
        }
    }, poll);
}

template <class Take>
void each_cross(const SliceGrid& grid, const SliceValues& values, int width, int n_threads, Poll poll, Take take) {
    if (values.bits != nullptr && width == 1)
        each_cross_of<CountTables>(grid, values, width, n_threads, poll, take);
    else
        each_cross_of<DoubleTables>(grid, values, width, n_threads, poll, take);
}

Eight larger(Eight a, Eight b) { return a > b ? a : b; }

// The variance of the values of n rows, at least 2, from their sums and those of their squares.
Eight spread(Eight sums, Eight squares, double n) {
    n = std::max(n, 2.0);
    return larger(squares - sums * sums / n, Eight{}) / (n - 1.0);
}

}  // namespace

void SliceGrid::validate() const {
    const auto n_columns = static_cast<int>(n_parts.size());
    if (span_starts.size() != n_parts.size() + 1 || span_starts.front() != 0)
        throw std::invalid_argument("span_starts do not match the columns");
    for (int column = 0; column < n_columns; ++column) {
        const int64_t parts = n_parts[column];
        if (parts < 0 || parts >= kMostCells) throw std::invalid_argument("n_parts is negative or too large");
        const int32_t* const code = codes + column * n;
        int32_t least = 0, most = 0;
        for (int64_t i = 0; i < n; ++i) {
            least = std::min(least, code[i]);
            most = std::max(most, code[i]);
        }
        if (least < 0 || most > parts) throw std::invalid_argument("a code is no part of its column");
        if (n_spans(column) < 0) throw std::invalid_argument("span_starts do not increase");
        for (int64_t i = span_starts[column]; i < span_starts[column + 1]; ++i)
            if (spans[2 * i] < 0 || spans[2 * i] > spans[2 * i + 1] || spans[2 * i + 1] > parts)
                throw std::invalid_argument("a span is no run of parts");
    }
    for (const auto& cross : crosses) {
        if (cross.empty()) throw std::invalid_argument("a cross has no column");
        int64_t cells = 1, slices = 1;
        for (const int column : cross) {
            if (column < 0 || column >= n_columns) throw std::invalid_argument("a cross has another column");
            if (cells > kMostCells / (n_parts[column] + 1) || slices > kMostCells / (n_spans(column) + 1))
                throw std::invalid_argument("a cross has too many cells or slices");
            cells *= n_parts[column] + 1;
            slices *= n_spans(column) + 1;
        }
    }
}

std::vector<int64_t> SliceGrid::slice_starts() const {
    std::vector<int64_t> starts{0};
    for (const auto& cross : crosses) {
        int64_t slices = 1;
        for (const int column : cross) slices *= n_spans(column);
        starts.push_back(starts.back() + slices);
    }
    return starts;
}

void sum_slices(const SliceGrid& grid, const SliceValues& values, double* out, int n_threads, Poll poll) {
    const std::vector<int64_t> starts = grid.slice_starts();
    each_cross(grid, values, 1, n_threads, poll,
               [&](size_t cross, int64_t from, int64_t b, const std::vector<Eight>& sums, const std::vector<Eight>&,
                   const double*) {
                   for (int64_t r = 0; r < b; ++r) {
                       double* to = out + (from + r) * starts.back() + starts[cross];
                       for (size_t i = 0; i < sums.size(); ++i) to[i] = sums[i][r];
                   }
               });
}

void largest_of_slices(const SliceGrid& grid, const SliceValues& values, const SliceErrors& errors, double* out,
                       int n_threads, Poll poll) {
    const std::vector<int64_t> starts = grid.slice_starts();
    const size_t n_crosses = grid.crosses.size();
    const bool is_studentized = errors.n_rows != nullptr;
    const double n = static_cast<double>(grid.n), variance = std::max(errors.variance, 1e-300);
    // Of every cross by itself, since several threads may have those of one replicate.
    std::vector<double> most(n_crosses * static_cast<size_t>(values.b));
    each_cross(grid, values, is_studentized ? 2 : 1, n_threads, poll,
               [&](size_t cross, int64_t from, int64_t b, const std::vector<Eight>& sums,
                   const std::vector<Eight>& squares, const double* totals) {
                   const Eight total = eight_at(totals), of_all = is_studentized ? eight_at(totals + kLane) : Eight{};
                   Eight best{};
                   for (size_t i = 0; i < sums.size(); ++i) {
                       const size_t slice = static_cast<size_t>(starts[cross]) + i;
                       if (errors.inverse[slice] == 0.0) continue;
                       Eight z = (sums[i] - errors.part[slice] * total) * errors.inverse[slice];
                       if (is_studentized) {
                           const double m = errors.n_rows[slice], part = m / n;
                           const Eight unlike = (1.0 - part) * spread(sums[i], squares[i], m) +
                                                part * spread(total - sums[i], of_all - squares[i], n - m);
                           const Eight ratio = larger(unlike / variance, Eight{} + 1.0);
                           for (int lane = 0; lane < kLane; ++lane) z[lane] /= std::sqrt(ratio[lane]);
                       }
                       best = larger(best, z);
                   }
                   for (int64_t r = 0; r < b; ++r) most[static_cast<size_t>(from + r) * n_crosses + cross] = best[r];
               });
    for (int64_t r = 0; r < values.b; ++r) {
        const double* of_crosses = most.data() + static_cast<size_t>(r) * n_crosses;
        out[r] = n_crosses ? std::max(0.0, *std::max_element(of_crosses, of_crosses + n_crosses)) : 0.0;
    }
}

}  // namespace karat
