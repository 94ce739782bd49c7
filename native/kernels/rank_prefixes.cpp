#include "kernels/rank_prefixes.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/rank_areas.hpp"
#include "kernels/rank_borders.hpp"
#include "kernels/sort_words.hpp"

namespace karat {
namespace {

constexpr int64_t kFewest = 8192, kMost = int64_t{1} << 24;
constexpr int kMostClassBits = 8;
constexpr int64_t kTaskItems = 32 * kBlock, kItemsForThreads = 200000;
// At most one row in so many is looked at again.
constexpr int64_t kRowsToOneInDoubt = 16;
constexpr int64_t kFewestFlags = (1 << 15) - 1;

KeyLayout cut_layout(const PackedScores& surveyed) {
    KeyLayout layout = surveyed.layout;
    layout.is_wide = false;
    layout.drop = std::max(layout.key_bits + layout.class_bits - 32, 0);
    return layout;
}

uint64_t key_of(const PackedScores& surveyed, int64_t item) {
    const double score = surveyed.task.scores.value(item);
    return surveyed.task.scores.is_double ? surveyed.layout.key_of(score)
                                          : surveyed.layout.key_of(static_cast<float>(score));
}

uint64_t slot_of(const RankTask& task, int64_t item) {
    const int64_t code = task.class_of(item);
    if (code < 0 || code >= task.k)
        throw std::runtime_error("the classes changed while they were read");
    return static_cast<uint64_t>(code == task.own ? task.k - 1 : code - (code > task.own));
}

// A set of keys that may hold others too.
class RoughSet {
public:
    explicit RoughSet(int64_t n_flags)
        : mask_((uint64_t{1} << bits_of(static_cast<uint64_t>(n_flags))) - 1),
          by_end_(mask_ + 1),
          by_all_(mask_ + 1) {}

    // One look, which takes some more keys for its own: the last bits of keys are the most even.
    int64_t may_have(uint64_t key) const { return by_end_[key & mask_]; }
    bool has(uint64_t key) const { return may_have(key) != 0 && by_all_[mixed(key)] != 0; }
    void add(uint64_t key) { by_end_[key & mask_] = by_all_[mixed(key)] = 1; }

private:
    uint64_t mixed(uint64_t key) const { return key * 0x9e3779b97f4a7c15u >> 32 & mask_; }

    uint64_t mask_;
    std::vector<uint8_t> by_end_, by_all_;
};

// Of the rows whose cut keys were seen together with those of the other side: how their whole keys
// stand.
class Doubts {
public:
    Doubts(const PackedScores& surveyed, const PackedScores& cut, std::vector<uint64_t> keys,
           int64_t n_rows)
        : surveyed_(surveyed), cut_(cut), keys_(std::move(keys)), n_rows_(n_rows) {}

    // Adds to areas[slot] what pairs on one cut key amount to.
    void settle(int n_threads, Poll poll, std::vector<uint64_t>& areas) const {
        std::vector<uint64_t> words = whole_words(n_threads, poll);
        sort_words(words.data(), static_cast<int64_t>(words.size()), surveyed_.layout.word_bits(), 1,
                   nullptr);
        const int below = surveyed_.layout.class_bits, cut = below + cut_.layout.drop;
        int64_t rows = 0;
        size_t key = 0;
        for (size_t first = 0, last; first < words.size(); first = last) {
            const uint64_t here = words[first] >> cut;
            for (last = first + 1; last < words.size() && words[last] >> cut == here;) ++last;
            while (key < keys_.size() && keys_[key] < here) ++key;
            if (key == keys_.size() || keys_[key] != here) continue;
            rows += static_cast<int64_t>(last - first);
            add(words.data() + first, static_cast<int64_t>(last - first), areas);
        }
        if (rows != n_rows_) throw std::runtime_error("the scores changed while they were read");
    }

private:
    std::vector<uint64_t> whole_words(int n_threads, Poll poll) const {
        // In the first-level cache if there is room, and few others taken for a key.
        RoughSet set(std::max<int64_t>(kFewestFlags, 16 * static_cast<int64_t>(keys_.size())));
        for (const uint64_t key : keys_) set.add(key);
        const int64_t n = cut_.task.n(), n_tasks = (n + kTaskItems - 1) / kTaskItems;
        const int n_slots = n < kItemsForThreads ? 1 : thread_limit(n_threads);
        std::vector<std::vector<uint64_t>> found(static_cast<size_t>(n_tasks));
        const WordBlocks blocks(cut_.task, cut_.layout);
        parallel(n_slots, n_tasks, [&](int, int64_t task) {
            alignas(64) uint32_t words[kBlock];
            int32_t places[kBlock];
            const int64_t end = std::min(n, (task + 1) * kTaskItems);
            for (int64_t first = task * kTaskItems; first < end; first += kBlock) {
                const int64_t here = std::min(kBlock, end - first);
                blocks.make_keys(first, here, words);
                int64_t m = 0;
                for (int64_t i = 0; i < here; ++i) {
                    places[m] = static_cast<int32_t>(i);
                    m += set.may_have(words[i] >> cut_.layout.class_bits);
                }
                for (int64_t i = 0; i < m; ++i)
                    if (set.has(words[places[i]] >> cut_.layout.class_bits))
                        found[task].push_back(whole_word(first + places[i]));
            }
        }, poll);
        std::vector<uint64_t> all;
        for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
        return all;
    }

