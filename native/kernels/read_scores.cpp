#include "kernels/read_scores.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/large_pages.hpp"
#include "kernels/read_scores_block.hpp"
#include "kernels/rejected.hpp"

namespace karat {
namespace {

constexpr int64_t kValuesForThreads = 200000;  // below, waking threads costs more than it gives
constexpr int64_t kLeastSegment = 65536;       // values
constexpr int64_t kMostSegments = 64;
constexpr int64_t kRowsForTables = 64;  // of a segment at least, whose tables take memory
constexpr int64_t kValuesForPoll = int64_t{1} << 27;

// Rows of a segment: a whole number of blocks, from n and k alone.
int64_t segment_rows(int64_t n, int64_t k) {
    const int64_t block = score_block_rows(k);
    const int64_t fair = (n + kMostSegments - 1) / kMostSegments;
    const int64_t least = std::max((kLeastSegment + k - 1) / k, kRowsForTables);
    return (std::max(fair, least) + block - 1) / block * block;
}

void check(const ScoreMatrix& values, const ScoreOptions& options) {
    if (values.n < 1) throw std::invalid_argument("the scores have no rows");
    if (values.k < 1) throw std::invalid_argument("there must be at least one class");
    if (options.is_prob && !(options.tolerance >= 0 && options.tolerance <= 1))
        throw std::invalid_argument("tolerance must be between 0 and 1");
    if (!(options.clip >= 0 && options.clip < 0.5))
        throw std::invalid_argument("clip is not in [0, 0.5)");
    if (options.wanted < 0 || options.wanted > (kWantAll | kWantRows))
        throw std::invalid_argument("wanted has unknown bits");
    if ((options.wanted & kWantBins) != 0 && (options.n_bins < 1 || options.n_bins > 1 << 20))
        throw std::invalid_argument("n_bins must be between 1 and 2^20");
}

ScoreSums finished(SegmentSums total, const ScoreMatrix& values, bool weighted, int wanted) {
    ScoreSums made;
    made.k = values.k;
    made.n_rows = values.n;
    made.weighted = weighted;
    made.weight = total.weight;
    made.weight2 = total.weight2;
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (size_t i = 0; i < kLosses; ++i) {
        const bool has = (wanted & (1 << i)) != 0;
        made.w_loss[i] = has ? total.loss[i][0] : none;
        made.w2_loss[i] = has ? total.loss[i][1] : none;
        made.w2_loss2[i] = has ? total.loss[i][2] : none;
    }
    made.ranks = std::move(total.rows.ranks);
    made.truth = std::move(total.rows.truth);
    made.ranks_w = std::move(total.weights.ranks);
    made.truth_w = std::move(total.weights.truth);
    for (const BinEntry& bin : total.bins) {
        made.bin_weight.push_back(bin.weight);
        made.bin_confidence.push_back(bin.confidence);
        made.bin_correct.push_back(bin.correct);
        made.bin_weight2.push_back(bin.square);
    }
    return made;
}

}  // namespace

ScoreSums read_scores(const ScoreMatrix& values, const int32_t* truth, Weights weights,
                      const ScoreOptions& options) {
    check(values, options);
    const int64_t n = values.n, rows = segment_rows(n, values.k);
    const int64_t n_segments = (n + rows - 1) / rows;
    std::unique_ptr<int32_t[]> predicted;
    if ((options.wanted & kWantPredicted) != 0) predicted.reset(new int32_t[size_t(n)]);
    std::array<std::unique_ptr<double[]>, kLosses + 1> of_rows;
    RowLosses to{};
    for (size_t i = 0; i < of_rows.size(); ++i) {
        if ((options.wanted & kWantRows) == 0 || (options.wanted & (1 << i)) == 0) continue;
        of_rows[i] = uninitialised<double>(n);
        to[i] = of_rows[i].get();
    }
    std::vector<SegmentSums> sums(static_cast<size_t>(n_segments));
    std::atomic<bool> is_bad{false};
    const auto read = [&](int, int64_t segment) {
        if (is_bad.load(std::memory_order_relaxed)) return;
        ScoreReader reader(values, truth, weights, options, predicted.get(), to);
        const int64_t first = segment * rows, last = std::min(n, first + rows);
        if (!reader.read(first, last, sums[static_cast<size_t>(segment)])) is_bad = true;
    };
    const bool is_long = n >= kValuesForPoll / values.k;
    const int n_slots = n >= kValuesForThreads / values.k ? thread_limit(options.n_threads) : 1;
    parallel(n_slots, n_segments, read, is_long ? options.poll : nullptr);
    if (is_bad) {
        reject_scores(values, truth, weights, options);
        // Only when someone wrote to the arrays meanwhile.
        throw std::runtime_error("the arrays changed while they were read");
    }
    for (size_t i = 1; i < sums.size(); ++i) sums[0].add(sums[i]);
    ScoreSums made =
        finished(std::move(sums[0]), values, weights.data != nullptr, options.wanted);
    made.predicted = std::move(predicted);
    made.of_rows = std::move(of_rows);
    return made;
}

}  // namespace karat
