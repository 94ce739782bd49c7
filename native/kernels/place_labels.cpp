#include "kernels/place_labels.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace karat {
namespace {

constexpr int64_t kTaskScores = 1 << 16;
constexpr int64_t kScoresForThreads = 1 << 17;
constexpr int32_t kNowhere = -1;

// One row: the scores of its known labels in their order, and which of them are true.
struct Row {
    std::vector<double> scores;
    std::vector<double> of_true;      // [t] scores of the true labels
    std::vector<int32_t> places;      // [t] where each is in `scores`, or kNowhere
    std::vector<int32_t> order, at;   // of the sorted way
    int64_t first = 0;                // of its true items

    void clear() {
        scores.clear();
        of_true.clear();
        places.clear();
    }
    void add_true(double score) {
        places.push_back(static_cast<int32_t>(scores.size()));
        of_true.push_back(score);
        scores.push_back(score);
    }
};

struct Above {
    int32_t above, tied;
};

// Several scores at once: a comparison of vectors is −1 where it holds.
constexpr int64_t kLanes = 2;
typedef double Scores __attribute__((vector_size(kLanes * sizeof(double))));
typedef int64_t Counts __attribute__((vector_size(kLanes * sizeof(int64_t))));

Above count_above(const double* scores, int64_t n, double limit) {
    Counts in_above{}, in_not_below{};
    const Scores limits = {limit, limit};
    int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes) {
        Scores here;
        std::memcpy(&here, scores + j, sizeof here);
        in_above -= here > limits;
        in_not_below -= here >= limits;
    }
    int64_t above = 0, not_below = 0;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
        above += in_above[lane];
        not_below += in_not_below[lane];
    }
    for (; j < n; ++j) {
        above += scores[j] > limit;
        not_below += scores[j] >= limit;
    }
    return {static_cast<int32_t>(above), static_cast<int32_t>(not_below - above)};
}

// Few true labels: each against all labels.
void compare_each(const Row& row, const LabelPlaces& to) {
    const auto r = static_cast<int64_t>(row.scores.size()), t = static_cast<int64_t>(row.of_true.size());
    int64_t listed = 0;
    for (size_t i = 0; i < row.places.size(); ++i) {
        const int64_t out = row.first + static_cast<int64_t>(i);
        const int32_t place = row.places[i];
        if (place == kNowhere) {
            to.above[out] = static_cast<int32_t>(r);
            to.above_true[out] = static_cast<int32_t>(t);
            to.tied[out] = to.tied_true[out] = to.before[out] = 0;
            continue;
        }
        const double score = row.of_true[static_cast<size_t>(listed++)];
        const Above all = count_above(row.scores.data(), r, score), of_true = count_above(row.of_true.data(), t, score);
        to.above[out] = all.above;
        to.tied[out] = all.tied;
        to.above_true[out] = of_true.above;
        to.tied_true[out] = of_true.tied;
        to.before[out] = all.tied > 1 ? count_above(row.scores.data(), place, score).tied : 0;
    }
}

// Many: the labels in the order of their scores, those that tie together.
void compare_sorted(Row& row, const LabelPlaces& to) {
    const auto r = static_cast<int32_t>(row.scores.size());
    row.order.resize(row.scores.size());
    row.at.assign(row.scores.size(), kNowhere);
    for (int32_t j = 0; j < r; ++j) row.order[static_cast<size_t>(j)] = j;
    std::sort(row.order.begin(), row.order.end(), [&](int32_t a, int32_t b) {
        const double x = row.scores[static_cast<size_t>(a)], y = row.scores[static_cast<size_t>(b)];
        return x > y || (x == y && a < b);
    });
    for (size_t i = 0; i < row.places.size(); ++i) {
        const int64_t out = row.first + static_cast<int64_t>(i);
        if (row.places[i] != kNowhere) {
            row.at[static_cast<size_t>(row.places[i])] = static_cast<int32_t>(i);
            continue;
        }
        to.above[out] = r;
        to.above_true[out] = static_cast<int32_t>(row.of_true.size());
        to.tied[out] = to.tied_true[out] = to.before[out] = 0;
    }
    int32_t n_true = 0;
    for (int32_t begin = 0, end = 0; begin < r; begin = end) {
        const double score = row.scores[static_cast<size_t>(row.order[static_cast<size_t>(begin)])];
        int32_t true_here = 0;
        for (end = begin; end < r; ++end) {
            const auto label = static_cast<size_t>(row.order[static_cast<size_t>(end)]);
            if (row.scores[label] != score) break;
            true_here += row.at[label] != kNowhere;
        }
        for (int32_t j = begin; j < end; ++j) {
            const int32_t item = row.at[static_cast<size_t>(row.order[static_cast<size_t>(j)])];
            if (item == kNowhere) continue;
            const int64_t out = row.first + item;
            to.above[out] = begin;
            to.tied[out] = end - begin;
            to.above_true[out] = n_true;
            to.tied_true[out] = true_here;
            to.before[out] = j - begin;
        }
        n_true += true_here;
    }
}

void compare(Row& row, const LabelPlaces& to) {
    // Comparisons take several scores at once, a sort some steps for each of its levels.
    size_t few = 16;
    for (size_t r = row.scores.size(); r > 0; r /= 2) few += 4;
    if (row.of_true.size() <= few) compare_each(row, to);
    else compare_sorted(row, to);
}

