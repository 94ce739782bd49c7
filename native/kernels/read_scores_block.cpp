#include "kernels/read_scores_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

constexpr int64_t kBlockValues = 3072, kMostBlockRows = 512;
// Where rows lie apart, so many are copied at a time: a visit to a column should pay.
constexpr int64_t kCopiedRows = 64, kMostCopiedValues = 65536;
constexpr int kColumnsBesides = 9;  // arrays of one number a row

int64_t rounded_up(int64_t n) { return (n + kGroup - 1) / kGroup * kGroup; }

template <class T>
void add_up(std::vector<T>& into, const std::vector<T>& other) {
    for (size_t i = 0; i < other.size(); ++i) into[i] += other[i];
}

}  // namespace

int64_t score_block_rows(int64_t k) {
    return std::clamp(kBlockValues / k / kGroup * kGroup, kGroup, kMostBlockRows);
}

void SegmentSums::add(const SegmentSums& other) {
    weight += other.weight;
    weight2 += other.weight2;
    for (int i = 0; i < kLosses; ++i)
        for (int j = 0; j < 3; ++j) loss[i][j] += other.loss[i][j];
    add_up(rows.ranks, other.rows.ranks);
    add_up(rows.truth, other.rows.truth);
    add_up(weights.ranks, other.weights.ranks);
    add_up(weights.truth, other.weights.truth);
    for (size_t i = 0; i < other.bins.size(); ++i) {
        bins[i].weight += other.bins[i].weight;
        bins[i].confidence += other.bins[i].confidence;
        bins[i].correct += other.bins[i].correct;
        bins[i].square += other.bins[i].square;
    }
}

ScoreReader::ScoreReader(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                         const ScoreOptions& options, int32_t* predicted,
                         const RowLosses& of_rows)
    : values_(values),
      truth_(truth),
      weights_(weights),
      options_(options),
      predicted_(predicted),
      of_rows_(of_rows) {
    const int64_t rows = std::min(score_block_rows(values.k), rounded_up(values.n));
    copied_rows_ = rows;
    if (!has_rows_side_by_side()) {
        const int64_t blocks = std::min((kCopiedRows + rows - 1) / rows,
                                        kMostCopiedValues / (rows * values.k));
        copied_rows_ *= std::max<int64_t>(blocks, 1);
    }
    double* free = memory_.uninitialised<double>(values.k * copied_rows_ + kColumnsBesides * rows);
    for (double** array : {&code_, &own_, &weight_, &top_, &best_, &negative_log_, &squared_error_,
                           &confidence_, &rank_}) {
        *array = free;
        free += rows;
    }
    x_ = free;
    for (int64_t i = 0; wants(kWantBins) && i <= options.n_bins; ++i)
        edges_.push_back(static_cast<double>(i) / static_cast<double>(options.n_bins));
}

bool ScoreReader::read(int64_t first, int64_t last, SegmentSums& sums) {
    const int64_t k = values_.k, step = score_block_rows(k);
    if (sums.rows.truth.empty() && sums.weights.truth.empty()) {
        const size_t size = static_cast<size_t>(k), n_ranks = wants(kWantRanks) ? size : 0;
        is_weighted() ? sums.weights.truth.resize(size) : sums.rows.truth.resize(size);
        is_weighted() ? sums.weights.ranks.resize(n_ranks) : sums.rows.ranks.resize(n_ranks);
        sums.bins.resize(wants(kWantBins) ? static_cast<size_t>(options_.n_bins) : 0);
    }
    for (int64_t at = first; at < last; at += step) {
        const int64_t n = std::min(step, last - at);
        rows_ = rounded_up(n);
        if (!load(at, n, last)) return false;
        add_losses(at, n, sums);
        add_tables(at, n, sums);
        if (wants(kWantBins)) add_bins(n, sums);
        if (!is_weighted()) {
            sums.weight += static_cast<double>(n);
            sums.weight2 += static_cast<double>(n);
        }
    }
    return true;
}

void ScoreReader::add_loss(Loss loss, double* of_rows, int64_t first, int64_t n,
                           SegmentSums& sums) {
    double made[3];
    if (of_rows_[loss] != nullptr) std::copy(of_rows, of_rows + n, of_rows_[loss] + first);
    std::fill(of_rows + n, of_rows + rows_, 0.0);
    lanes().scores.add_losses(of_rows, is_weighted() ? weight_ : nullptr, rows_, made);
    for (int i = 0; i < 3; ++i) sums.loss[loss][i] += made[i];
}

