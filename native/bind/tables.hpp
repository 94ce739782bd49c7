// A batch of tables as NumPy gives it, and the outputs of a program for each of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/unlocked.hpp"
#include "kernels/evaluate.hpp"

namespace karat {

namespace nb = nanobind;

template <class T, size_t N>
using AnyIn = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// An argument that is a contiguous array, aligned: of others nanobind takes the bytes as they lie.
template <class T, size_t N>
struct In : AnyIn<T, N> {
    In() = default;
    explicit In(const AnyIn<T, N>& array) : AnyIn<T, N>(array) {}
    static bool is_aligned(const AnyIn<T, N>& array) {
        return array.size() == 0 || reinterpret_cast<uintptr_t>(array.data()) % alignof(T) == 0;
    }
};

// Throws std::invalid_argument when the program reads the positive class and there is none.
void check_positive(const Program& program, int64_t positive, int64_t k);

// Parameters of one run: numbers by value, matrices by reference to their arrays.
class Params {
public:
    Params(const Program& program, nb::handle given, int64_t k);
    const double* const* data() const { return pointers_.data(); }

private:
    std::vector<double> numbers_;
    std::vector<In<double, 2>> matrices_;
    std::vector<const double*> pointers_;
};

// Arrays [batch, k], checked against each other and against what the program reads.
class Tables {
public:
    Tables(const Program& program, In<double, 2> tp, In<double, 2> fp, In<double, 2> fn,
           In<double, 2> tn, std::optional<In<double, 2>> cells,
           std::optional<In<int32_t, 1>> rows, std::optional<In<int32_t, 1>> cols,
           int64_t positive, nb::handle params);
    int64_t batch() const { return static_cast<int64_t>(tp_.shape(0)); }
    int64_t k() const { return static_cast<int64_t>(tp_.shape(1)); }
    int64_t m() const { return m_; }
    TableView at(int64_t b) const;

private:
    In<double, 2> tp_, fp_, fn_, tn_;
    std::optional<In<double, 2>> cells_;
    std::optional<In<int32_t, 1>> rows_, cols_;
    int64_t m_ = 0, positive_;
    Params params_;
};

// Arrays [batch] or [batch, k], one an output.
class Outputs {
public:
    Outputs(const Program& program, int64_t batch, int64_t k);
    // Where the outputs of table b go; until the next call.
    double* const* at(int64_t b);
    nb::list finish();

private:
    int64_t batch_;
    std::vector<int64_t> width_;
    std::vector<bool> is_wide_;
    std::vector<std::unique_ptr<double[]>> values_;
    std::vector<double*> places_;
};

// Derivatives: see Program.differentiate of the stub.
nb::tuple differentiate_arrays(const Program& program, In<double, 2> tp, In<double, 2> fp,
                               In<double, 2> fn, In<double, 2> tn,
                               std::optional<In<double, 2>> cells,
                               std::optional<In<int32_t, 1>> rows,
                               std::optional<In<int32_t, 1>> cols, int64_t positive,
                               nb::handle params, bool stops);

}  // namespace karat

namespace nanobind::detail {

// TypeError unless aligned.
template <class T, size_t N>
struct type_caster<karat::In<T, N>> {
    using Whole = make_caster<karat::AnyIn<T, N>>;
    using Aligned = karat::In<T, N>;
    NB_TYPE_CASTER(Aligned, Whole::Name)

    // What flags are differs between the versions of nanobind.
    template <class Flags>
    bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
        Whole whole;
        if (!whole.from_python(source, flags, cleanup)) return false;
        if (!Aligned::is_aligned(whole.value)) return false;
        value = Aligned(whole.value);
        return true;
    }
};

}  // namespace nanobind::detail
