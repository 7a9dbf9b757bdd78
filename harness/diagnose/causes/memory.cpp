// The device's memory and caches: remapped rows, ECC, MIG slices, leftover settings.
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"
#include "result/text.hpp"
#include "result/xid.hpp"

namespace gpugauge::diagnose {
namespace {

/// A text tells of retired pages. nvidia-smi -q prints the words as a heading on every machine.
Fact retired_pages_told(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    if (lower(result::stripped(line)) == "retired pages") return std::nullopt;
  return seen.told({"retired pages"}, {"DIMM", "pages*: n/a", "pages*: no", "pages*: 0"});
}

/// nvidia-smi printed a counter of uncorrected errors that is not 0.
Fact uncorrected_printed(const Seen& seen) {
  for (const std::string& line : seen.it().log) {
    const std::string low = lower(line);
    for (const std::string_view name : {"uncorr. ecc", "dram uncorrectable", "sram uncorrectable",
                                        "uncorrected.volatile.total", "uncorrected.aggregate.total"}) {
      const std::size_t at = low.find(name);
      if (at == std::string::npos) continue;
      const std::size_t digit = low.find_first_not_of(" :=|,", at + name.size());
      if (digit != std::string::npos && low[digit] >= '1' && low[digit] <= '9')
        return fmt::format("log: \"{}\"", line);
    }
  }
  return std::nullopt;
}

/// All of the memory but 92, whose errors were corrected and replace no row, and 168, which counts what is left
/// of a region that the driver protects.
std::vector<int> row_xids() {
  constexpr int corrected = 92;
  constexpr int protected_region = 168;
  std::vector<int> out = result::xids_about(result::XidAbout::memory);
  std::erase_if(out, [](int number) { return number == corrected || number == protected_region; });
  return out;
}

void examine_rows(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, either(seen.on("gpu.remap_failed"), seen.on("gpu.remap_pending")));
  it.confirms(weight::proof, remap_printed(seen));
  // Rows remapped long ago work as before; only an increase counts fully.
  it.confirms(seen.became_more("remapped_rows") ? weight::strong : weight::fair,
              seen.at_least("gpu.remapped_rows", 1));
  it.confirms(weight::strong, seen.xid(row_xids()));
  it.confirms(weight::good,
              seen.told({"Remapped Rows*Yes", "row remap", "row-remap", "Remapping Failure Occurred*Yes",
                         "uncorrectable ECC", "double bit ecc", "page retirement"},
                        {"DIMM", "IPMI", "EDAC", "ecc errors : 0", "ecc errors: 0", "ecc : 0", "ecc: 0",
                         "ecc*: n/a", "pages*: n/a", "pages*: no", "remap*: no"}));
  it.confirms(weight::good, retired_pages_told(seen));
  it.confirms(weight::strong, seen.error(214, {"cudaErrorECCUncorrectable", "CUDA_ERROR_ECC_UNCORRECTABLE",
                                               "uncorrectable ECC error encountered"}));
  it.confirms(weight::good,
              either(seen.moved("remapped_rows", {"higher"}),
                     either(seen.moved("uncorrect", {"higher"}), seen.moved("retired_pages", {"higher"}))));
  // Without an increase it may have been a single error that a reset has since cleared.
  it.confirms(weight::good, seen.at_least("gpu.ecc_uncorrected", 1));
  it.confirms(weight::good, uncorrected_printed(seen));
  // Nothing else points to the memory, and nothing that needs it is slower.
  if (it.evidence().size() == 1 && !seen.became_more("remapped_rows") &&
      !seen.slower({"hbm", "l2", "application", "framework_op"}))
    it.at_most(bound::unnamed, in_words("rows that were remapped earlier work as before",
                                        seen.at_least("gpu.remapped_rows", 1)));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.probe("swap_gpu", {"recovers", "normal"}));
}

void examine_l2(const Seen& seen, Argument& it) {
  // A number may be the initial limit of every context.
  const bool is_number = seen.number("gpu.l2_persisting_limit").has_value();
  const bool less_cache = seen.slower({"l2"}).has_value();
  if (!is_number || less_cache)
    it.confirms(is_number ? weight::fair : weight::strong, seen.on("gpu.l2_persisting_limit"));
  const Fact reset =
      seen.recovers_by({"PersistingL2", "persisting_l2", "l2_persisting", "ResetPersisting",
                        "cudaCtxResetPersisting", "cuCtxResetPersisting", "PersistentCacheLimit",
                        "trt.setPersistentCacheLimit", "access policy window"});
  it.confirms(weight::strong, reset);
  it.confirms(weight::good,
              seen.told({"PersistingL2", "persisting L2", "accessPolicyWindow",
                         "cudaAccessPropertyPersisting", "l2 set-aside", "L2 persist", "access policy window",
                         "access-policy window", "cudaCtxResetPersisting", "cudaLimitPersisting"}));
  // TensorRT sets aside what it is told to, for the whole context.
  for (const auto& [key, value] : seen.it().settings)
    if (less_cache && contains(key, "PersistentCacheLimit") && value.number().value_or(0) > 0)
      it.confirms(weight::strong, fmt::format("{} = {}", key, value.text()));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, seen.slower({"l2"}));
    it.confirms(weight::hint,
                both(seen.slower({"l2"}), seen.probe("repeat_in_fresh_process", {"recovers", "normal"})));
  }
  // Lines stay in L2 for the next process, whose own limit is 0.
  if (!reset) it.at_most(bound::remote, seen.off("gpu.l2_persisting_limit"));
}

