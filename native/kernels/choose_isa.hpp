// Which instruction set the kernels use.
#pragma once

#include <vector>

#include "kernels/lanes.hpp"

namespace karat {

// The kernels in use. The first call chooses: KARAT_ISA from the environment, else the best
// that the processor has. Throws std::invalid_argument when KARAT_ISA is not usable here.
const Lanes& lanes();

// Usable here, best first.
std::vector<const char*> usable_isas();

// Uses that instruction set from the next call on; std::invalid_argument if it is not usable here.
void use_isa(const char* name);

}  // namespace karat
