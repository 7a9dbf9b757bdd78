#include "support/timer.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <time.h>
#include <unistd.h>

namespace gpugauge::bench {

namespace {

double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::int64_t steady_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Seconds since this process began, 0 where that cannot be read.
double age_seconds() {
  constexpr int field_of_start = 22;
  constexpr double oldest = 3600;  // a program is loaded within this: more is another clock's time
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The second field, the name, may hold blanks.
  std::istringstream rest(line.substr(std::min(line.rfind(')'), line.size())));
  std::string skipped;
  for (int field = 2; field < field_of_start; ++field) rest >> skipped;
  double start = 0;
  if (!(rest >> start)) return 0;
  const double age = read(CLOCK_BOOTTIME) - start / static_cast<double>(sysconf(_SC_CLK_TCK));
  return age > 0 && age < oldest ? age : 0;
}

}  // namespace

double process_seconds() {
  static const double began = steady_seconds() - age_seconds();
  return steady_seconds() - began;
}

double steady_seconds() {
  return 1e-9 * static_cast<double>(steady_nanoseconds());
}

double process_cpu_seconds() {
  return read(CLOCK_PROCESS_CPUTIME_ID);
}

double thread_cpu_seconds() {
  return read(CLOCK_THREAD_CPUTIME_ID);
}

double steady_resolution_seconds() {
  static const double resolution = [] {
    std::int64_t smallest = 1'000'000'000;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t before = steady_nanoseconds();
      std::int64_t after = before;
      while (after == before) after = steady_nanoseconds();
      smallest = std::min(smallest, after - before);
    }
    return 1e-9 * static_cast<double>(smallest);
  }();
  return resolution;
}

HostTimer::HostTimer(const std::function<void(std::int64_t)>& operations) : operations_(operations) {}

BatchTime HostTimer::time_batch(std::int64_t operations) {
  const std::int64_t before = steady_nanoseconds();
  operations_(operations);
  const std::int64_t after = steady_nanoseconds();
  return {1e-9 * static_cast<double>(after - before), 0};
}

void HostTimer::warm_up() {
  // Long enough for the processor's clock to rise and for caches, TLB and branch predictors to fill.
  constexpr double warm_up_seconds = 0.02;
  constexpr std::int64_t most = std::int64_t{1} << 40;  // an operation may take no time
  const double start = steady_seconds();
  for (std::int64_t operations = 1; steady_seconds() - start < warm_up_seconds;) {
    const double before = steady_seconds();
    operations_(operations);
    if (steady_seconds() - before < warm_up_seconds / 10) operations = std::min(2 * operations, most);
  }
}

std::string HostTimer::name() const {
  return "steady_clock";
}

double HostTimer::resolution_seconds() const {
  return steady_resolution_seconds();
}

}  // namespace gpugauge::bench
