#include "kernels/read_scores_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/choose_isa.hpp"

namespace karat {
namespace {

constexpr int64_t kBlockValues = 3072, kMostBlockRows = 512;
constexpr int kColumnsBesides = 9;  // arrays of one number a row

int64_t rounded_up(int64_t n) { return (n + kGroup - 1) / kGroup * kGroup; }

template <class T>
T item(const char* at) {
    return *reinterpret_cast<const T*>(at);
}

template <class T>
void add_up(std::vector<T>& into, const std::vector<T>& other) {
    for (size_t i = 0; i < other.size(); ++i) into[i] += other[i];
}

// The bin (i / n, (i + 1) / n] of a confidence; the edges are these quotients, rounded.
int64_t bin_of(double confidence, int64_t n_bins) {
    const double n = static_cast<double>(n_bins);
    int64_t i = static_cast<int64_t>(confidence * n);
    i = std::clamp<int64_t>(i, 0, n_bins - 1);
    // The product may have been rounded across an edge, and an edge belongs to the bin below it.
    if (i > 0 && confidence <= static_cast<double>(i) / n) return i - 1;
    if (i + 1 < n_bins && confidence > static_cast<double>(i + 1) / n) return i + 1;
    return i;
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
    add_up(rows.places, other.rows.places);
    add_up(rows.truth, other.rows.truth);
    add_up(weights.places, other.weights.places);
    add_up(weights.truth, other.weights.truth);
    for (size_t i = 0; i < other.bins.size(); ++i) {
        bins[i].weight += other.bins[i].weight;
        bins[i].confidence += other.bins[i].confidence;
        bins[i].correct += other.bins[i].correct;
        bins[i].square += other.bins[i].square;
    }
}

ScoreReader::ScoreReader(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                         const ScoreOptions& options, int32_t* predicted)
    : values_(values),
      truth_(truth),
      weights_(weights),
      options_(options),
      predicted_(predicted) {
    const int64_t rows = std::min(score_block_rows(values.k), rounded_up(values.n));
    memory_.reset(new double[static_cast<size_t>((values.k + kColumnsBesides) * rows)]);
    double* free = memory_.get();
    for (double** array : {&code_, &own_, &weight_, &top_, &best_, &surprise_, &quadratic_,
                           &confidence_, &place_}) {
        *array = free;
        free += rows;
    }
    x_ = free;
}

bool ScoreReader::read(int64_t first, int64_t last, SegmentSums& sums) {
    const int64_t k = values_.k, step = score_block_rows(k);
    if (sums.rows.truth.empty() && sums.weights.truth.empty()) {
        const size_t size = static_cast<size_t>(k), n_places = wants(kWantPlaces) ? size : 0;
        is_weighted() ? sums.weights.truth.resize(size) : sums.rows.truth.resize(size);
        is_weighted() ? sums.weights.places.resize(n_places) : sums.rows.places.resize(n_places);
        sums.bins.resize(wants(kWantBins) ? static_cast<size_t>(options_.n_bins) : 0);
    }
    for (int64_t at = first; at < last; at += step) {
        const int64_t n = std::min(step, last - at);
        rows_ = rounded_up(n);
        if (!load(at, n)) return false;
        add_losses(n, sums);
        add_tables(at, n, sums);
        if (wants(kWantBins)) add_bins(n, sums);
        if (!is_weighted()) {
            sums.weight += static_cast<double>(n);
            sums.weight2 += static_cast<double>(n);
        }
    }
    return true;
}

bool ScoreReader::load(int64_t first, int64_t n) {
    const int32_t* codes = truth_ + first;
    if (!load_truth(codes, n) || !load_columns(first, n)) return false;
    if (is_weighted() && !load_weights(first, n)) return false;
    for (int64_t row = 0; row < n; ++row) own_[row] = x_[codes[row] * rows_ + row];
    // The rows beyond repeat the last one.
    std::fill(own_ + n, own_ + rows_, own_[n - 1]);
    return true;
}

bool ScoreReader::load_truth(const int32_t* codes, int64_t n) {
    uint32_t most = 0;
    for (int64_t row = 0; row < n; ++row) {
        // A negative code becomes a large one.
        most = std::max(most, static_cast<uint32_t>(codes[row]));
        code_[row] = static_cast<double>(codes[row]);
    }
    std::fill(code_ + n, code_ + rows_, code_[n - 1]);
    return static_cast<int64_t>(most) < values_.k;
}

bool ScoreReader::load_weights(int64_t first, int64_t n) {
    bool good = true;
    for (int64_t row = 0; row < n; ++row) {
        weight_[row] = item<double>(reinterpret_cast<const char*>(weights_.data) +
                                    (first + row) * weights_.stride);
        good &= weight_[row] >= 0 && weight_[row] <= std::numeric_limits<double>::max();
    }
    std::fill(weight_ + n, weight_ + rows_, 0.0);
    return good;
}

bool ScoreReader::load_columns(int64_t first, int64_t n) {
    const ScoreLanes& kernels = lanes().scores;
    const char* from = values_.data + first * values_.row_step;
    const int64_t k = values_.k, item = values_.item_bytes();
    if (!values_.is_single && values_.column_step == item && values_.row_step % item == 0)
        return values_.is_float32 ? turn_columns<float>(from, n) : turn_columns<double>(from, n);
    values_.is_float32 ? copy_columns<float>(from, n) : copy_columns<double>(from, n);
    for (int64_t j = 0; j < k; ++j)
        std::fill(x_ + j * rows_ + n, x_ + (j + 1) * rows_, x_[j * rows_ + n - 1]);
    return options_.is_prob ? kernels.are_probabilities(x_, rows_, k, options_.tolerance)
                            : kernels.are_scores(x_, rows_, k, {top_, best_});
}

// Rows whose values lie side by side.
template <class T>
bool ScoreReader::turn_columns(const char* from, int64_t n) {
    const ScoreLanes& kernels = lanes().scores;
    const RowsOf<T> rows{reinterpret_cast<const T*>(from),
                         values_.row_step / int64_t{sizeof(T)}, n, values_.k};
    const ScoreBest best{top_, best_};
    if constexpr (sizeof(T) == 8)
        return options_.is_prob ? kernels.turn_probabilities(rows, rows_, options_.tolerance, x_)
                                : kernels.turn_scores(rows, rows_, best, x_);
    else
        return options_.is_prob
                   ? kernels.turn_float_probabilities(rows, rows_, options_.tolerance, x_)
                   : kernels.turn_float_scores(rows, rows_, best, x_);
}

template <class T>
void ScoreReader::copy_columns(const char* from, int64_t n) {
    const int64_t row_step = values_.row_step;
    if (values_.is_single) {
        for (int64_t row = 0; row < n; ++row) {
            const T value = item<T>(from + row * row_step);
            x_[row] = options_.is_prob ? static_cast<double>(T(1) - value) : 0.0;
            x_[rows_ + row] = static_cast<double>(value);
        }
        return;
    }
    for (int64_t j = 0; j < values_.k; ++j) {
        const char* column = from + j * values_.column_step;
        double* out = x_ + j * rows_;
        // Apart, so that values side by side are copied as vectors.
        if (row_step == sizeof(T))
            for (int64_t row = 0; row < n; ++row)
                out[row] = static_cast<double>(reinterpret_cast<const T*>(column)[row]);
        else
            for (int64_t row = 0; row < n; ++row)
                out[row] = static_cast<double>(item<T>(column + row * row_step));
    }
}

void ScoreReader::add_loss(Loss loss, double* of_rows, int64_t n, SegmentSums& sums) {
    double made[3];
    std::fill(of_rows + n, of_rows + rows_, 0.0);
    lanes().scores.add_losses(of_rows, is_weighted() ? weight_ : nullptr, rows_, made);
    for (int i = 0; i < 3; ++i) sums.loss[loss][i] += made[i];
}

void ScoreReader::add_losses(int64_t n, SegmentSums& sums) {
    const ScoreLanes& kernels = lanes().scores;
    const ScoreBlock block{x_, code_, own_, rows_, values_.k};
    const ScoreBest best{top_, best_};
    const bool surprise = wants(1 << kSurprise), quadratic = wants(1 << kQuadratic);
    const bool bins = wants(kWantBins);
    const bool soft = !options_.is_prob && (surprise || quadratic || bins);
    // That of other scores is known since they were checked.
    if (options_.is_prob && (bins || wants(kWantPredicted)))
        kernels.are_scores(x_, rows_, values_.k, best);
    if (soft) {
        kernels.softmax(block, best,
                        {surprise ? surprise_ : nullptr, quadratic ? quadratic_ : nullptr,
                         bins ? confidence_ : nullptr});
    } else {
        if (surprise) kernels.surprises(block, surprise_);
        if (quadratic) kernels.quadratics(block, quadratic_);
        if (bins) std::copy(top_, top_ + rows_, confidence_);
    }
    if (surprise) add_loss(kSurprise, surprise_, n, sums);
    if (quadratic) add_loss(kQuadratic, quadratic_, n, sums);
    if (wants(1 << kMargin)) {
        kernels.margins(block, surprise_);
        add_loss(kMargin, surprise_, n, sums);
    }
    if (wants(1 << kBinarySurprise)) {
        options_.is_prob ? kernels.binary_surprises(block, surprise_)
                         : kernels.sigmoid(block, surprise_);
        add_loss(kBinarySurprise, surprise_, n, sums);
    }
    if (wants(kWantPlaces)) kernels.places(block, place_);
}

template <class Count>
void ScoreReader::count(int64_t first, int64_t n, ScoreTables<Count>& tables) {
    const auto worth = [&](int64_t row) {
        return is_weighted() ? static_cast<Count>(weight_[row]) : Count(1);
    };
    for (int64_t row = 0; row < n; ++row)
        tables.truth[static_cast<size_t>(truth_[first + row])] += worth(row);
    if (wants(kWantPlaces))
        for (int64_t row = 0; row < n; ++row)
            tables.places[static_cast<size_t>(place_[row])] += worth(row);
}

void ScoreReader::add_tables(int64_t first, int64_t n, SegmentSums& sums) {
    if (is_weighted()) {
        count(first, n, sums.weights);
        double made[3];
        std::fill(surprise_, surprise_ + rows_, 1.0);
        lanes().scores.add_losses(surprise_, weight_, rows_, made);
        sums.weight += made[0];
        sums.weight2 += made[1];
    } else {
        count(first, n, sums.rows);
    }
    if (wants(kWantPredicted))
        for (int64_t row = 0; row < n; ++row)
            predicted_[first + row] = static_cast<int32_t>(best_[row]);
}

void ScoreReader::add_bins(int64_t n, SegmentSums& sums) {
    for (int64_t row = 0; row < n; ++row) {
        const double w = is_weighted() ? weight_[row] : 1.0;
        BinEntry& bin = sums.bins[static_cast<size_t>(bin_of(confidence_[row], options_.n_bins))];
        bin.weight += w;
        bin.confidence += w * confidence_[row];
        if (best_[row] == code_[row]) bin.correct += w;
        bin.square += w * w;
    }
}

}  // namespace karat
