// What the rows of a block lose, for lanes_source.hpp only. See ScoreLanes for the formulas.
//
// Sums have positive terms only: a loss keeps its digits however close to 0 it is. Each row has a
// logarithm of its own, 1 ns. Why not one of the product of many rows: near 1 a product loses the
// digits of small losses, and gives neither weighted sums nor Σℓ².

namespace {

using karat::kGroup;
using karat::ScoreBest;
using karat::ScoreBlock;
using karat::SoftLosses;

void ranks(const ScoreBlock& block, double* rank) {
    const Wide one = all_of(1), zero = all_of(0);
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide own = wide_at(block.own + row), truth = wide_at(block.truth + row);
        Wide before = zero, at = zero;
        for (int64_t j = 0; j < block.k; ++j) {
            const Wide x = wide_at(block.scores.x + j * block.scores.stride + row);
            const WideFlags is_before = (x > own) | ((x == own) & (truth > at));
            before = before + choose(is_before, one, zero);
            at = at + one;
        }
        store_wide(rank + row, before);
    }
}

// Calls seen(score, whether it is of the true class) for the columns of the rows `row`.
template <class Seen>
KARAT_INLINE void each_column(const ScoreBlock& block, int64_t row, const Seen& seen) {
    const Wide truth = wide_at(block.truth + row);
    Wide at = all_of(0);
    for (int64_t j = 0; j < block.k; ++j) {
        seen(wide_at(block.scores.x + j * block.scores.stride + row), truth == at);
        at = at + all_of(1);
    }
}

void margins(const ScoreBlock& block, double* loss) {
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide none = all_of(-__builtin_inf());
        Wide other = none;
        each_column(block, row, [&](const Wide& x, const WideFlags& is_true) {
            other = larger(choose(is_true, none, x), other);
        });
        // gap + error is exactly own - other (Ref: D. E. Knuth, The Art of Computer Programming,
        // volume 2, section 4.2.2); where that is not finite the error is NaN and counts as 0.
        const Wide own = wide_at(block.own + row), gap = own - other, back = gap - own;
        const Wide error = (own - (gap - back)) - (other + back);
        const Wide kept = choose(error == error, error, all_of(0));
        store_wide(loss + row, larger((all_of(1) - gap) - kept, all_of(0)));
    }
}

void negative_logs(const ScoreBlock& block, double* loss) {
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide own = wide_at(block.own + row);
        store_wide(loss + row, all_of(0) - logarithm(own, own - all_of(1)));
    }
}

void squared_errors(const ScoreBlock& block, double* loss) {
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide missing = all_of(1) - wide_at(block.own + row);
        Wide sum = missing * missing;
        each_column(block, row, [&](const Wide& p, const WideFlags& is_true) {
            const Wide other = choose(is_true, all_of(0), p);
            sum = sum + other * other;
        });
        store_wide(loss + row, sum);
    }
}

void binary_negative_logs(const ScoreBlock& block, double* loss) {
    const Wide one = all_of(1), zero = all_of(0);
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        // left = Π (1 - p) and taken = 1 - left, which has its own digits when it is small.
        Wide left = one, taken = zero;
        each_column(block, row, [&](const Wide& p, const WideFlags& is_true) {
            const Wide other = choose(is_true, zero, p);
            taken = taken + other * (one - taken);
            left = left * (one - other);
        });
        const Wide own = wide_at(block.own + row);
        const Wide sum = logarithm(own, own - one) + logarithm(left, zero - taken);
        store_wide(loss + row, (zero - sum) / all_of(static_cast<double>(block.k)));
    }
}

