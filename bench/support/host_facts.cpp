#include "support/host_facts.hpp"

#include <fstream>
#include <string>

#include <unistd.h>

#include "result/processor_list.hpp"
#include "support/host.hpp"

namespace gpugauge::bench {

void add_host_facts(result::Facts& facts) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) != 0 || colon == std::string::npos) continue;
    facts["host.cpu_model"] = line.substr(colon + 2);
    break;
  }
  facts["host.cpus_allowed"] = result::processors_text(allowed_cpus());
  facts["host.page_bytes"] = std::to_string(sysconf(_SC_PAGESIZE));
  facts["host.last_cache_bytes"] = std::to_string(last_level_bytes(allowed_cpus()));
  std::ifstream huge("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(huge, modes);  // "always [madvise] never"
  const std::size_t open = modes.find('[');
  const std::size_t close = modes.find(']');
  if (open != std::string::npos && close != std::string::npos && open < close)
    facts["host.transparent_huge_pages"] = modes.substr(open + 1, close - open - 1);
}

}  // namespace gpugauge::bench
