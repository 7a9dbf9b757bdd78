// The cost of a launch depends on the NUMA node of the launching thread.
#include "support/placement.hpp"

namespace gpugauge::bench::launch {
namespace {

[[maybe_unused]] const bool near_gpu = prefer_gpu_node();

}  // namespace
}  // namespace gpugauge::bench::launch