// Calls seen(exp of exponent(x, column), column) for the columns of the rows `row`, in their order,
// and then for some columns of -inf, whose exp is 0.
template <class Exponent, class Seen>
KARAT_INLINE void each_exponential(const ScoreBlock& block, int64_t row, const Exponent& exponent,
                                   const Seen& seen) {
    const Wide none = all_of(-__builtin_inf());
    Wide at = all_of(0);
    for (int64_t j = 0; j < block.k; j += kTogether) {
        Wide e[kTogether];
        F64 chains[kChains];
#pragma GCC unroll 4
        for (int i = 0; i < kTogether; ++i) {
            const double* from = block.scores.x + (j + i) * block.scores.stride + row;
            e[i] = exponent(j + i < block.k ? wide_at(from) : none, at + all_of(i));
        }
        __builtin_memcpy(chains, e, sizeof e);
        exponentials(chains);
        __builtin_memcpy(e, chains, sizeof e);
#pragma GCC unroll 4
        for (int i = 0; i < kTogether; ++i) seen(e[i], at + all_of(i));
        at = at + all_of(kTogether);
    }
}

template <bool kSquaredError>
void softmax_of(const ScoreBlock& block, const ScoreBest& best, const SoftLosses& losses) {
    const Wide one = all_of(1), zero = all_of(0);
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide top = wide_at(best.top + row), truth = wide_at(block.truth + row);
        const Wide is_missed = choose(wide_at(best.column + row) == truth, zero, one);
        // Sums of exp(x - top): without the largest, without the true class, and squared.
        Wide rest = zero, others = is_missed, squares = is_missed;
        each_exponential(
            block, row, [&](const Wide& x, const Wide&) { return x - top; },
            [&](const Wide& e, const Wide& at) {
                rest = rest + e;
                if constexpr (kSquaredError) {
                    const Wide other = choose(truth == at, zero, e);
                    others = others + other;
                    squares = squares + other * other;
                }
            });
        const Wide sum = one + rest;
        if (losses.negative_log != nullptr)
            store_wide(losses.negative_log + row,
                       (top - wide_at(block.own + row)) + logarithm(sum, rest));
        if constexpr (kSquaredError)
            store_wide(losses.squared_error + row, (others * others + squares) / (sum * sum));
        if (losses.confidence != nullptr) store_wide(losses.confidence + row, one / sum);
    }
}

void softmax(const ScoreBlock& block, const ScoreBest& best, const SoftLosses& losses) {
    losses.squared_error != nullptr ? softmax_of<true>(block, best, losses)
                                : softmax_of<false>(block, best, losses);
}

void sigmoid(const ScoreBlock& block, double* loss) {
    // 2^kColumns is far from the largest double.
    constexpr int64_t kColumns = 512;
    const Wide one = all_of(1), zero = all_of(0);
    for (int64_t row = 0; row < block.rows; row += kGroup) {
        const Wide truth = wide_at(block.truth + row);
        // log(1 + exp z) = max(z, 0) + log(1 + exp -|z|); product = Π (1 + exp -|z|) - 1
        Wide sum = zero, product = zero;
        int64_t j = 0;
        each_exponential(
            block, row,
            [&](const Wide& x, const Wide& at) {
                const Wide z = choose(truth == at, zero - x, x);
                sum = sum + larger(z, zero);
                return zero - magnitude(z);
            },
            [&](const Wide& e, const Wide&) {
                product = product + (e + product * e);
                if (++j % kColumns == 0) {
                    sum = sum + logarithm(one + product, product);
                    product = zero;
                }
            });
        sum = sum + logarithm(one + product, product);
        store_wide(loss + row, sum / all_of(static_cast<double>(block.k)));
    }
}

void add_losses(const double* loss, const double* w, int64_t rows, double out[3]) {
    const Wide zero = all_of(0);
    Wide first = zero, second = zero, square = zero;
    for (int64_t row = 0; row < rows; row += kGroup) {
        const Wide x = wide_at(loss + row);
        if (w == nullptr) {
            first = first + x;
            square = square + x * x;
            continue;
        }
        const Wide weight = wide_at(w + row);
        const Wide part = choose(weight == zero, zero, weight * x);
        first = first + part;
        // In this order: w² may be infinite where ℓ is 0.
        second = second + choose(weight == zero, zero, weight * part);
        square = square + part * part;
    }
    out[0] = total(first);
    out[1] = w == nullptr ? out[0] : total(second);
    out[2] = total(square);
}

}  // namespace
