// Prints GPU telemetry as the command's own child does: telemetry_child INTERVAL [LIBRARY].
#include <cstdlib>

#include "run/runner.hpp"

int main(int argc, char** argv) {
  const double interval = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  return argc > 2 ? gpugauge::run::telemetry_main(interval, argv[2])
                  : gpugauge::run::telemetry_main(interval);
}
