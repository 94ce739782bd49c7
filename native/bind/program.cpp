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

#include "kernels/evaluate.hpp"
#include "tally.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace karat {
namespace {

template <class T, size_t N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

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

nb::object to_numpy(std::unique_ptr<double[]> values, std::initializer_list<size_t> shape) {
    double* raw = values.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double>(raw, shape, owner));
}

// Parameters of one run: numbers by value, matrices by reference to their arrays.
class Params {
public:
    Params(const Program& program, nb::handle given, int64_t k) {
        const size_t n_given = given.is_none() ? 0 : nb::len(given);
        if (n_given != program.param_rank.size())
            throw std::invalid_argument("wrong number of parameters");
        if (!n_given) return;
        numbers_.resize(n_given);
        for (size_t i = 0; i < n_given; ++i) {
            nb::object item = given[i];
            if (program.param_rank[i] == 0) {
                numbers_[i] = nb::cast<double>(item);
                pointers_.push_back(&numbers_[i]);
            } else {
                auto matrix = nb::cast<In<double, 2>>(item);
                if (matrix.shape(0) != static_cast<size_t>(k) ||
                    matrix.shape(1) != static_cast<size_t>(k))
                    throw std::invalid_argument("a parameter matrix is not k by k");
                matrices_.push_back(matrix);
                pointers_.push_back(matrix.data());
            }
        }
    }
    const double* const* data() const { return pointers_.data(); }

private:
    std::vector<double> numbers_;
    std::vector<In<double, 2>> matrices_;
    std::vector<const double*> pointers_;
};

void check_positive(const Program& program, int64_t positive, int64_t k) {
    if (program.uses_positive && (positive < 0 || positive >= k))
        throw std::invalid_argument("the program reads the positive class, and there is none");
}

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
            value = to_numpy(std::move(copy), {static_cast<size_t>(k)});
        }
        PyTuple_SetItem(result.ptr(), static_cast<Py_ssize_t>(i), value.release().ptr());
    }
    return result;
}

nb::list run_arrays(const Program& program, In<double, 2> tp, In<double, 2> fp, In<double, 2> fn,
                    In<double, 2> tn, std::optional<In<double, 2>> cells,
                    std::optional<In<int32_t, 1>> rows, std::optional<In<int32_t, 1>> cols,
                    int64_t positive, nb::handle params) {
    const size_t batch = tp.shape(0), k = tp.shape(1);
    for (const auto* part : {&fp, &fn, &tn})
        if (part->shape(0) != batch || part->shape(1) != k)
            throw std::invalid_argument("tp, fp, fn and tn have different shapes");
    check_positive(program, positive, static_cast<int64_t>(k));
    if (program.uses_cells && !cells)
        throw std::invalid_argument("the program reads cells, none were given");
    const size_t m = program.uses_cells ? cells->shape(1) : 0;
    if (program.uses_cells) {
        if (cells->shape(0) != batch) throw std::invalid_argument("cells do not match the batch");
        if (rows.has_value() != cols.has_value())
            throw std::invalid_argument("rows and cols come together");
        if (!rows && m != k * k) throw std::invalid_argument("not all k by k cells were given");
        if (rows) {
            if (rows->shape(0) != m || cols->shape(0) != m)
                throw std::invalid_argument("rows and cols do not match the cells");
            for (size_t i = 0; i < m; ++i)
                if (rows->data()[i] < 0 || cols->data()[i] < 0 ||
                    static_cast<size_t>(rows->data()[i]) >= k ||
                    static_cast<size_t>(cols->data()[i]) >= k)
                    throw std::invalid_argument("a cell lies outside the classes");
        }
    }
    Params bound(program, params, static_cast<int64_t>(k));

    const size_t n_outputs = program.outputs.size();
    std::vector<std::unique_ptr<double[]>> values(n_outputs);
    std::vector<size_t> width(n_outputs);
    for (size_t i = 0; i < n_outputs; ++i) {
        width[i] = program.slot_rank[program.outputs[i]] == 0 ? 1 : k;
        values[i] = std::make_unique<double[]>(batch * width[i]);
    }
    {
        nb::gil_scoped_release unlocked;
        std::vector<double> scratch(static_cast<size_t>(
            scratch_size(program, static_cast<int64_t>(k), static_cast<int64_t>(m))));
        std::vector<double*> outputs(n_outputs);
        for (size_t b = 0; b < batch; ++b) {
            TableView table;
            table.k = static_cast<int64_t>(k);
            table.m = static_cast<int64_t>(m);
            table.tp = tp.data() + b * k;
            table.fp = fp.data() + b * k;
            table.fn = fn.data() + b * k;
            table.tn = tn.data() + b * k;
            if (program.uses_cells) {
                table.cells = cells->data() + b * m;
                table.rows = rows ? rows->data() : nullptr;
                table.cols = cols ? cols->data() : nullptr;
            }
            table.positive = positive;
            table.params = bound.data();
            for (size_t i = 0; i < n_outputs; ++i) outputs[i] = values[i].get() + b * width[i];
            run(program, table, scratch.data(), outputs.data());
        }
    }
    nb::list result;
    for (size_t i = 0; i < n_outputs; ++i) {
        if (program.slot_rank[program.outputs[i]] == 0)
            result.append(to_numpy(std::move(values[i]), {batch}));
        else
            result.append(to_numpy(std::move(values[i]), {batch, k}));
    }
    return result;
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
             "positive"_a = -1, "params"_a = nb::none());
}

}  // namespace karat
