// karat._native.Program: compiled formulas, run on a native Tally or on NumPy arrays.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bind/tables.hpp"
#include "kernels/evaluate.hpp"
#include "tally.hpp"

using namespace nanobind::literals;

namespace karat {
namespace {

// Scratch memory of a call. A thread keeps it for its next call while it is small; during a call it
// belongs to that call alone, since Python code that runs inside (a finalizer) may call again.
class CallScratch {
public:
    explicit CallScratch(size_t size) : doubles_(std::move(kept())) {
        if (doubles_.size() < size) doubles_.resize(size);
    }
    ~CallScratch() {
        if (doubles_.size() <= kKeptDoubles) kept() = std::move(doubles_);
    }
    CallScratch(const CallScratch&) = delete;
    CallScratch& operator=(const CallScratch&) = delete;
    double* data() { return doubles_.data(); }

private:
    static constexpr size_t kKeptDoubles = size_t{1} << 18;
    static std::vector<double>& kept() {
        thread_local std::vector<double> doubles;
        return doubles;
    }
    std::vector<double> doubles_;
};

// Weighted tn is a sum over the other classes less fp, but at least their hits. Subtracting from
// the whole total would lose it beside one heavy class, and where no row lies it must be exactly 0.
void fill_weighted_tn(const Tally& tally, double* tp, double* fp, double* fn, double* tn) {
    const int64_t k = tally.k;
    int64_t rows = 0;
    double hits = 0, all = 0;
    for (int64_t i = 0; i < k; ++i) {  // sums over the classes before i
        tn[i] = all;
        fn[i] = hits;
        hits += tp[i];
        all += tp[i] + tally.fn_w[i];
        rows += tally.tp[i] + tally.fn[i];
    }
    hits = all = 0;
    for (int64_t i = k - 1; i >= 0; --i) {  // and after it
        const double other_hits = fn[i] + hits, others = tn[i] + all;
        hits += tp[i];
        all += tp[i] + tally.fn_w[i];
        const bool is_empty = rows == tally.tp[i] + tally.fp[i] + tally.fn[i];
        // Of two classes the other one's hits are all there is.
        tn[i] = is_empty ? 0.0 : k == 2 ? other_hits : std::fmax(others - fp[i], other_hits);
        fn[i] = tally.fn_w[i];
    }
}

void fill_counts(const Tally& tally, double* tp, double* fp, double* fn, double* tn) {
    const size_t k = static_cast<size_t>(tally.k);
    if (tally.weighted) {
        for (size_t i = 0; i < k; ++i) {
            tp[i] = tally.tp_w[i];
            fp[i] = tally.fp_w[i];
        }
        fill_weighted_tn(tally, tp, fp, fn, tn);
        return;
    }
    int64_t rows = 0;
    for (size_t i = 0; i < k; ++i) rows += tally.tp[i] + tally.fn[i];
    for (size_t i = 0; i < k; ++i) {
        tp[i] = static_cast<double>(tally.tp[i]);
        fp[i] = static_cast<double>(tally.fp[i]);
        fn[i] = static_cast<double>(tally.fn[i]);
        tn[i] = static_cast<double>(rows - tally.tp[i] - tally.fp[i] - tally.fn[i]);
    }
}

nb::object run_tally(const Program& program, const Tally& tally, nb::handle params,
                     int64_t positive) {
    const int64_t k = tally.k;
    check_positive(program, positive, k);
    if (program.uses_cells && !tally.has_cells)
        throw std::invalid_argument("the program reads cells, the tally has none");
    Params bound(program, params, k);
    const bool copies_cells = program.uses_cells && !tally.weighted;
    const int64_t m = program.uses_cells ? k * k : 0;

    size_t out_size = 0;
    for (int32_t slot : program.outputs) out_size += program.slot_rank[slot] == 0 ? 1 : k;
    CallScratch scratch(4 * k + (copies_cells ? m : 0) + out_size +
                        static_cast<size_t>(scratch_size(program, k, m)));
    double* at = scratch.data();
    TableView table;
    table.k = k;
    table.m = m;
    double* counts = at;
    at += 4 * k;
    fill_counts(tally, counts, counts + k, counts + 2 * k, counts + 3 * k);
    table.tp = counts;
    table.fp = counts + k;
    table.fn = counts + 2 * k;
    table.tn = counts + 3 * k;
    if (copies_cells) {
        for (int64_t i = 0; i < m; ++i) at[i] = static_cast<double>(tally.counts[i]);
        table.cells = at;
        at += m;
    } else if (program.uses_cells) {
        table.cells = tally.sums.data();
    }
    table.positive = positive;
    table.params = bound.data();
    std::vector<double*> outputs;
    outputs.reserve(program.outputs.size());
    for (int32_t slot : program.outputs) {
        outputs.push_back(at);
        at += program.slot_rank[slot] == 0 ? 1 : k;
    }
    run(program, table, at, outputs.data());

    nb::object result = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(outputs.size())));
    for (size_t i = 0; i < outputs.size(); ++i) {
        nb::object value;
        if (program.slot_rank[program.outputs[i]] == 0) {
            value = nb::float_(*outputs[i]);
        } else {
            auto copy = std::make_unique<double[]>(k);
            std::copy(outputs[i], outputs[i] + k, copy.get());
            value = owned(std::move(copy), k);
        }
        PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i), value.release().ptr());
    }
    return result;
}

