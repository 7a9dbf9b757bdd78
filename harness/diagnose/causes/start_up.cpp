// A start that works but takes long.
#include <fmt/format.h>

#include "diagnose/causes/predicates.hpp"
#include "result/xid.hpp"

namespace gpugauge::diagnose {
namespace {

const Words gsp_lines{"Timeout*waiting for RPC response from GPU",
                      "GSP RPC",
                      "RPC*timeout*GSP",
                      "GspRpc",
                      "_issueRpcAndWait",
                      "kgspHealthCheck",
                      "gsp_*_rm.bin",
                      "GSP*timeout",
                      "GSP task",
                      "Cannot initialize GSP firmware",
                      "GSP*heartbeat",
                      "kgspWaitForGfwBoot",
                      "GSP firmware*fail",
                      "Failed to boot GSP"};

/// A start takes whole seconds, which that of a driver with its GPUs set up does not.
Fact takes_seconds(const Seen& seen) {
  constexpr double seconds = 2;
  for (const Metric* metric : seen.metrics({}))
    if ((metric->metric_class == "init" || metric->scope.phase == "startup") &&
        seconds_of(*metric).value_or(0) >= seconds)
      return fmt::format("it takes {:g} s to start", *seconds_of(*metric));
  return std::nullopt;
}

void examine_persistence(const Seen& seen, Argument& it) {
  const Fact slow = slow_start(seen);
  const Fact nvml_slow = seen.probe("nvml_query", {"slow"});
  double share = 1;
  const Fact recovers = seen.recovers_by({"persistence", "nvidia-smi -pm", "persistenced"}, &share);
  // Set together with clocks, which slow the work itself, it explains a start only.
  const bool alone = share >= 1 || slow || nvml_slow;
  it.confirms(alone ? weight::proof : weight::good,
              both(recovers, either(slow, either(nvml_slow, either(seen.slower({}), takes_seconds(seen))))));
  if (slow || nvml_slow) {
    // As long as any client holds the GPU, the driver keeps its state.
    it.confirms(
        weight::good,
        seen.told({"open context in the background", "while another process*quick",
                   "while another process*fast", "nvidia-smi -l*background", "nvidia-smi dmon*background",
                   "holds a context", "holds an open context", "keeps a context", "keeps the GPU open",
                   "keeps the device open", "while any program*quick", "while any program*fast"}));
    it.confirms(weight::good, seen.off("gpu.persistence"));
    it.confirms(weight::good, seen.field_changed("persistence"));
    // The driver initialises every visible GPU, so it is quick with one.
    it.confirms(weight::good, both(seen.slower({"init"}), seen.recovers_by({"CUDA_VISIBLE_DEVICES"})));
    it.confirms(weight::fair, seen.told({"persistence", "nvidia-persistenced"},
                                        {"persistence*enabled", "persistence*: on", "persistence*=on"}));
    it.confirms(weight::fair, seen.told({"proportional to the number of GPUs", "with the number of GPUs",
                                         "with every GPU", "for each visible GPU", "per visible GPU",
                                         "number of visible GPUs", "the more GPUs"}));
    if (!it.evidence().empty()) it.confirms(weight::hint, slow);
    if (!it.evidence().empty()) it.confirms(weight::faint, nvml_slow);
  }
  // The container's tool gives the driver some seconds, and the driver sets up every GPU for it.
  if (it.confirms(weight::good, both(seen.fails({"init"}), seen.told({"nvidia-container-cli*timed out"})))) {
    it.explains_failure();
    it.confirms(weight::hint,
                either(seen.probe("swap_node", {"recovers"}), seen.recovers_by({"fewer GPUs", "gpus="})));
    it.unproven(bound::unconfident, Fact("whether persistence mode is off is not known"));
  }
  if (!recovers) it.at_most(bound::remote, seen.on("gpu.persistence"));
  it.rules_out(seen.unmoved_by({"persistence", "nvidia-smi -pm"}));
  it.at_most(bound::unnamed, seen.recovers_by({"CUDA_CACHE", "CUDA_MODULE_LOADING", "EnableGpuFirmware"}));
  it.at_most(bound::last_named, seen.told(gsp_lines));
  it.at_most(bound::last_named,
             seen.on("topology.path", {"nvlink"}) && nvml_slow && !slow ? nvml_slow : Fact());
}

/// Of two sides, only one has a version of the GSP's firmware; the other reads N/A.
Fact firmware_on_one_side(const Seen& seen) {
  Fact with;
  bool without = false;
  for (const auto& [key, value] : seen.it().settings) {
    if (!contains_word(key, "GSP")) continue;
    if (value.off() || contains(value.text(), "N/A"))
      without = true;
    else if (!value.text().empty() && value.text().front() >= '0' && value.text().front() <= '9')
      with = fmt::format("{} = {}, and N/A on the other side", key, value.text());
  }
  return without ? with : std::nullopt;
}

void examine_gsp(const Seen& seen, Argument& it) {
  const Fact silent = seen.xid(result::xids_about(result::XidAbout::firmware));
  it.confirms(weight::proof, either(seen.told(gsp_lines), silent));
  if (silent) it.is_an_event();
  it.confirms(weight::proof, seen.recovers_by({"EnableGpuFirmware", "gsp"}));
  // Only one side has the firmware, and what goes through it is late there.
  if (seen.slower({})) it.confirms(weight::good, firmware_on_one_side(seen));
  Fact managed;
  for (const std::string_view op : {"register", "reg_mr", "ipc", "pin", "memmap", "mem_map"})
    managed = either(managed, seen.slower(application_classes, {.op = op}));
  if (firmware_on_one_side(seen))
    it.confirms(weight::fair,
                both(managed, seen.unchanged({"p2p", "coll_large", "hbm", "gemm16", "gemm32"})));
  it.confirms(weight::fair, both(seen.field_changed("driver.gsp"), seen.slower({})));
  // The firmware answers late, and some queries not at all.
  it.confirms(weight::good,
              seen.probe("nvml_query", {"slow"}, {"Unknown Error", "ERR!", "GPU requires reset"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, seen.on("driver.gsp"));
    it.confirms(weight::hint, seen.slower({"launch", "init"}));
    it.confirms(weight::hint, seen.probe("nvml_query", {"slow", "fails"}));
  } else if (seen.slower({"launch"}) && seen.slower({"init"})) {
    it.confirms(weight::fair, seen.on("driver.gsp"));
  }
  if (it.evidence().empty() || !seen.recovers_by({"gsp"})) it.at_most(bound::unnamed, seen.off("driver.gsp"));
  it.rules_out(seen.unmoved_by({"EnableGpuFirmware", "gsp"}));
}

void examine_eager(const Seen& seen, Argument& it) {
  const Fact set = seen.environment("CUDA_MODULE_LOADING", {"EAGER"});
  it.confirms(slow_start(seen) ? weight::proof : weight::good, set);
  it.confirms(weight::proof, seen.recovers_by({"MODULE_LOADING", "LAZY"}));
  // What the driver itself answers (cuModuleGetLoadingMode), and what TensorRT warns of.
  if (slow_start(seen)) {
    it.confirms(weight::proof, seen.told({"CU_MODULE_EAGER_LOADING", "CUDA_MODULE_LOADING=EAGER",
                                          "CUDA_MODULE_LOADING: EAGER", "cudaModuleLoadingModeEager"}));
    it.confirms(weight::good, seen.told({"CUDA lazy loading is not enabled", "lazy loading is disabled",
                                         "lazy loading: disabled", "without lazy loading"}));
  }
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_start(seen));
    it.confirms(weight::faint, seen.moved("memory_used", {"higher"}));
    it.confirms(weight::faint, warm_is_normal(seen));
  }
  it.at_most(bound::unnamed, seen.unmoved_by({"MODULE_LOADING"}));
  if (seen.compared() && !slow_start(seen))
    without_slowness(it, bound::unnamed, "the start", start_compared(seen));
}

}  // namespace

