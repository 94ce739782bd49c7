// karat._native: pack_pairs, pack_pairs_rows, sorted_keys, sorted_numbers, run_lengths, weighted_runs,
// group_keys.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bind/arrays.hpp"
#include "kernels/group_keys.hpp"
#include "kernels/large_pages.hpp"
#include "kernels/pack_pairs.hpp"
#include "kernels/run_lengths.hpp"
#include "kernels/score_keys.hpp"
#include "kernels/sort_words.hpp"

namespace karat {
namespace {

template <class Pack>
nb::object packed(nb::handle true_codes, nb::handle pred_codes, int64_t k, Pack pack) {
    const Input truth(true_codes, "true_codes", 1), pred(pred_codes, "pred_codes", 1);
    check_length("true_codes", truth.length(), "pred_codes", pred.length());
    const int32_t* of_truth = truth.int32s();
    const int32_t* of_pred = pred.int32s();
    const int64_t n = truth.length();
    std::unique_ptr<uint64_t[]> keys = uninitialised<uint64_t>(n);
    {
        const Unlocked unlocked(n);
        pack(of_truth, of_pred, n, k, keys.get());
    }
    return owned(std::move(keys), n);
}

// In memory of their own, which nobody writes to meanwhile.
nb::object sorted_keys(nb::handle keys, int n_threads) {
    const Input input(keys, "keys", 1);
    const uint64_t* from = input.uint64s();
    const int64_t n = input.length();
    std::unique_ptr<uint64_t[]> sorted = uninitialised<uint64_t>(n);
    {
        const Unlocked unlocked(n);
        uint64_t some = 0;
        for (int64_t i = 0; i < n; ++i) some |= sorted[i] = from[i];
        sort_words(sorted.get(), n, bits_of(some), n_threads, poll_for(n));
    }
    return owned(std::move(sorted), n);
}

// As whole numbers in their order, the least of which is 0.
nb::object sorted_numbers(nb::handle values, int n_threads) {
    const Input input(values, "values", 1);
    const double* from = input.doubles(true);
    const int64_t n = input.length();
    std::unique_ptr<uint64_t[]> keys = uninitialised<uint64_t>(n);
    std::unique_ptr<double[]> sorted = uninitialised<double>(n);
    {
        const Unlocked unlocked(n);
        int64_t least = std::numeric_limits<int64_t>::max();
        bool has_nan = false;
        for (int64_t i = 0; i < n; ++i) {
            const double value = from[i];
            has_nan |= value != value;
            const int64_t whole = ordered_of<double, int64_t>(value);
            least = std::min(least, whole);
            keys[i] = static_cast<uint64_t>(whole);
        }
        if (has_nan) throw std::invalid_argument("NaN has no order");
        uint64_t some = 0;
        for (int64_t i = 0; i < n; ++i) some |= keys[i] -= static_cast<uint64_t>(least);
        sort_words(keys.get(), n, bits_of(some), n_threads, poll_for(n));
        for (int64_t i = 0; i < n; ++i)
            sorted[i] = value_of<double>(static_cast<int64_t>(keys[i] + static_cast<uint64_t>(least)));
    }
    return owned(std::move(sorted), n);
}

nb::object runs_of(nb::handle sorted) {
    const Input input(sorted, "sorted", 1);
    const uint64_t* keys = input.uint64s();
    Runs runs;
    {
        const Unlocked unlocked(input.length());
        runs = run_lengths(keys, input.length());
    }
    return nb::make_tuple(owned(std::move(runs.keys)), owned(std::move(runs.rows)));
}

nb::object weighted_runs_of(nb::handle sorted, int index_bits, nb::handle weights) {
    const Input input(sorted, "sorted", 1), weight_input(weights, "weights", 1);
    check_length("sorted", input.length(), "weights", weight_input.length());
    const uint64_t* keys = input.uint64s();
    const double* of_rows = weight_input.doubles(true);
    Runs runs;
    {
        const Unlocked unlocked(input.length());
        runs = weighted_runs(keys, input.length(), index_bits, of_rows);
    }
    return nb::make_tuple(owned(std::move(runs.keys)), owned(std::move(runs.sums)),
                          owned(std::move(runs.squares)), owned(std::move(runs.rows)));
}

nb::object groups_of(nb::handle keys, int64_t n_keys) {
    const Input input(keys, "keys", 1);
    const int64_t* numbers = input.int64s();
    const int64_t n = input.length();
    auto groups = paged<int64_t>(n);
    std::vector<int64_t> first;
    {
        const Unlocked unlocked(n);
        first = group_keys(numbers, n, n_keys, groups.get());
    }
    return nb::make_tuple(owned(std::move(first)), owned(std::move(groups), n));
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.def(
        "pack_pairs",
        [](nb::handle true_codes, nb::handle pred_codes, int64_t k) {
            return packed(true_codes, pred_codes, k, pack_pairs);
        },
        nb::arg("true_codes"), nb::arg("pred_codes"), nb::arg("k"));
    m.def(
        "pack_pairs_rows",
        [](nb::handle true_codes, nb::handle pred_codes, int64_t k) {
            nb::object keys = packed(true_codes, pred_codes, k, pack_pairs_rows);
            return nb::make_tuple(keys, row_bits(static_cast<int64_t>(nb::len(keys))));
        },
        nb::arg("true_codes"), nb::arg("pred_codes"), nb::arg("k"));
    m.def("sorted_keys", sorted_keys, nb::arg("keys"), nb::arg("n_threads"));
    m.def("sorted_numbers", sorted_numbers, nb::arg("values"), nb::arg("n_threads"));
    m.def("group_keys", groups_of, nb::arg("keys"), nb::arg("n_keys"));
    m.def("run_lengths", runs_of, nb::arg("sorted"));
    m.def("weighted_runs", weighted_runs_of, nb::arg("sorted"), nb::arg("index_bits"),
          nb::arg("weights"));
}

}  // namespace karat
