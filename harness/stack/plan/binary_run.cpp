// Whether GPU code can run on a compute capability: NVIDIA's rules of binary and PTX compatibility (CUDA
// Programming Guide, "Compute Capabilities" and "Application Compatibility").
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/compat/version.hpp"
#include "stack/plan/binary.hpp"
#include "stack/plan/plan_gpu_models.hpp"

namespace gpugauge::stack {
namespace {

enum class Outcome { machine_code, compiled, driver_unknown, driver_old, nothing };

struct Choice {
  Outcome outcome = Outcome::nothing;
  const GpuCode* code = nullptr;
};

/// Whether the driver compiles this PTX; nullopt if its version is unknown.
std::optional<bool> driver_compiles(const GpuCode& code, const std::string& driver_cuda) {
  const auto driver = Version::parse(driver_cuda);
  if (!driver) return std::nullopt;
  const auto first = Version::parse(cuda_of_ptx(code.ptx_isa));
  if (!first) return std::nullopt;
  return *driver >= *first;
}

/// The code the driver uses from a container: the nearest machine code, else the newest PTX.
Choice choose(const CodeSet& set, int major, int minor, const std::string& driver_cuda) {
  Choice best;
  const auto better = [&](const GpuCode& code) {
    return best.code == nullptr || code.architecture > best.code->architecture ||
           (code.architecture == best.code->architecture && code.suffix != '\0');
  };
  for (const GpuCode& code : set) {
    if (!code.ptx && fits(code, major, minor) && better(code)) best = {Outcome::machine_code, &code};
  }
  if (best.code != nullptr) return best;
  for (const GpuCode& code : set) {
    if (!code.ptx || !fits(code, major, minor) || !better(code)) continue;
    const auto compiles = driver_compiles(code, driver_cuda);
    best = {!compiles ? Outcome::driver_unknown : *compiles ? Outcome::compiled : Outcome::driver_old, &code};
  }
  return best;
}

struct Tally {
  std::uint64_t machine_code = 0;
  std::uint64_t compiled = 0;
  std::uint64_t driver_unknown = 0;
  std::uint64_t driver_old = 0;
  std::uint64_t nothing = 0;
  CodeSet used;
  const GpuCode* refused = nullptr;  ///< PTX that this driver does not support
  std::uint64_t total() const { return machine_code + compiled + driver_unknown + driver_old + nothing; }
};

Tally count(const BinaryReport& report, int major, int minor, const std::string& driver_cuda) {
  Tally tally;
  for (const auto& [set, containers] : report.codes.sets) {
    const Choice choice = choose(set, major, minor, driver_cuda);
    switch (choice.outcome) {
      case Outcome::machine_code:
        tally.machine_code += containers;
        break;
      case Outcome::compiled:
        tally.compiled += containers;
        break;
      case Outcome::driver_unknown:
        tally.driver_unknown += containers;
        break;
      case Outcome::driver_old:
        tally.driver_old += containers;
        tally.refused = choice.code;
        break;
      case Outcome::nothing:
        tally.nothing += containers;
        break;
    }
    if (choice.code != nullptr && choice.outcome != Outcome::driver_old) tally.used.insert(*choice.code);
  }
  return tally;
}

std::string ptx_version(const GpuCode& code) {
  return code.ptx_isa == 0 ? "" : fmt::format(" (PTX {}.{})", code.ptx_isa / 10, code.ptx_isa % 10);
}

std::string names(const CodeSet& codes) {
  std::vector<std::string> texts;
  for (const GpuCode& code : codes) texts.push_back(code.text());
  return fmt::format("{}", fmt::join(texts, " "));
}

/// "all of its code", "30 of its 2775 code containers".
std::string share(std::uint64_t part, std::uint64_t whole) {
  return part == whole ? "all of its code" : fmt::format("{} of its {} code containers", part, whole);
}

constexpr const char* compiling_cost =
    "the driver compiles the PTX at the first launch, which takes from under a second to minutes with the "
    "amount of "
    "code, and keeps the result in its compute cache (CUDA_CACHE_PATH, else ~/.nv/ComputeCache); while the "
    "cache "
    "holds it, later starts do not compile";

/// Why nothing in the file starts on any GPU; "" if nothing prevents it.
std::string against(const BinaryReport& report, const RunQuestion& question) {
  if (!question.machine.empty() && !report.machine.empty() && report.machine != question.machine)
    return fmt::format("it is a program for {}, and this machine is {}", report.machine, question.machine);
  const auto runtime = Version::parse(report.runtime_version);
  const auto driver = Version::parse(question.driver_cuda);
  if (runtime && driver && runtime->major() > driver->major()) {
    return fmt::format(
        "its CUDA runtime is {} and the driver supports CUDA up to {}: the first CUDA call fails with error "
        "35, "
        "cudaErrorInsufficientDriver",
        report.runtime_version, question.driver_cuda);
  }
  return "";
}

std::string too_new(const GpuCode& code, const RunQuestion& question) {
  return fmt::format("{}{} needs a driver of CUDA {} or newer, and this one supports {}", code.text(),
                     ptx_version(code), cuda_of_ptx(code.ptx_isa), question.driver_cuda);
}

void judge(const Tally& tally, const BinaryReport& report, const RunQuestion& question, RunAnswer& answer) {
  using Way = RunAnswer::Way;
  const std::string& cc = answer.compute_capability;
  const std::uint64_t all = tally.total();
  const std::uint64_t runs = tally.machine_code + tally.compiled;
  if (tally.driver_unknown > 0) {
    answer.way = Way::unknown;
    answer.sentence = fmt::format(
        "for compute capability {} there is only PTX in {}, and whether the driver compiles it is not known",
        cc, share(tally.driver_unknown, all));
    answer.first_launch = compiling_cost;
    return;
  }
  if (runs == 0 && tally.refused == nullptr && report.kind == BinaryKind::shared_library) {
    // CUDA 13's cuFFT has one container, for sm_75, and links its kernels on demand.
    answer.way = Way::unknown;
    answer.sentence = fmt::format(
        "the code that nvcc packed into it is for {} only, and launches of that fail on compute capability "
        "{} with error 209, cudaErrorNoKernelImageForDevice; a library that carries kernels in a form of its "
        "own, or links them at run time as cuFFT does, can work all the same, which the file does not tell",
        names(report.codes.all()), cc);
    return;
  }
  if (runs == 0) {
    answer.way = Way::no;
    answer.sentence =
        tally.refused != nullptr
            ? fmt::format(
                  "for compute capability {} there is only PTX, and {}: launches of it fail with error 222, "
                  "cudaErrorUnsupportedPtxVersion",
                  cc, too_new(*tally.refused, question))
            : fmt::format(
                  "it holds nothing for compute capability {}, only {}: launches of it fail with error 209, "
                  "cudaErrorNoKernelImageForDevice",
                  cc, names(report.codes.all()));
    return;
  }
  if (runs < all) {
    answer.way = Way::partly;
    answer.sentence = fmt::format("{} can run on compute capability {}", share(runs, all), cc);
    if (tally.refused != nullptr)
      answer.sentence +=
          fmt::format("; in {}, {}", share(tally.driver_old, all), too_new(*tally.refused, question));
    if (tally.nothing > 0)
      answer.sentence += fmt::format(
          "; containers with code for other GPUs only: {}, which is usual where a library has one kernel for "
          "each "
          "kind of GPU, and fails at launch where it has not",
          tally.nothing);
  } else if (tally.compiled > 0) {
    answer.way = Way::compiled;
    answer.sentence =
        fmt::format("it runs on compute capability {} after the driver has compiled the PTX of {}", cc,
                    share(tally.compiled, all));
  } else {
    answer.way = Way::machine_code;
    answer.sentence = fmt::format("it holds machine code for compute capability {}", cc);
  }
  answer.first_launch = tally.compiled > 0
                            ? compiling_cost
                            : "nothing to compile: the machine code is loaded when it is first used";
}

}  // namespace

bool fits(const GpuCode& code, int major, int minor) {
  const int code_major = code.architecture / 10;
  const int code_minor = code.architecture % 10;
  if (code.suffix == 'a') return code_major == major && code_minor == minor;
  const bool same_major = code_major == major && code_minor <= minor;
  if (code.suffix == 'f') return same_major;
  if (code.ptx) return code.architecture <= major * 10 + minor;
  const int gpu = major * 10 + minor;
  // Machine code for a system-on-chip's GPU does not run on a desktop GPU of the same major version, nor the
  // reverse.
  if (is_tegra(code.architecture) || is_tegra(gpu)) return code.architecture == gpu;
  return same_major;
}

std::vector<RunAnswer> can_run(const BinaryReport& report, const RunQuestion& question) {
  std::vector<RunAnswer> answers;
  const std::string obstacle = against(report, question);
  for (const std::string& text : question.compute_capabilities) {
    RunAnswer answer{text, RunAnswer::Way::unknown, {}, "", ""};
    const auto capability = Version::parse(text);
    if (!capability) {
      answer.sentence = fmt::format("\"{}\" is no compute capability", text);
    } else if (!obstacle.empty()) {
      answer.way = RunAnswer::Way::no;
      answer.sentence = obstacle;
    } else if (report.codes.sets.empty()) {
      answer.way = RunAnswer::Way::no_gpu_code;
      answer.sentence = report.problem.empty() ? "it carries no GPU code of its own"
                                               : fmt::format("no GPU code was found: {}", report.problem);
    } else {
      const Tally tally = count(report, capability->major(), capability->minor(), question.driver_cuda);
      for (const GpuCode& code : tally.used)
        answer.uses.push_back(code.ptx ? code.text() + ptx_version(code) : code.text());
      judge(tally, report, question, answer);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gpugauge::stack
