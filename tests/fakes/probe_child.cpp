// probe_child [ROOT]: what `gpugauge probe devices` does; probe_child inventory: what `gpugauge probe
// inventory` does, for tests that choose the libraries and the file tree.
#include <cstdio>
#include <string_view>

#include "stack/gpu_report.hpp"
#include "stack/inventory/gpus.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "inventory") return gpugauge::stack::inventory_child_main();
  const auto report = gpugauge::stack::probe_gpus_here(argc > 1 ? argv[1] : "/");
  return std::puts(gpugauge::stack::to_json(report).c_str()) < 0 ? 1 : 0;
}
