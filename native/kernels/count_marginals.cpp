// From tables of hits and misses by class to a tally without a confusion matrix.
#include "kernels/count.hpp"

namespace karat {
namespace {

// Entries of the class of offset i; see Layout::marginals.
struct Entries {
    Entries(int64_t i, int64_t width) : missed(2 * i), hit(2 * i + 1), wrong(2 * width + 2 * i) {}
    int64_t missed, hit, wrong;
};

}  // namespace

template <class Count>
Tally finish_marginals(const Count* rows, Finish how) {
    Tally tally;
    tally.discovered = how.discovered;
    for (int64_t i = 0; i < how.window.width; ++i) {
        const Entries at(i, how.window.width);
        if (how.discovered) {
            if (rows[at.missed] == 0 && rows[at.hit] == 0 && rows[at.wrong] == 0) continue;
            tally.labels.push_back(how.window.base + i);
        }
        tally.tp.push_back(rows[at.hit]);
        tally.fp.push_back(rows[at.wrong]);
        tally.fn.push_back(rows[at.missed]);
    }
    tally.k = static_cast<int64_t>(tally.tp.size());
    return tally;
}

Tally finish_marginals(const WeightedEntry* rows, Finish how) {
    Tally tally;
    tally.discovered = how.discovered;
    tally.weighted = true;
    for (int64_t i = 0; i < how.window.width; ++i) {
        const Entries at(i, how.window.width);
        const WeightedEntry &hit = rows[at.hit], &wrong = rows[at.wrong], &missed = rows[at.missed];
        if (how.discovered) {
            if (hit.rows == 0 && wrong.rows == 0 && missed.rows == 0) continue;
            tally.labels.push_back(how.window.base + i);
        }
        tally.tp.push_back(static_cast<int64_t>(hit.positive));
        tally.fp.push_back(static_cast<int64_t>(wrong.positive));
        tally.fn.push_back(static_cast<int64_t>(missed.positive));
        tally.tp_w.push_back(hit.weight), tally.tp_w2.push_back(hit.square);
        tally.fp_w.push_back(wrong.weight), tally.fp_w2.push_back(wrong.square);
        tally.fn_w.push_back(missed.weight), tally.fn_w2.push_back(missed.square);
    }
    tally.k = static_cast<int64_t>(tally.tp.size());
    return tally;
}

template Tally finish_marginals(const uint32_t*, Finish);
template Tally finish_marginals(const int64_t*, Finish);

}  // namespace karat
