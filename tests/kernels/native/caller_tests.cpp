// Several threads that call kernels at once, each with threads of its own to ask for: one of them
// gets the pool, the others work alone, and all find the same.
#include <optional>
#include <thread>

#include "check.hpp"
#include "kernels/count.hpp"
#include "kernels/encode_integers.hpp"
#include "kernels/resample_counts.hpp"

namespace karat_tests {
namespace {

constexpr int kCallers = 4, kRounds = 5;

struct Answers {
    int64_t hits = 0;
    std::vector<int64_t> values, drawn;
    std::vector<int32_t> codes;
    bool operator==(const Answers& other) const {
        return hits == other.hits && values == other.values && drawn == other.drawn &&
               codes == other.codes;
    }
};

Answers ask(const Labels& truth, const Labels& pred, int n_threads) {
    Answers answers;
    const int64_t n = static_cast<int64_t>(truth.values.size());
    const std::optional<karat::Tally> tally =
        karat::count_discovered(truth.column(), pred.column(), {}, {true, n_threads, nullptr});
    for (const int64_t tp : tally->tp) answers.hits += tp;
    answers.codes.resize(static_cast<size_t>(n));
    answers.values = karat::encode_integers(truth.column(), answers.codes.data(), n_threads);
    answers.drawn.resize(30 * tally->tp.size());
    karat::resample_counts(tally->tp.data(), static_cast<int64_t>(tally->tp.size()), 7, 0, 0, 30,
                           answers.drawn.data(), n_threads, nullptr);
    return answers;
}

Labels some_labels(Random& random, int64_t n) {
    std::vector<int64_t> values(static_cast<size_t>(n));
    for (int64_t& value : values) value = below(random, 30);
    return Labels(karat::Kind::i32, 1, values);
}

}  // namespace

void test_callers(Random& random) {
    const Labels truth = some_labels(random, 420001), pred = some_labels(random, 420001);
    const Answers wanted = ask(truth, pred, 1);
    std::vector<int> right(kCallers, 0);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < kCallers; ++caller)
        callers.emplace_back([&, caller] {
            for (int round = 0; round < kRounds; ++round)
                right[static_cast<size_t>(caller)] += ask(truth, pred, 2 + caller) == wanted;
        });
    for (std::thread& caller : callers) caller.join();
    for (const int each : right) check_same(each, kRounds, "answers of callers at once");
}

}  // namespace karat_tests
