// karat_kernel_tests [ISA] [threads | control]: the kernels on one instruction set, against plain
// loops; those tests alone that ask for threads; or a deliberate mistake.
#include <cstdio>
#include <cstring>

#include "check.hpp"
#include "kernels/choose_isa.hpp"

int main(int argc, char** argv) {
    using namespace karat_tests;
    if (argc > 1) karat::use_isa(argv[1]);
    Random random(20240229);
    if (argc > 2 && std::strcmp(argv[2], "threads") == 0) {
        test_callers(random);
        test_resampling(random);
        test_cuts(random);
        test_sorts(random);
        test_scores(random);
        test_sets(random);
        test_objectives(random);
        std::printf("passed on %s\n", karat::lanes().name);
        return 0;
    }
    if (argc > 2) {
        run_control(argv[2]);
        std::printf("control %s was not noticed\n", argv[2]);
        return 0;
    }
    test_callers(random);
    test_changing(random);
    test_counts(random);
    test_edges();
    test_encoders(random);
    test_cumulative(random);
    test_limits(random);
    test_objectives(random);
    test_pairs(random);
    test_paths(random);
    test_placements(random);
    test_programs(random);
    test_resampling(random);
    test_levels(random);
    test_scores(random);
    test_sets(random);
    test_cuts(random);
    test_sorts(random);
    test_variances(random);
    std::printf("passed on %s\n", karat::lanes().name);
    return 0;
}