void examine_mig(const Seen& seen, Argument& it) {
  // MIG is often wanted. On its own it is a state, and a fault only where something is slower or missing.
  const bool lacks = seen.slower({}) || seen.no_gain() || seen.moved("sm_count", {"lower"});
  it.confirms(lacks ? weight::strong : weight::fair, seen.on("gpu.mig"));
  it.confirms(weight::strong, seen.turned_on("mig"));
  it.confirms(weight::strong, seen.recovers_by({"mig=", "mig_mode", "mig off", "mig disabled", "-mig 0",
                                                "mig 0", "mig mode"}));
  it.confirms(weight::good, seen.told({"MIG mode*enabled", "MIG M.*Enabled", "MIG-GPU", "MIG device",
                                       "MIG 1g", "MIG 2g", "MIG 3g", "MIG 4g", "UUID: MIG-"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::fair, seen.moved("sm_count", {"lower"}));
    it.confirms(weight::hint, seen.moved("memory_total", {"lower"}));
    it.confirms(weight::hint, seen.fails({"p2p", "coll_large"}));
  } else {
    it.confirms(weight::fair, seen.moved("sm_count", {"lower"}));
  }
  // A process sees one instance; for it a second device does not exist.
  const bool several = seen.it().about.gpus.value_or(1) > 1;
  const Fact missing =
      either(invalid_ordinal(seen), several ? seen.fails({"init", "application", "coll_large"}) : Fact());
  // NVML gives no utilisation of a GPU in MIG mode, and CUDA sees the instance's multiprocessors.
  const Fact sliced = seen.harm() ? fewer_multiprocessors(seen) : Fact();
  it.confirms(weight::strong, sliced);
  if (sliced) it.confirms(weight::fair, seen.told({"GPU-Util*N/A", "utilization*N/A", "memory column*N/A"}));
  const bool on = sliced || seen.on("gpu.mig") || seen.gpu_is({"MIG "});
  if (on) it.confirms(weight::good, missing);
  // A wrong result, or a program that died, is neither.
  if (seen.harm() && !lacks && !missing && it.evidence().size() < 2)
    it.at_most(bound::unnamed, Fact("nothing is slower or missing"));
  if (!on || !missing) it.at_most(bound::below_half, seen.fails({"init"}));
  // A reporter who names an instance knows of it, so it is no forgotten state.
  if (!missing && !seen.turned_on("mig"))
    it.at_most(bound::unnamed, in_words("the program asks for an instance of MIG",
                                        seen.environment("CUDA_VISIBLE_DEVICES", {"MIG-*"})));
  it.at_most(bound::weak, seen.nvml_error(4, {"Insufficient Permissions", "NVML_ERROR_NO_PERMISSION"}));
  it.at_most(bound::remote, seen.off("gpu.mig"));
}

void examine_ecc(const Seen& seen, Argument& it) {
  const Fact slow = seen.slower({"hbm", "application", "l2", "framework_op"});
  const Fact switched = seen.recovers_by({"ecc", "nvidia-smi -e ", "nvidia-smi -e0", "-e 0"});
  it.confirms(weight::proof, switched);
  const Fact sixteenth = both(slow, sixteenth_of_memory_missing(seen));
  constexpr double most_that_ecc_costs = 1.35;
  if (!seen.slower({"hbm", "application"}, {}, most_that_ecc_costs)) it.confirms(weight::good, sixteenth);
  it.confirms(weight::strong, seen.turned_on("ecc"));
  const bool gddr = seen.gpu_is({"A10", "A40", "L4", "L40", "T4", "RTX", "A16", "A2", "Quadro", "K40", "K80",
                                 "K20", "GTX", "M40", "M60", "A5000", "A6000"}) &&
                    !seen.gpu_is({"A100"});
  if (seen.slower({"hbm"})) {
    it.confirms(gddr ? weight::good : weight::hint, seen.on("gpu.ecc"));
    it.confirms(weight::fair, both(seen.on("gpu.ecc"), seen.moved("memory_total", {"lower"})));
  }
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"hbm"}));
  if (seen.compared() && !slow)
    without_slowness(it, bound::unnamed, "memory", is_compared(seen, {"hbm", "l2"}));
  it.at_most(bound::weak, in_words("the memory is hot", seen.at_least("memory_temperature_c", 90)));
  // HBM has extra room for the check bits.
  if (!seen.turned_on("ecc") && !switched && !sixteenth && !seen.gpu_is({"RTX A3000"}))
    it.at_most(bound::remote, seen.gpu_is({"A100", "A800", "H100", "H200", "H800", "GH200", "B200", "GB200",
                                           "V100", "A30"}));
  it.at_most(bound::remote, seen.off("gpu.ecc"));
  if (!switched) it.at_most(bound::remote, seen.as_before({"ecc"}));
  it.rules_out(seen.unmoved_by({"ecc"}));
}

}  // namespace

