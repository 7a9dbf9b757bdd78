#include "conductor/mentioned.hpp"

#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/reasons.hpp"

namespace gpugauge::conductor {
namespace {

using judge::VerdictKind;
using Names = std::vector<std::string>;

/// "GPU 5" of "GPU 5 NVIDIA H200 (GPU-...)"; other labels whole.
std::string brief(const std::string& label) {
  constexpr std::string_view gpu = "GPU ";
  return label.starts_with(gpu) ? label.substr(0, label.find(' ', gpu.size())) : label;
}

/// Metrics by device. Devices with the same ones stand together.
class Where {
 public:
  void add(const std::string& device, const Names& metrics) {
    count_ += metrics.size();
    if (metrics.empty()) return;
    if (devices_[metrics].empty()) order_.push_back(metrics);
    devices_[metrics].push_back(device);
  }
  std::size_t count() const { return count_; }
  /// "GPU 0, GPU 1, GPU 2: a; GPU 5: a, b and 3 more".
  std::string text() const {
    constexpr std::size_t most = 4;
    Names parts;
    for (const Names& metrics : order_)
      parts.push_back(fmt::format("{}: {}", judge::some_of(devices_.at(metrics)), judge::some_of(metrics)));
    const std::size_t left = parts.size() > most ? parts.size() - most : 0;
    parts.resize(parts.size() - left);
    return fmt::format("{}{}", fmt::join(parts, "; "), left == 0 ? "" : "; and others");
  }

 private:
  std::map<Names, Names> devices_;
  std::vector<Names> order_;  ///< as they first came
  std::size_t count_ = 0;
};

}  // namespace

std::string mentioned(const std::vector<report::DeviceReport>& devices) {
  std::map<VerdictKind, Where> metrics, advisory;
  Names undecided;
  int accepted = 0;
  int unknown = 0;
  for (const report::DeviceReport& device : devices) {
    const judge::Mentioned& of = device.outcome.mentioned;
    const std::string name = brief(device.label);
    for (const auto& [kind, names] : of.metrics) metrics[kind].add(name, names);
    for (const auto& [kind, names] : of.advisory) advisory[kind].add(name, names);
    accepted += of.accepted;
    unknown += of.unknown;
    if (device.outcome.code == judge::ExitCode::pass && !device.outcome.decided) undecided.push_back(name);
  }
  Names parts;
  for (const VerdictKind kind : {VerdictKind::unstable, VerdictKind::inconclusive})
    if (const Where& where = metrics[kind]; where.count() > 0)
      parts.push_back(fmt::format("{} {} ({})", where.count(), to_string(kind), where.text()));
  for (const VerdictKind kind : {VerdictKind::new_metric, VerdictKind::improved})
    if (const Where& where = metrics[kind]; where.count() > 0)
      parts.push_back(fmt::format("{} {}", where.count(), to_string(kind)));
  for (const auto& [kind, where] : advisory)
    parts.push_back(
        fmt::format("{} {}, which is advisory ({})", where.count(), to_string(kind), where.text()));
  if (accepted > 0) parts.push_back(fmt::format("{} accepted", accepted));
  if (unknown > 0) parts.push_back(fmt::format("{} too noisy or unknown to count", unknown));
  std::string out = parts.empty() ? "" : fmt::format("; {}", fmt::join(parts, ", "));
  if (!undecided.empty()) out += fmt::format("; nothing could be decided of {}", judge::some_of(undecided));
  return out;
}

}  // namespace gpugauge::conductor