Signatures start_up_causes() {
  return {
      {.name = "persistence_mode_off",
       .title = "The driver sets the GPU up anew for every first client",
       .what =
           "Without persistence mode the driver unloads a GPU's state when its last client ends. The "
           "next start pays for "
           "it again, once per visible GPU; in confidential mode more than ever. The init that the family "
           "first_launch measures has no part of it: its process holds a context meanwhile. The first "
           "program on an idle GPU has.",
       .moves = "init --, launch 0",
       .stands_on = {"persistence"},
       .confirms = "cuInit is slow with no other client and quick with persistence mode on; it grows with "
                   "the visible GPUs",
       .excludes = "persistence mode is on; warm work is slow too",
       .confused_with = {{"ptx_jit_startup",
                          "does nvidia-smi -pm 1 recover, and is there machine code for this GPU?"},
                         {"gsp_firmware", "does the kernel log name a GSP RPC timeout?"},
                         {"jit_cache_disabled", "is the JIT cache in use?"}},
       .next = "nvidia-smi -q | grep Persistence; systemctl enable --now nvidia-persistenced (or nvidia-smi "
               "-pm 1)",
       .reading = {"https://docs.nvidia.com/deploy/driver-persistence/index.html"},
       .examine = examine_persistence},
      {.name = "gsp_firmware",
       .title = "The GPU's system processor (GSP) answers late or not at all",
       .what = "Recent drivers hand management work to firmware on the GPU. Where it stalls, calls that go "
               "through it wait: "
               "start-up, memory registration, NVML.",
       .moves = "launch -, init x",
       .confirms = "an RPC timeout or Xid 119 or 120 in the kernel log; NVreg_EnableGpuFirmware=0 recovers "
                   "(proprietary "
                   "module only)",
       .excludes = "the firmware is off",
       .confused_with = {{"persistence_mode_off", "does persistence mode recover?"},
                         {"driver_regression",
                          "does switching the firmware off recover with the same driver?"}},
       .next = "nvidia-smi -q | grep GSP; dmesg | grep -iE 'rpc|xid'; update within the driver's branch; "
               "only the proprietary module can work without the firmware: NVreg_EnableGpuFirmware=0",
       .reading = {"https://docs.nvidia.com/deploy/xid-errors/index.html",
                   "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/820"},
       .examine = examine_gsp},
      {.name = "eager_module_loading",
       .title = "CUDA_MODULE_LOADING=EAGER loads every kernel at the start",
       .what = "Since CUDA 11.7 kernels are loaded when they are first used. With EAGER all of them are "
               "loaded at the start, "
               "which costs seconds and memory with large libraries.",
       .moves = "init --, first_launch -, gemm16 0",
       .confirms = "the variable is set, only the start is slower; LAZY recovers",
       .excludes = "the start is not slower",
       .confused_with = {{"ptx_jit_startup", "is CUDA_MODULE_LOADING=EAGER set?"},
                         {"persistence_mode_off", "is CUDA_MODULE_LOADING=EAGER set?"}},
       .severity = Severity::note,
       .next = "unset CUDA_MODULE_LOADING; time the start again",
       .reading = {"https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#lazy-loading"},
       .examine = examine_eager},
  };
}

}  // namespace gpugauge::diagnose