// The labels of one set of a row, in order, as they are asked for.
class Walk {
public:
    Walk(const SetsView* sets, int64_t row, int64_t k) : sets_(sets), labels_(k) {
        if (sets != nullptr) at_ = row_of(*sets, row);
        first_ = at_.first;
        advance();
    }
    int64_t label() const { return label_; }  // of none left, above all
    int64_t place() const { return at_.first - 1; }  // of the label among the items
    int64_t first() const { return first_; }         // of the items of the row
    bool holds(int64_t label) {
        while (label_ < label) advance();
        return label_ == label;
    }
    void advance() {
        label_ = at_.first < at_.last ? labels_.next(sets_->items[at_.first++]) : kEnd;
    }

private:
    static constexpr int64_t kEnd = INT64_MAX;
    const SetsView* sets_;
    Ascending labels_;
    SetRow at_{0, 0};
    int64_t first_ = 0, label_ = kEnd;
};

void check_score(double score) {
    if (score != score) throw std::invalid_argument("a score is NaN");
}

// A row all of whose labels are known.
template <class Score>
void read_known_row(const ScoreMatrix& scores, const SetsView& truth, int64_t i, Row& row) {
    const char* bytes = scores.bytes + i * scores.stride;
    row.scores.resize(static_cast<size_t>(scores.k));
    double* copy = row.scores.data();
    bool has_nan = false;
    for (int64_t label = 0; label < scores.k; ++label) {
        Score score;
        std::memcpy(&score, bytes + label * static_cast<int64_t>(sizeof score), sizeof score);
        copy[label] = score;
        has_nan |= copy[label] != copy[label];
    }
    if (has_nan) throw std::invalid_argument("a score is NaN");
    const SetRow own = row_of(truth, i);
    Ascending labels(scores.k);
    row.first = own.first;
    for (int64_t at = own.first; at < own.last; ++at) {
        const int64_t label = labels.next(truth.items[at]);
        row.places.push_back(static_cast<int32_t>(label));
        row.of_true.push_back(copy[label]);
    }
}

template <class Score>
void read_row(const ScoreMatrix& scores, const SetsView& truth, const SetsView* unknown, int64_t i, Row& row) {
    if (unknown == nullptr) {
        read_known_row<Score>(scores, truth, i, row);
        return;
    }
    const char* bytes = scores.bytes + i * scores.stride;
    Walk of_true(&truth, i, scores.k), gone(unknown, i, scores.k);
    row.first = of_true.first();
    for (int64_t label = 0; label < scores.k; ++label) {
        Score score;
        std::memcpy(&score, bytes + label * scores.item, sizeof score);
        check_score(score);
        const bool is_true = of_true.holds(label), is_gone = gone.holds(label);
        if (is_gone && is_true) throw std::invalid_argument("a label is true and unknown in one row");
        if (is_true) row.add_true(score);
        else if (!is_gone) row.scores.push_back(score);
    }
    of_true.holds(scores.k);
    gone.holds(scores.k);
}

void read_row(const ScoreLists& scores, const SetsView& truth, const SetsView* unknown, int64_t i, Row& row) {
    Walk of_true(&truth, i, scores.k), gone(unknown, i, scores.k), listed(&scores.sets, i, scores.k);
    row.first = of_true.first();
    const auto miss_below = [&](int64_t label) {
        for (; of_true.label() < label && of_true.label() < scores.k; of_true.advance()) {
            if (gone.holds(of_true.label())) throw std::invalid_argument("a label is true and unknown in one row");
            row.places.push_back(kNowhere);
        }
    };
    for (; listed.label() < scores.k; listed.advance()) {
        const int64_t label = listed.label();
        const double score = scores.values[listed.place()];
        check_score(score);
        miss_below(label);
        const bool is_true = of_true.label() == label, is_gone = gone.holds(label);
        if (is_gone && is_true) throw std::invalid_argument("a label is true and unknown in one row");
        if (is_true) {
            row.add_true(score);
            of_true.advance();
        } else if (!is_gone) {
            row.scores.push_back(score);
        }
    }
    miss_below(scores.k);
    gone.holds(scores.k);
}

void check_truth(const SetsView& truth, const SetsView* unknown) {
    check_ends(truth);
    if (unknown != nullptr) check_ends(*unknown);
}

template <class Read>
void place_rows(int64_t n, int64_t width, const LabelPlaces& places, int n_threads, Poll poll, const Read& read) {
    const int64_t rows = std::max<int64_t>(1, kTaskScores / std::max<int64_t>(1, width));
    const int n_slots = n * width >= kScoresForThreads ? thread_limit(n_threads) : 1;
    std::vector<Row> held(static_cast<size_t>(n_slots));
    parallel(n_slots, (n + rows - 1) / rows, [&](int slot, int64_t task) {
        Row& row = held[static_cast<size_t>(slot)];
        for (int64_t i = task * rows; i < std::min(n, (task + 1) * rows); ++i) {
            row.clear();
            read(i, row);
            places.n_ranked[i] = static_cast<int32_t>(row.scores.size());
            compare(row, places);
        }
    }, poll);
}

}  // namespace

void place_labels(const ScoreMatrix& scores, const SetsView& truth, const SetsView* unknown,
                  const LabelPlaces& places, int n_threads, Poll poll) {
    check_truth(truth, unknown);
    place_rows(scores.n, scores.k, places, n_threads, poll, [&](int64_t i, Row& row) {
        if (scores.item == 4) read_row<float>(scores, truth, unknown, i, row);
        else read_row<double>(scores, truth, unknown, i, row);
    });
}

void place_listed(const ScoreLists& scores, const SetsView& truth, const SetsView* unknown,
                  const LabelPlaces& places, int n_threads, Poll poll) {
    check_truth(truth, unknown);
    check_ends(scores.sets);
    const int64_t n = scores.sets.n, width = n == 0 ? 0 : scores.sets.m / n + 1;
    place_rows(n, width, places, n_threads, poll,
               [&](int64_t i, Row& row) { read_row(scores, truth, unknown, i, row); });
}

}  // namespace karat
