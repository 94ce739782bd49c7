// For lanes_source.hpp only: see lanes_places.hpp.

namespace {

template <int kWidth, bool kHasLifts, bool kHasExtras>
void place_rows(const karat::PlacedRows& rows, double* out) {
    using V = typename Vector<double, kWidth>::type;
    V of_lifts[2] = {};
    if constexpr (kHasLifts)
        for (int kind = 0; kind < 2; ++kind) of_lifts[kind] = load<V>(rows.lift_gains[kind]);
    for (int64_t i = 0; i < rows.n; ++i) {
        double* const soon = out + rows.at[i + karat::PlacedRows::kAhead];
        __builtin_prefetch(soon, 1);
        if constexpr (kWidth > 1) __builtin_prefetch(soon + kWidth - 1, 1);
        V added = load<V>(rows.gains + int64_t{kWidth} * rows.slot[i]) * rows.stand[i];
        if constexpr (kHasLifts)
            for (int kind = 0; kind < 2; ++kind) added += of_lifts[kind] * rows.lifts[kind][i];
        if constexpr (kHasExtras) added += load<V>(rows.extras + int64_t{kWidth} * rows.extra[i]);
        double* const to = out + rows.at[i];
        store(to, load<V>(to) + added);
    }
}

template <int kWidth>
void place(const karat::PlacedRows& rows, double* out) {
    const bool has_lifts = rows.lift_gains[0] != nullptr;
    if (rows.extras != nullptr)
        return has_lifts ? place_rows<kWidth, true, true>(rows, out) : place_rows<kWidth, false, true>(rows, out);
    return has_lifts ? place_rows<kWidth, true, false>(rows, out) : place_rows<kWidth, false, false>(rows, out);
}

constexpr karat::PlaceLanes kPlaceLanes = {{place<1>, place<2>, place<4>, place<8>}};

}  // namespace
