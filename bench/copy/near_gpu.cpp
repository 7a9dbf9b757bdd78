// Copies between host and GPU depend on the NUMA node of the host's memory.
#include "support/placement.hpp"

namespace gpugauge::bench::copy {
namespace {

[[maybe_unused]] const bool near_gpu = prefer_gpu_node();

}  // namespace
}  // namespace gpugauge::bench::copy
