// GPU models by the names that users type, for plans about other machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/version.hpp"

namespace gpugauge::stack {

/// Forward-compatibility packages work on data_centre, and on selected workstation cards.
enum class Market { data_centre, workstation, geforce, jetson, unknown };

/// A GPU model in a plan.
struct GpuModel {
  std::string name;            ///< "H100", "GeForce RTX 4090"; "compute capability 9.0" if only that is known
  Version compute_capability;  ///< 9.0
  Market market = Market::unknown;  ///< unknown if only a compute capability is known

  bool operator==(const GpuModel&) const = default;  ///< member by member
};

/// Parses a model ("h100", "NVIDIA H100 80GB HBM3", "rtx-4090") or a compute capability ("9.0", "sm_90").
/// nullopt for other text.
std::optional<GpuModel> gpu_model(std::string_view text);

/// How much of a name from a user or driver that model covers; 0 if it is another model. "NVIDIA H100 80GB
/// HBM3" is an H100; "NVIDIA H100 NVL" matches H100 NVL better than H100. A laptop GPU is never a desktop
/// GPU.
std::size_t model_match(std::string_view name, std::string_view model, const Version& compute_capability);

/// True for a Jetson or Drive board, by its compute capability without the dot (87). These boards have their
/// own driver and run code of their own.
bool is_tegra(int architecture);

/// A card's market from NVML's product name and brand. Also works for models that the table lacks ("NVIDIA
/// GeForce ..." is geforce).
Market market_of(std::string_view name, std::string_view brand);

/// The names in the table, for error sentences and completion.
std::vector<std::string> gpu_model_names();

}  // namespace gpugauge::stack
