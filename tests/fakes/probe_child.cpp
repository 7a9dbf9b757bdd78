// probe_child [ROOT]: what `gpugauge probe devices` does, for tests that choose the libraries and the file
// tree.
#include <cstdio>

#include "stack/gpu_report.hpp"

int main(int argc, char** argv) {
  const auto report = gpugauge::stack::probe_gpus_here(argc > 1 ? argv[1] : "/");
  return std::puts(gpugauge::stack::to_json(report).c_str()) < 0 ? 1 : 0;
}
