// karat._native.Program.differentiate.
#include "kernels/gradient.hpp"

#include <memory>
#include <vector>

#include "bind/tables.hpp"

namespace karat {
namespace {

// One block of memory for each part: [batch] or [batch, width].
std::unique_ptr<double[]> room(int64_t batch, int64_t width) {
    return std::make_unique<double[]>(static_cast<size_t>(batch * width));
}

}  // namespace

nb::tuple differentiate_arrays(const Program& program, In<double, 2> tp, In<double, 2> fp,
                               In<double, 2> fn, In<double, 2> tn,
                               std::optional<In<double, 2>> cells,
                               std::optional<In<int32_t, 1>> rows,
                               std::optional<In<int32_t, 1>> cols, int64_t positive,
                               nb::handle params, bool stops) {
    check_differentiable(program);
    const Tables tables(program, tp, fp, fn, tn, cells, rows, cols, positive, params);
    const int64_t batch = tables.batch(), k = tables.k(), m = tables.m();
    Outputs values(program, batch, k), slopes_of(program, batch, k);
    auto constant = room(batch, 1), truth = room(batch, k), predicted = room(batch, k),
         same = room(batch, k), of_cells = program.uses_cells ? room(batch, m) : nullptr;
    {
        const Unlocked unlocked;
        std::vector<double> scratch(static_cast<size_t>(gradient_scratch_size(program, k, m)));
        for (int64_t b = 0; b < batch; ++b) {
            Slopes slopes;
            slopes.constant = constant.get() + b;
            slopes.truth = truth.get() + b * k;
            slopes.predicted = predicted.get() + b * k;
            slopes.same = same.get() + b * k;
            slopes.cells = of_cells ? of_cells.get() + b * m : nullptr;
            slopes.outputs = slopes_of.at(b);
            differentiate(program, tables.at(b), scratch.data(), values.at(b), slopes,
                          stops);
        }
    }
    nb::object listed = nb::none();
    if (of_cells) listed = owned(std::move(of_cells), batch, m);
    return nb::make_tuple(values.finish(), slopes_of.finish(), owned(std::move(constant), batch),
                          owned(std::move(truth), batch, k),
                          owned(std::move(predicted), batch, k),
                          owned(std::move(same), batch, k), listed);
}

}  // namespace karat
