#include "diagnose/causes/gpu_model.hpp"

#include <optional>
#include <string_view>

namespace gpugauge::diagnose {
namespace {

/// "RTX 4090" of "GeForce RTX 4090": reports leave the brand out.
std::string_view without_brand(std::string_view model) {
  constexpr std::string_view brand = "GeForce ";
  return model.starts_with(brand) ? model.substr(brand.size()) : model;
}

/// That of the devices that a log lists: "Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9"; nullopt where they
/// differ. What a message requires follows no comma.
std::optional<stack::Version> told_capability(const Seen& seen) {
  std::optional<stack::Version> out;
  for (const std::string& line : seen.it().log)
    for (const std::string_view name : {", compute capability ", ", compute capability: "}) {
      const std::size_t at = line.find(name);
      if (at == std::string::npos) continue;
      const std::string_view rest = std::string_view(line).substr(at + name.size());
      const auto version =
          stack::Version::parse(std::string(rest.substr(0, rest.find_first_not_of("0123456789."))));
      if (!version) continue;
      if (out && *out != *version) return std::nullopt;
      out = version;
    }
  return out;
}

std::optional<stack::Version> capability(const Seen& seen) {
  const auto& about = seen.it().about;
  if (!about.compute_capability.empty()) return stack::Version::parse(about.compute_capability);
  if (about.gpu.empty()) return told_capability(seen);
  for (const stack::GpuListing& row : stack::tables().gpu_listings)
    for (const std::string& model : row.models)
      if (contains_whole_words(about.gpu, without_brand(model))) return row.compute_capability;
  return std::nullopt;
}

}  // namespace

const stack::Architecture* architecture(const Seen& seen) {
  const std::optional<stack::Version> known = capability(seen);
  return known ? stack::tables().architecture(*known) : nullptr;
}

bool open_module_drives(const stack::Architecture& architecture) {
  static const stack::Version first({7, 5});
  return architecture.compute_capability >= first;
}

bool is_vgpu_profile(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || name.size() < dash + 3) return false;
  const std::string_view frame = name.substr(dash + 1, name.size() - dash - 2);
  return frame.find_first_not_of("0123456789") == std::string_view::npos &&
         std::string_view("QCAB").find(name.back()) != std::string_view::npos;
}

}  // namespace gpugauge::diagnose
