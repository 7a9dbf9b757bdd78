// Faults of the board itself that the driver reports.
#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_inforom(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"infoROM is corrupted", "corrupt InfoROM has been detected in GPU"},
                                       {"no \"infoROM", "not ", "%u"}));
  it.confirms(weight::proof, seen.nvml_error(14, {"NVML_ERROR_CORRUPTED_INFOROM"}));
  if (!it.evidence().empty()) it.is_an_event();
}

}  // namespace

Signatures board_causes() {
  return {
      {.name = "inforom_corrupted",
       .title = "The infoROM of a GPU, which holds its settings and error counters, is corrupted",
       .what =
           "The board's infoROM keeps the ECC mode, remapped rows and the power table. The driver that finds it "
           "corrupted goes on without, so that faults are forgotten at a reset and settings may not hold.",
       .confirms = "nvidia-smi warns \"infoROM is corrupted\", or NVML answers 14",
       .excludes = "a reset of the GPU ends the warning",
       .confused_with = {{"hbm_row_remap", "does the memory report errors, or is the record of them lost?"}},
       .latent = true,
       .next =
           "drain the node; nvidia-smi --gpu-reset -i GPU, or a cold boot; where the warning stays, the board goes "
           "to its vendor",
       .reading = {"https://docs.nvidia.com/deploy/gpu-debug-guidelines/index.html"},
       .examine = examine_inforom},
  };
}

}  // namespace gpugauge::diagnose
