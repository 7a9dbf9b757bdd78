// The inventory's GPUs by the fake driver.
#pragma once

#include <string>

#include "stack/inventory/gpus.hpp"
#include "unit/stack/inventory/collected.hpp"

namespace gpugauge::stack {

/// A scenario of healthy H100s; a line of one's own goes before it or names a GPU.
inline const std::string h100 =
    "name=NVIDIA H100 80GB "
    "HBM3\nbrand=14\narchitecture=9\ncapability=90\nmemory_mib=81559\nvbios=96.00.99.00.01\n"
    "board_part=692-2G520-0200-000\ngsp=580.65.06\npersistence=1\ncompute_mode=0\necc=1\nmig=0\n"
    "power_limit_mw=700000\npower_limit_default_mw=700000\npower_limit_min_mw=200000\npower_limit_max_mw="
    "700000\n"
    "sm_clock_max_mhz=1980\nmemory_clock_max_mhz=2619\nsm_clock_application_mhz=1980\n"
    "sm_clock_application_default_mhz=1980\nmemory_clock_application_mhz=2619\n"
    "memory_clock_application_default_mhz=2619\nthrottle_reasons=1\ntemperature=31\nperformance_state=0\n"
    "pcie_generation=1\npcie_generation_max=5\npcie_width=16\npcie_width_max=16\nnvlinks=18\n"
    "remapped=0 0 0 0\nretired_pages_pending=0\necc_uncorrected=0\nfabric_state=3\nl2_persisting=32768000\n";

inline Inventory gpus_of(const Context& context) {
  Inventory inventory;
  collect_gpus(context, inventory);
  return inventory;
}

inline Inventory gpus_of(const FakeTree& tree, const std::string& scenario, double limit_seconds = 30) {
  return gpus_of(context_with_driver(tree, scenario, limit_seconds));
}

}  // namespace gpugauge::stack
