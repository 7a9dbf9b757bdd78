// Derives the GPU state and its explanation from the evidence.
#include "stack/conclude.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/cuda_error.hpp"
#include "stack/sentences.hpp"

namespace gpugauge::stack {
namespace {

constexpr int stub_library = 34;
constexpr int no_device = 100;

int major_of(const std::string& version) {
  return version.empty() ? 0 : std::atoi(version.c_str());  // NOLINT(cert-err34-c): our own build's "13.0.88"
}

/// Facts that every state shares.
GpuReport basics(const Hardware& hardware) {
  GpuReport report;
  report.nvidia_hardware = hardware.any();
  report.kernel_module_version = hardware.module_version;
  report.kernel_module_kind = hardware.module_kind;
  report.driver_version = hardware.module_version;
  return report;
}

/// True if the kernel side is missing, and libcuda gave no code that needs a working kernel driver.
bool kernel_side_missing(const Evidence& e) {
  constexpr std::array from_a_living_driver{2, 46, 801, 802, 803, 804, 805};
  const bool alive = std::find(from_a_living_driver.begin(), from_a_living_driver.end(), e.cuda.code) !=
                     from_a_living_driver.end();
  if (e.hardware.wsl || alive || e.nvml.devices > 0) return false;
  const bool no_module = !e.hardware.pci.empty() && !e.hardware.module_loaded;
  const bool no_node = e.hardware.nodes.empty() && !e.hardware.control_node;
  return no_module || no_node;
}

GpuState state_of(const Evidence& e) {
  if (e.cuda.code == 0 && !e.cuda.gpus.empty()) {
    const bool too_old = e.cuda.version > 0 && e.cuda.version / 1000 < major_of(e.build_cuda);
    return too_old ? GpuState::driver_too_old : GpuState::usable;
  }
  // A sandbox may hide /sys and /proc while NVML works.
  if (!e.hardware.any() && e.nvml.devices == 0) return GpuState::no_hardware;
  if (kernel_side_missing(e)) return GpuState::no_driver;
  if (!e.cuda.library.opened || e.cuda.code == stub_library) return GpuState::no_library;
  if (e.cuda.code == no_device || e.cuda.code == 0) return GpuState::no_device;
  return GpuState::error;
}

std::string explain(GpuState state, const Evidence& e) {
  switch (state) {
    case GpuState::usable:
      return "";
    case GpuState::no_hardware:
      return explain_no_hardware(e);
    case GpuState::no_driver:
      return explain_no_driver(e);
    case GpuState::no_library:
      return explain_no_library(e);
    case GpuState::driver_too_old:
      return explain_driver_too_old(e);
    case GpuState::no_device:
      return explain_no_device(e);
    case GpuState::error:
      break;
  }
  return explain_error(e);
}

std::string last_words(const std::string& text) {
  std::string line = last_line(text).substr(0, 200);
  if (line.empty()) return "nothing";
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e)
      c = '?';  // it may be anything
  }
  return "\"" + line + "\"";
}

std::string driver_named(const Hardware& hardware) {
  if (hardware.module_version.empty())
    return hardware.module_loaded ? "the NVIDIA driver" : "NVIDIA's driver library";
  return "the NVIDIA driver " + hardware.module_version;
}

}  // namespace

std::string cuda_version_text(int version) {
  return version <= 0 ? "" : fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

GpuReport conclude(const Evidence& e) {
  GpuReport report = basics(e.hardware);
  report.gpus = e.cuda.gpus;
  report.code = e.cuda.code;
  report.libcuda_path = e.cuda.library.path;
  report.libcuda_version = e.cuda.library.version;
  report.driver_cuda_version = cuda_version_text(e.cuda.version);
  if (report.driver_version.empty()) report.driver_version = e.nvml.driver_version;
  if (!report.gpus.empty() || e.nvml.devices > 0) report.nvidia_hardware = true;
  report.state = state_of(e);
  report.explanation = explain(report.state, e);
  return report;
}

GpuReport conclude_without_answer(const Hardware& hardware, const ChildResult& child, double limit_seconds) {
  GpuReport report = basics(hardware);
  report.state = GpuState::error;
  const std::string seen = found_text(hardware);
  if (!child.start_error.empty()) {
    report.explanation = fmt::format(
        "GPUs could not be looked for: the process that asks the driver could not be started ({}). {} Next: "
        "check that "
        "the gpugauge executable may be run and that the process limit (ulimit -u) is not reached.",
        child.start_error, seen);
  } else if (child.timed_out) {
    report.explanation = fmt::format(
        "Starting CUDA hangs: {} did not answer within {:g} s and the process that asked it was ended{}. {} "
        "Next: read "
        "the kernel log (sudo dmesg | grep -E 'NVRM|Xid'), check whether nvidia-smi hangs, too "
        "(without persistence mode each GPU is started anew, which takes seconds), and reboot the node or "
        "reset the GPU if it does.",
        driver_named(hardware), limit_seconds,
        child.unkillable ? ", but it waits inside the kernel and could not be killed" : "", seen);
  } else if (child.signal) {
    report.explanation = fmt::format(
        "Starting CUDA crashes: the process that asked {} died from signal {} ({}); its last words were {}. "
        "{} Next: "
        "check LD_PRELOAD and LD_LIBRARY_PATH for a foreign or broken libcuda.so.1, then reinstall the "
        "driver.",
        driver_named(hardware), *child.signal, ::strsignal(*child.signal), last_words(child.err), seen);
  } else {
    report.explanation = fmt::format(
        "GPUs could not be looked for: the process that asks the driver ended with {} and no "
        "readable report; "
        "it printed {} and, as an error, {}. {} Next: reinstall GPUGauge, and check LD_PRELOAD for a library "
        "that "
        "prints or exits.",
        child.exit_code ? fmt::format("exit code {}", *child.exit_code) : "an exit status that is unknown",
        last_words(child.out), last_words(child.err), seen);
  }
  return report;
}

}  // namespace gpugauge::stack
