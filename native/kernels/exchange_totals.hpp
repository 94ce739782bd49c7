// Totals of the classes of two models that exchange rows.
#pragma once

#include <cstdint>

namespace karat {

// Cells of rows on which two models differ. Totals of a model are its hits, then its false alarms of each of k
// classes: a row of cell i is of total out[i] of the first model and into[i] of the second, in [0, 2k), and the
// other way round where it is exchanged.
struct Exchanged {
    int64_t n_bits;  // the first cells, of one row each
    int64_t n_heads;
    const int32_t* out;
    const int32_t* into;
};

// tables[3, 2r, k] = tp, fp and fn of the first model in r replicates, then of the second.
//
// Exchanged are, of the first cells, those whose bit is set in bits[r, (n_bits + 7) / 8], the highest bit of a byte
// first; of the others so many rows as heads[r, n_heads] says. totals[2, 2k] are those of both models, rows[k] the
// true rows of each class. are_few: no replicate exchanges 2^31 rows.
void exchange_totals(const Exchanged& cells, const uint8_t* bits, const int64_t* heads, bool are_few,
                     const double* totals, const double* rows, int64_t r, int64_t k, double* tables);

}  // namespace karat
