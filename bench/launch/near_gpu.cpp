// What a launch costs depends on which NUMA node the thread that launches runs on.
#include "support/placement.hpp"

namespace gpugauge::bench::launch {
namespace {

[[maybe_unused]] const bool near_gpu = prefer_gpu_node();

}  // namespace
}  // namespace gpugauge::bench::launch
