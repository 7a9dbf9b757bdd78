// GPU models by the names that people type, for plans about machines that are not here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/version.hpp"

namespace gpugauge::stack {

/// Forward-compatibility packages work on data_centre; on workstation cards only on selected ones.
enum class Market { data_centre, workstation, geforce, jetson, unknown };

/// A model that a plan is about.
struct GpuModel {
  std::string name;  ///< "H100", "GeForce RTX 4090"; "compute capability 9.0" where only that is known
  Version compute_capability;       ///< 9.0
  Market market = Market::unknown;  ///< unknown where only a compute capability is known

  bool operator==(const GpuModel&) const = default;  ///< member by member
};

/// A model ("h100", "NVIDIA H100 80GB HBM3", "rtx-4090"), or a compute capability ("9.0", "sm_90"). nullopt
/// for what is neither.
std::optional<GpuModel> gpu_model(std::string_view text);

/// How much of a name, as a user or the driver gives it, that model takes up ("NVIDIA H100 80GB HBM3" is an
/// H100, and "NVIDIA H100 NVL" more of an H100 NVL); 0 where it is another model. A laptop's GPU is no
/// desktop's.
std::size_t model_match(std::string_view name, std::string_view model, const Version& compute_capability);

/// Of a Jetson or Drive board, by its compute capability without the dot (87): its driver, and the code that
/// it runs, are its own.
bool is_tegra(int architecture);

/// What NVML's product name and brand say of a card; the names of models that the table lacks still tell
/// ("NVIDIA GeForce ..." is geforce).
Market market_of(std::string_view name, std::string_view brand);

/// The table's names, for error sentences and completion.
std::vector<std::string> gpu_model_names();

}  // namespace gpugauge::stack
