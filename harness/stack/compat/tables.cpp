// Look-ups in the compatibility tables.
#include "stack/compat/tables.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "result/error.hpp"
#include "stack/compat/embedded.hpp"

namespace gpugauge::stack {
namespace {

/// True if a row for `known` applies to `asked`: the same major.minor, or a row with only the major version.
bool same_release(const Version& known, const Version& asked) {
  const std::size_t parts = std::min<std::size_t>(known.size(), 2);
  return parts > 0 && known.first(parts) == asked.first(parts);
}

/// Exactly the release; else the newest not newer release of the same major.minor; else the oldest of them.
template <typename Row, typename VersionOf>
const Row* closest(const std::vector<const Row*>& rows, const Version& asked, const VersionOf& version_of) {
  const Row* best = nullptr;
  for (const Row* const row : rows) {
    const Version& known = version_of(*row);
    if (known == asked) return row;
    if (!same_release(known, asked)) continue;
    if (best == nullptr) {
      best = row;
      continue;
    }
    const Version& held = version_of(*best);
    const bool better = known <= asked ? held > asked || known > held : held > asked && known < held;
    if (better) best = row;
  }
  return best;
}

template <typename Row, typename Wanted>
const Row* first_of(const std::vector<Row>& rows, const Wanted& wanted) {
  const auto found = std::find_if(rows.begin(), rows.end(), wanted);
  return found == rows.end() ? nullptr : &*found;
}

template <typename Row, typename Wanted>
std::vector<const Row*> all_of(const std::vector<Row>& rows, const Wanted& wanted) {
  std::vector<const Row*> found;
  for (const Row& row : rows)
    if (wanted(row)) found.push_back(&row);
  return found;
}

/// "rhel 9.4" -> "rhel", 9.4.
std::pair<std::string, std::optional<Version>> split(const std::string& distribution_id) {
  const auto space = distribution_id.find(' ');
  if (space == std::string::npos) return {distribution_id, std::nullopt};
  return {distribution_id.substr(0, space), Version::parse(distribution_id.substr(space + 1))};
}

}  // namespace

bool VersionRange::contains(const Version& version) const {
  if (least && version < *least) return false;
  return !most || version <= *most || most->covers(version);
}

std::string VersionRange::text() const {
  if (least && most)
    return *least == *most ? most->text() : fmt::format("{} to {}", least->text(), most->text());
  if (least) return "from " + least->text();
  if (most) return "up to " + most->text();
  return "any";
}

const FrameworkWheel* FrameworkBuild::wheel(const Version& cuda_version) const {
  return first_of(wheels, [&](const FrameworkWheel& wheel) { return wheel.cuda.covers(cuda_version); });
}

const ToolkitDriver* Tables::native_driver(const Version& cuda) const {
  const ToolkitDriver* lowest = nullptr;
  for (const ToolkitDriver& row : toolkit_drivers) {
    if (row.cuda != cuda.first(2)) continue;
    if (cuda.size() > 2 && row.update == cuda.part(2)) return &row;
    if (lowest == nullptr || row.native_driver < lowest->native_driver) lowest = &row;
  }
  return lowest;
}

const MinimumDriver* Tables::minimum_driver(int cuda_major) const {
  return first_of(minimum_drivers, [&](const MinimumDriver& row) { return row.cuda_major == cuda_major; });
}

const Architecture* Tables::architecture(const Version& compute_capability) const {
  return first_of(architectures,
                  [&](const Architecture& row) { return row.compute_capability == compute_capability; });
}

const StatedRule* Tables::rule(const std::string& subject) const {
  return first_of(rules, [&](const StatedRule& row) { return row.subject == subject; });
}

const DriverBranch* Tables::branch(const Version& driver) const {
  return first_of(driver_branches, [&](const DriverBranch& row) { return row.branch == driver.major(); });
}

const FrameworkBuild* Tables::framework(const std::string& name, const Version& version) const {
  return closest(all_of(frameworks, [&](const FrameworkBuild& row) { return row.framework == name; }),
                 version, [](const FrameworkBuild& row) -> const Version& { return row.version; });
}

const HostCompiler* Tables::host_compiler(const std::string& compiler, const Version& cuda) const {
  return first_of(host_compilers, [&](const HostCompiler& row) {
    return row.compiler == compiler && row.cuda.contains(cuda);
  });
}

const OsSupport* Tables::system(const std::string& distribution_id) const {
  const auto [asked_id, asked] = split(distribution_id);
  if (!asked) return nullptr;
  for (const OsSupport& row : systems) {
    const auto [id, version] = split(row.distribution);
    if (id == asked_id && version && version->size() <= asked->size() && version->covers(*asked)) return &row;
  }
  return nullptr;
}

const KernelSupport* Tables::kernel_support(const Version& driver) const {
  return first_of(kernels, [&](const KernelSupport& row) { return row.driver.major() == driver.major(); });
}

const VgpuRelease* Tables::vgpu_release(const Version& driver) const {
  return first_of(vgpu_releases, [&](const VgpuRelease& row) { return row.branch == driver.major(); });
}

const VgpuPairing* Tables::vgpu_pairing(const Version& guest, const Version& host) const {
  return first_of(
      vgpu, [&](const VgpuPairing& row) { return row.guest.contains(guest) && row.host.contains(host); });
}

const ErrorCode* Tables::error(const std::string& api, int code) const {
  return first_of(error_codes, [&](const ErrorCode& row) { return row.api == api && row.code == code; });
}

Version Tables::newest_known_cuda() const {
  Version newest;
  for (const ToolkitDriver& row : toolkit_drivers) newest = std::max(newest, row.cuda);
  return newest;
}

const Tables& tables() {
  static const Tables read = [] {
    try {
      return read_tables(embedded_data());
    } catch (const result::FormatError& fault) {
      throw std::logic_error(fmt::format("the tables in this build are damaged: {}", fault.what()));
    }
  }();
  return read;
}

}  // namespace gpugauge::stack
