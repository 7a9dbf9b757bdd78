// Compares a guest's driver with the vGPU manager of its host.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/plan/plan_fit.hpp"

namespace gpugauge::stack {
namespace {

constexpr int first_branch = 100;  ///< smaller numbers are releases of the vGPU software

/// "release 18 (R570)"
std::string release_text(const Tables& tables, int release) {
  for (const VgpuRelease& row : tables.vgpu_releases)
    if (row.release == release) return fmt::format("release {} (R{})", release, row.branch);
  return fmt::format("release {}", release);
}

}  // namespace

PairFit fit_vgpu(const Tables& tables, const Version& guest_driver, const Version& host) {
  const bool by_release = host.major() < first_branch;
  PairFit pair = fit::pair("guest driver " + driver_text(guest_driver),
                           by_release ? fmt::format("vGPU host of release {}", host.major())
                                      : "vGPU host driver " + driver_text(host));
  const VgpuRelease* const guest_row = tables.vgpu_release(guest_driver);
  const VgpuRelease* const host_row = by_release ? nullptr : tables.vgpu_release(host);
  if (guest_row == nullptr || (!by_release && host_row == nullptr))
    return fit::unknown(pair, fmt::format("The tables know no vGPU release of driver branch {}.",
                                          guest_row == nullptr ? guest_driver.major() : host.major()));
  const int host_release = by_release ? host.major() : host_row->release;
  const std::string both =
      fmt::format("The guest's driver is of vGPU {}, the host's of {}",
                  release_text(tables, guest_row->release), release_text(tables, host_release));
  const Version guest({guest_row->release});
  const Version on({host_release});
  const bool certain = guest_row->source.read && (host_row == nullptr || host_row->source.read);
  if (const VgpuPairing* const row = tables.vgpu_pairing(guest, on)) {
    pair.sources.push_back(row->source.text);
    if (row->source.read && certain) return fit::works(pair, both + ": NVIDIA supports that.");
    return fit::unknown(pair, both + ", which should go together; nobody read that in a source.");
  }
  std::vector<std::string> fitting;
  const VgpuPairing* stated = nullptr;
  for (const VgpuPairing& row : tables.vgpu) {
    if (!row.host.contains(on)) continue;
    if (row.guest.least) fitting.push_back(release_text(tables, row.guest.least->major()));
    if (row.source.read) stated = &row;
  }
  if (stated == nullptr)
    return fit::unknown(pair, fmt::format("{}; the tables do not tell which guests that host takes.", both));
  return fit::judged(
      pair, certain ? Fit::fails : Fit::unknown, "driver",
      both + ". NVIDIA does not list that pair, and a vGPU of a pair that is not listed fails to load.",
      fmt::format("Install a guest driver of vGPU {}, or bring the host to the guest's.",
                  fmt::join(fitting, " or ")),
      stated->source);
}

}  // namespace gpugauge::stack