    uint64_t whole_word(int64_t item) const {
        const uint64_t slot = slot_of(cut_.task, item);
        return key_of(surveyed_, item) << surveyed_.layout.class_bits | slot;
    }

    // Sorted words of one cut key.
    void add(const uint64_t* words, int64_t n, std::vector<uint64_t>& areas) const {
        const int below = surveyed_.layout.class_bits;
        const uint64_t mask = (uint64_t{1} << below) - 1;
        const uint64_t own = static_cast<uint64_t>(cut_.task.k - 1);
        uint64_t above = 0, seen = 0;
        for (int64_t i = n - 1; i >= 0; --i) {
            if (i + 1 < n && (words[i] ^ words[i + 1]) >> below != 0) above = seen;
            const uint64_t slot = words[i] & mask;
            areas[slot] += above + seen;
            seen += slot == own;
        }
    }

    const PackedScores& surveyed_;
    const PackedScores& cut_;
    std::vector<uint64_t> keys_;  // cut keys, ascending
    int64_t n_rows_;              // that have them
};

}  // namespace

bool prefixes_pay(const PackedScores& surveyed) {
    const RankTask& task = surveyed.task;
    const KeyLayout& layout = surveyed.layout;
    const int64_t n = task.n();
    if (surveyed.has_words || layout.has_rows || !layout.is_wide || n < kFewest || n > kMost ||
        layout.class_bits > kMostClassBits)
        return false;
    const bool is_long = n >= 1 << 19;
    const int64_t n_sampled = is_long ? 4096 : 1024;
    const int drop = cut_layout(surveyed).drop;
    // Large enough that hardly a key is taken for another.
    RoughSet seen((is_long ? 64 : 32) * n_sampled - 1);
    int64_t n_equal = 0, n_rises = 0, n_falls = 0;
    uint64_t last = key_of(surveyed, 0) >> drop;
    for (int64_t i = 0; i < n_sampled; ++i) {
        const uint64_t key = key_of(surveyed, n / n_sampled * i) >> drop;
        n_equal += seen.has(key);
        n_rises += key > last;
        n_falls += key < last;
        seen.add(key);
        last = key;
    }
    // Whole words of scores in order are sorted at once.
    return n_equal < 4 && n_rises > 0 && n_falls > 0;
}

PackedScores cut_keys(const PackedScores& surveyed) {
    PackedScores cut;
    cut.task = surveyed.task;
    cut.layout = cut_layout(surveyed);
    return cut;
}

std::optional<std::vector<int64_t>> count_cut_areas(const PackedScores& surveyed,
                                                    const PackedScores& cut, int n_threads,
                                                    Poll poll) {
    check_pairs(cut);
    const int64_t n = cut.task.n();
    std::optional<OrderedAreas> found =
        count_as_ordered(cut, n / kRowsToOneInDoubt, n_threads, poll);
    if (!found) return std::nullopt;
    std::vector<uint64_t>& areas = found->areas;
    const WholeReader<uint32_t> reader(cut, cut.narrow.get());
    std::vector<uint64_t> keys;
    for (const Border& border : found->borders) {
        keys.push_back(cut.narrow[border.border] >> cut.layout.class_bits);
        for (int64_t i = border.first; i < border.border; ++i)
            areas[reader.slot(i)] -= 2 * static_cast<uint64_t>(border.last - border.border);
    }
    sort_words(keys.data(), static_cast<int64_t>(keys.size()), cut.layout.word_bits(), 1, nullptr);
    if (!keys.empty())
        Doubts(surveyed, cut, std::move(keys), found->n_tied).settle(n_threads, poll, areas);
    return areas_of_classes(cut, areas);
}

}  // namespace karat