nb::list run_arrays(const Program& program, In<double, 2> tp, In<double, 2> fp, In<double, 2> fn,
                    In<double, 2> tn, std::optional<In<double, 2>> cells,
                    std::optional<In<int32_t, 1>> rows, std::optional<In<int32_t, 1>> cols,
                    int64_t positive, nb::handle params) {
    const Tables tables(program, tp, fp, fn, tn, cells, rows, cols, positive, params);
    Outputs outputs(program, tables.batch(), tables.k());
    {
        const Unlocked unlocked;
        // A slot is written before it is read.
        const auto scratch = uninitialised<double>(scratch_size(program, tables.k(), tables.m()));
        for (int64_t b = 0; b < tables.batch(); ++b)
            run(program, tables.at(b), scratch.get(), outputs.at(b));
    }
    return outputs.finish();
}

}  // namespace

void bind_program(nb::module_& module) {
    nb::class_<Program>(module, "Program")
        .def(
            "__init__",
            [](Program* self, In<int32_t, 2> code, std::vector<double> constants,
               std::vector<int32_t> slot_rank, std::vector<int32_t> param_rank,
               std::vector<int32_t> outputs) {
                if (code.shape(1) != 5) throw std::invalid_argument("code is not int32[m, 5]");
                Program program;
                for (size_t i = 0; i < code.shape(0); ++i) {
                    const int32_t* row = code.data() + i * 5;
                    program.code.push_back({static_cast<Op>(row[0]), row[1], row[2], row[3], row[4]});
                }
                program.constants = std::move(constants);
                program.slot_rank = std::move(slot_rank);
                program.param_rank = std::move(param_rank);
                program.outputs = std::move(outputs);
                program.validate();
                new (self) Program(std::move(program));
            },
            "code"_a, "constants"_a, "slot_rank"_a, "param_rank"_a, "outputs"_a)
        .def("run", &run_tally, "tally"_a, "params"_a = nb::none(), "positive"_a = -1)
        .def("evaluate", &run_arrays, "tp"_a, "fp"_a, "fn"_a, "tn"_a,
             "cells"_a = nb::none(), "rows"_a = nb::none(), "cols"_a = nb::none(),
             "positive"_a = -1, "params"_a = nb::none())
        .def("differentiate", &differentiate_arrays, "tp"_a, "fp"_a, "fn"_a, "tn"_a,
             "cells"_a = nb::none(), "rows"_a = nb::none(), "cols"_a = nb::none(),
             "positive"_a = -1, "params"_a = nb::none(), "stops"_a = false);
}

}  // namespace karat
