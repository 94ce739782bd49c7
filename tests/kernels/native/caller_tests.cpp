// Several threads that call kernels at once, each with threads of its own to ask for: one of them
// gets the pool, the others work alone, and all find the same.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "check.hpp"
#include "kernels/count.hpp"
#include "kernels/encode_integers.hpp"
#include "kernels/resample_counts.hpp"
#include "kernels/threads.hpp"

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

// Groups within groups, each with a quota of its own.
void test_quotas() {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("karat_quotas_" + std::to_string(
        std::chrono::steady_clock::now().time_since_epoch().count()));
    fs::create_directories(folder / "outer" / "inner");
    const auto write = [&](const char* file, const std::string& text) {
        std::ofstream(folder / file) << text;
    };
    const auto cores = [&](const std::string& groups) {
        write("groups", groups);
        return karat::quota_cores((folder / "groups").string(), folder.string());
    };
    constexpr int kMost = 256;
    check_same(karat::quota_cores((folder / "none").string(), folder.string()), kMost, "no groups");
    check_same(cores("0::/\n"), kMost, "no quota");
    check_same(cores("0::/outer/inner\n"), kMost, "no quota of any group");
    check_same(cores("4:memory:/outer\n0::\n"), kMost, "no group");
    write("outer/inner/cpu.max", "max 100000\n");
    check_same(cores("0::/outer/inner\n"), kMost, "every core");
    write("outer/cpu.max", "350000 100000\n");
    check_same(cores("1:cpu:/else\n0::/outer/inner\n"), 4, "three and a half cores");
    write("cpu.max", "200000 100000\n");
    check_same(cores("0::/outer/inner\n"), 2, "the quota of all");
    check_same(cores("0::/\n"), 2, "the quota of all alone");
    write("outer/inner/cpu.max", "10000 100000\n");
    check_same(cores("0::/outer/inner\n"), 1, "a tenth of a core");
    for (const char* odd : {"1e300 1\n", "100000 0\n", "-5 100000\n", "text\n", ""}) {
        write("outer/inner/cpu.max", odd);
        check_same(cores("0::/outer/inner\n"), 2, "a quota that says nothing");
    }
    fs::remove_all(folder);
}

}  // namespace

void test_callers(Random& random) {
    test_quotas();
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
