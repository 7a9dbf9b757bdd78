#include "run/surroundings.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <system_error>

#include <sched.h>

#include "result/processor_list.hpp"

namespace gpugauge::run {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using Set = std::unique_ptr<cpu_set_t, FreeSet>;
const std::size_t set_bytes = CPU_ALLOC_SIZE(result::processors_most);

Set empty_set() {
  Set set(CPU_ALLOC(result::processors_most));
  if (set == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(set_bytes, set.get());
  return set;
}

bool confine(const std::vector<int>& processors) {
  const Set set = empty_set();
  for (const int processor : processors)
    if (processor >= 0 && processor < result::processors_most)
      CPU_SET_S(static_cast<std::size_t>(processor), set_bytes, set.get());
  return sched_setaffinity(0, set_bytes, set.get()) == 0;
}

struct Times {
  double idle = 0;
  double all = 0;
};

/// Parses the ticks of each processor: "cpu3 user nice system idle iowait irq softirq steal ...".
std::map<int, Times> times_of(const std::string& stat) {
  std::map<int, Times> out;
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("cpu", 0) != 0 || line.size() < 4 || line[3] < '0' || line[3] > '9') continue;
    std::istringstream words(line.substr(3));
    int processor = 0;
    std::array<double, 8> ticks{};
    if (!(words >> processor)) continue;
    for (double& value : ticks)
      if (!(words >> value)) break;
    Times& times = out[processor];
    for (const double value : ticks) times.all += value;
    times.idle = ticks[3] + ticks[4];
  }
  return out;
}

}  // namespace

std::vector<int> allowed_processors() {
  const Set set = empty_set();
  std::vector<int> out;
  if (sched_getaffinity(0, set_bytes, set.get()) != 0) return out;
  for (int processor = 0; processor < result::processors_most; ++processor)
    if (CPU_ISSET_S(static_cast<std::size_t>(processor), set_bytes, set.get())) out.push_back(processor);
  return out;
}

Confined::Confined(const std::vector<int>& processors) {
  if (processors.empty()) return;
  earlier_ = allowed_processors();
  if (confine(processors)) return;
  throw std::system_error(errno, std::generic_category(),
                          "this process may not use the processors " + result::processors_text(processors));
}

Confined::~Confined() {
  if (!earlier_.empty()) confine(earlier_);
}

std::map<int, double> idle_shares(const std::string& before, const std::string& after) {
  const std::map<int, Times> then = times_of(before);
  std::map<int, double> out;
  for (const auto& [processor, now] : times_of(after)) {
    const auto earlier = then.find(processor);
    if (earlier == then.end()) continue;
    const double all = now.all - earlier->second.all;
    const double idle = now.idle - earlier->second.idle;
    if (all > 0 && std::isfinite(all) && std::isfinite(idle))
      out[processor] = std::clamp(idle / all, 0.0, 1.0);
  }
  return out;
}

}  // namespace gpugauge::run
