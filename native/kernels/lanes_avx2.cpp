// Vector kernels for AVX2 and FMA.
#define KARAT_LANE_BYTES 32
#define KARAT_LANES lanes_avx2
#define KARAT_LANES_NAME "avx2"
#include "kernels/lanes_source.hpp"
