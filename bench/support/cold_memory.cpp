#include "support/cold_memory.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <system_error>

#include "support/host.hpp"
#include "support/mapping.hpp"

namespace gpugauge::bench {

std::size_t cold_bytes(std::size_t wanted, std::size_t available) {
  constexpr std::size_t most = std::size_t{2} << 30;
  const std::size_t bounded = std::min(wanted, most);
  return available > 0 ? std::min(bounded, available / 4) : bounded;
}

std::span<std::byte> cold_memory(const std::vector<int>& cpus) {
  static std::unique_ptr<Mapping> kept;
  static std::size_t kept_for = 0;
  static std::vector<int> kept_cpus;
  const std::size_t wanted = 4 * last_level_bytes(cpus);
  if (!kept || kept_for != wanted || (kept_cpus != cpus && memory_nodes() > 1)) {
    kept.reset();
    kept = std::make_unique<Mapping>(cold_bytes(wanted, available_memory_bytes()), Pages::huge);
    kept_for = wanted;
    kept_cpus = cpus;
  }
  return {kept->data(), kept->bytes()};
}

int memory_nodes(const std::filesystem::path& root) {
  int nodes = 0;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(root / "sys/devices/system/node", fault)) {
    const std::string name = entry.path().filename().string();
    nodes += name.size() > 4 && name.rfind("node", 0) == 0 &&
             std::isdigit(static_cast<unsigned char>(name[4])) != 0;
  }
  return std::max(nodes, 1);
}

}  // namespace gpugauge::bench
