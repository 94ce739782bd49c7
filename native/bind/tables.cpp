#include "bind/tables.hpp"

#include <stdexcept>
#include <utility>

namespace karat {

void check_positive(const Program& program, int64_t positive, int64_t k) {
    if (program.uses_positive && (positive < 0 || positive >= k))
        throw std::invalid_argument("the program reads the positive class, and there is none");
}

Params::Params(const Program& program, nb::handle given, int64_t k) {
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

Tables::Tables(const Program& program, In<double, 2> tp, In<double, 2> fp, In<double, 2> fn,
               In<double, 2> tn, std::optional<In<double, 2>> cells,
               std::optional<In<int32_t, 1>> rows, std::optional<In<int32_t, 1>> cols,
               int64_t positive, nb::handle params)
    : tp_(std::move(tp)), fp_(std::move(fp)), fn_(std::move(fn)), tn_(std::move(tn)),
      cells_(std::move(cells)), rows_(std::move(rows)), cols_(std::move(cols)),
      positive_(positive), params_(program, params, static_cast<int64_t>(tp_.shape(1))) {
    const size_t batch = tp_.shape(0), k = tp_.shape(1);
    for (const auto* part : {&fp_, &fn_, &tn_})
        if (part->shape(0) != batch || part->shape(1) != k)
            throw std::invalid_argument("tp, fp, fn and tn have different shapes");
    check_positive(program, positive, static_cast<int64_t>(k));
    if (!program.uses_cells) {
        cells_.reset();
        return;
    }
    if (!cells_) throw std::invalid_argument("the program reads cells, none were given");
    const size_t m = cells_->shape(1);
    m_ = static_cast<int64_t>(m);
    if (cells_->shape(0) != batch) throw std::invalid_argument("cells do not match the batch");
    if (rows_.has_value() != cols_.has_value())
        throw std::invalid_argument("rows and cols come together");
    if (!rows_ && m != k * k) throw std::invalid_argument("not all k by k cells were given");
    if (!rows_) return;
    if (rows_->shape(0) != m || cols_->shape(0) != m)
        throw std::invalid_argument("rows and cols do not match the cells");
    for (size_t i = 0; i < m; ++i)
        if (rows_->data()[i] < 0 || cols_->data()[i] < 0 ||
            static_cast<size_t>(rows_->data()[i]) >= k ||
            static_cast<size_t>(cols_->data()[i]) >= k)
            throw std::invalid_argument("a cell lies outside the classes");
}

TableView Tables::at(int64_t b) const {
    TableView table;
    table.k = k();
    table.m = m_;
    table.tp = tp_.data() + b * table.k;
    table.fp = fp_.data() + b * table.k;
    table.fn = fn_.data() + b * table.k;
    table.tn = tn_.data() + b * table.k;
    if (cells_) {
        table.cells = cells_->data() + b * m_;
        table.rows = rows_ ? rows_->data() : nullptr;
        table.cols = cols_ ? cols_->data() : nullptr;
    }
    table.positive = positive_;
    table.params = params_.data();
    return table;
}

Outputs::Outputs(const Program& program, int64_t batch, int64_t k)
    : batch_(batch), places_(program.outputs.size()) {
    for (int32_t slot : program.outputs) {
        is_wide_.push_back(program.slot_rank[slot] != 0);
        width_.push_back(is_wide_.back() ? k : 1);
        values_.push_back(std::make_unique<double[]>(static_cast<size_t>(batch * width_.back())));
    }
}

double* const* Outputs::at(int64_t b) {
    for (size_t i = 0; i < places_.size(); ++i) places_[i] = values_[i].get() + b * width_[i];
    return places_.data();
}

nb::list Outputs::finish() {
    nb::list result;
    for (size_t i = 0; i < values_.size(); ++i) {
        if (is_wide_[i])
            result.append(owned(std::move(values_[i]), batch_, width_[i]));
        else
            result.append(owned(std::move(values_[i]), batch_));
    }
    return result;
}

}  // namespace karat
