// Vector kernels for AVX-512 F, BW, DQ and VL.
#define KARAT_LANE_BYTES 64
#define KARAT_LANES lanes_avx512
#define KARAT_LANES_NAME "avx512"
#include "kernels/lanes_source.hpp"
