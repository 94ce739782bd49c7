// Vector kernels for any processor: 16-byte vectors, no flag beyond the compiler's default.
#define KARAT_LANE_BYTES 16
#define KARAT_LANES lanes_baseline
#define KARAT_LANES_NAME "baseline"
#include "kernels/lanes_source.hpp"