void ScoreReader::add_losses(int64_t first, int64_t n, SegmentSums& sums) {
    const ScoreLanes& kernels = lanes().scores;
    const ScoreBlock block{columns_, code_, own_, rows_, values_.k};
    if (wants(kWantRanks)) kernels.ranks(block, rank_);
    if (of_rows_[kLosses] != nullptr) std::copy(rank_, rank_ + n, of_rows_[kLosses] + first);
    if (wants(1 << kMargin)) {
        kernels.margins(block, negative_log_);
        add_loss(kMargin, negative_log_, first, n, sums);
    }
    if (wants(1 << kBinaryNegativeLog)) {
        options_.is_prob ? kernels.binary_negative_logs(block, negative_log_)
                         : kernels.sigmoid(block, negative_log_);
        add_loss(kBinaryNegativeLog, negative_log_, first, n, sums);
    }
    options_.is_prob ? find_losses(block) : find_soft_losses(block);
    if (wants(1 << kNegativeLog)) add_loss(kNegativeLog, negative_log_, first, n, sums);
    if (wants(1 << kSquaredError)) add_loss(kSquaredError, squared_error_, first, n, sums);
}

void ScoreReader::find_losses(const ScoreBlock& block) {
    const ScoreLanes& kernels = lanes().scores;
    if (wants(kWantBins | kWantPredicted))
        kernels.are_scores(columns_, rows_, values_.k, {top_, best_});
    if (wants(1 << kSquaredError)) kernels.squared_errors(block, squared_error_);
    if (wants(1 << kNegativeLog)) {
        // Nothing reads the own probabilities after this.
        if (options_.clip > 0)
            for (int64_t row = 0; row < rows_; ++row)
                own_[row] = std::clamp(own_[row], options_.clip, 1 - options_.clip);
        kernels.negative_logs(block, negative_log_);
    }
    if (wants(kWantBins)) std::copy(top_, top_ + rows_, confidence_);
}

void ScoreReader::find_soft_losses(const ScoreBlock& block) {
    const bool negative_log = wants(1 << kNegativeLog), squared_error = wants(1 << kSquaredError);
    const bool bins = wants(kWantBins);
    if (!negative_log && !squared_error && !bins) return;
    // The scores are not read again.
    for (int64_t row = 0; row < rows_; ++row)
        columns_.x[static_cast<int64_t>(best_[row]) * columns_.stride + row] =
            -std::numeric_limits<double>::infinity();
    lanes().scores.softmax(block, {top_, best_},
                           {negative_log ? negative_log_ : nullptr,
                            squared_error ? squared_error_ : nullptr,
                            bins ? confidence_ : nullptr});
}

template <class Count>
void ScoreReader::count(int64_t first, int64_t n, ScoreTables<Count>& tables) {
    const auto worth = [&](int64_t row) {
        return is_weighted() ? static_cast<Count>(weight_[row]) : Count(1);
    };
    for (int64_t row = 0; row < n; ++row)
        tables.truth[static_cast<size_t>(truth_[first + row])] += worth(row);
    if (wants(kWantRanks))
        for (int64_t row = 0; row < n; ++row)
            tables.ranks[static_cast<size_t>(rank_[row])] += worth(row);
}

void ScoreReader::add_tables(int64_t first, int64_t n, SegmentSums& sums) {
    if (is_weighted()) {
        count(first, n, sums.weights);
        double made[3];
        std::fill(negative_log_, negative_log_ + rows_, 1.0);
        lanes().scores.add_losses(negative_log_, weight_, rows_, made);
        sums.weight += made[0];
        sums.weight2 += made[1];
    } else {
        count(first, n, sums.rows);
    }
    if (wants(kWantPredicted))
        for (int64_t row = 0; row < n; ++row)
            predicted_[first + row] = static_cast<int32_t>(best_[row]);
}

int64_t ScoreReader::bin_of(double confidence) const {
    const int64_t n = options_.n_bins;
    const int64_t i = std::min(static_cast<int64_t>(confidence * static_cast<double>(n)), n - 1);
    // The product may have been rounded across an edge, and an edge belongs to the bin below it.
    if (i > 0 && confidence <= edges_[static_cast<size_t>(i)]) return i - 1;
    return i + (i + 1 < n && confidence > edges_[static_cast<size_t>(i + 1)]);
}

void ScoreReader::add_bins(int64_t n, SegmentSums& sums) {
    for (int64_t row = 0; row < n; ++row) {
        const double w = is_weighted() ? weight_[row] : 1.0;
        BinEntry& bin = sums.bins[static_cast<size_t>(bin_of(confidence_[row]))];
        bin.weight += w;
        bin.confidence += w * confidence_[row];
        bin.correct += best_[row] == code_[row] ? w : 0.0;
        bin.square += w * w;
    }
}

}  // namespace karat