Signatures memory_causes() {
  return {
      {.name = "hbm_row_remap",
       .title = "Rows of the device's memory failed: they were, wait to be, or could not be remapped",
       .what = "After uncorrectable errors a GPU replaces rows of its memory by spare ones at the next "
               "reset. Pending, it "
               "runs with a faulty row; out of spares, it has to be replaced. It is a matter of health, not "
               "of speed.",
       .confirms =
           "a pending or failed remap, remapped rows that grow, uncorrected errors that are counted, Xid 48, 63, "
           "64, 94 or 95 on one GPU",
       .excludes = "no remapped rows and no such Xid",
       .confused_with = {{"hbm_thermal", "is the memory hot?"},
                         {"ecc_mode_differs", "are errors counted, or was ECC switched?"},
                         {"uvm_driver_bug", "does another GPU hang with the same driver?"}},
       .severity = Severity::failure,
       .latent = true,
       .next = "nvidia-smi -q -d ROW_REMAPPER,ECC; where a remap failed, take the GPU out of use and have it "
               "tested for replacement; where one is pending, drain the node, then reset the GPU: sudo "
               "nvidia-smi --gpu-reset -i GPU",
       .reading = {"https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/index.html"},
       .examine = examine_rows},
      {.name = "l2_persisting_left",
       .title = "A part of L2 is still set aside for persisting accesses",
       .what = "A program set aside L2 for persisting data and did not take it back: within that context the "
               "rest has less "
               "cache, and lines stay that nobody needs.",
       .moves = "l2 -, gemm16 0",
       .confirms =
           "other kernels slower until the limit and the lines are reset; a limit that is not 0 counts "
           "beside that only: a context begins with the driver's, 9830400 bytes on an H100",
       .excludes = "a reset makes nothing faster; the limit is 0, and nothing was reset",
       .confused_with = {{"mig_left_enabled", "is MIG on, or only the limit set?"},
                         {"kernel_specific", "is it slower after another kernel ran?"}},
       .subject = Subject::software,
       .latent = true,
       .next = "cudaDeviceGetLimit(cudaLimitPersistingL2CacheSize); cudaDeviceSetLimit(..., 0); "
               "cudaCtxResetPersistingL2Cache()",
       .reading = {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/"
                   "index.html#device-memory-l2-access-management"},
       .examine = examine_l2},
      {.name = "mig_left_enabled",
       .title = "MIG is on: the process sees a slice of the GPU",
       .what = "On some GPUs multi-instance mode survives a reboot. Left on, a process gets a share of "
               "multiprocessors, memory and bandwidth, and there is no peer-to-peer access.",
       .moves = "gemm16 --, hbm --, p2p x, init ?",
       .stands_on = {"mig"},
       .confirms = "MIG mode is on; fewer multiprocessors or less memory than the product has",
       .excludes = "MIG is off",
       .confused_with = {{"sw_power_cap", "does the device report all its multiprocessors?"},
                         {"l2_persisting_left", "is MIG on?"},
                         {"neighbour_process", "is MIG on?"}},
       .latent = true,
       .next =
           "nvidia-smi -q | grep -A2 'MIG Mode'; nvidia-smi -L, and ask who owns the instances; last, where "
           "nobody needs them: sudo nvidia-smi -i GPU -mig 0",
       .reading = {"https://docs.nvidia.com/datacenter/tesla/mig-user-guide/index.html"},
       .examine = examine_mig},
      {.name = "ecc_mode_differs",
       .title = "ECC is switched on where it was off, and costs bandwidth",
       .what = "On boards with GDDR memory ECC stores its check bits in the same memory: bandwidth and "
               "capacity fall by "
               "some percent. HBM has room of its own for them.",
       .moves = "hbm -, gemm16 0",
       .confirms = "the ECC mode differs between the sides; switching it recovers",
       .excludes = "the mode is the same on both sides; bandwidth is unchanged",
       .confused_with = {{"hbm_thermal", "how hot is the memory?"}, {"hbm_row_remap", "are rows remapped?"}},
       .severity = Severity::note,
       .next = "nvidia-smi --query-gpu=index,ecc.mode.current,ecc.mode.pending --format=csv; set all alike "
               "(sudo nvidia-smi -i GPU -e 1, or 0 for off)",
       .reading = {"https://docs.nvidia.com/deploy/nvidia-smi/index.html"},
       .examine = examine_ecc},
  };
}

}  // namespace gpugauge::diagnose
