// Compares CUDA with drivers, GPUs and the C library, and holds helpers of all comparisons.
#include "stack/plan/plan_fit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "stack/plan/binary.hpp"

namespace gpugauge::stack {

const char* to_string(Fit fit) {
  switch (fit) {
    case Fit::works:
      return "works";
    case Fit::limited:
      return "works with limits";
    case Fit::fails:
      return "does not work";
    case Fit::unknown:
      break;
  }
  return "unknown";
}

std::string driver_text(const Version& driver) {
  std::string text = std::to_string(driver.major());
  for (std::size_t i = 1; i < driver.size(); ++i) text += fmt::format(".{:02}", driver.part(i));
  return text;
}

bool driver_at_least(const Version& driver, const Version& needed) {
  return driver.size() == 1 ? driver.major() >= needed.major() : driver >= needed;
}

namespace fit {

PairFit pair(std::string first, std::string second) {
  PairFit pair;
  pair.first = std::move(first);
  pair.second = std::move(second);
  return pair;
}

PairFit& works(PairFit& pair, std::string reason) {
  pair.fit = Fit::works;
  pair.reason = std::move(reason);
  return pair;
}

PairFit& unknown(PairFit& pair, std::string reason) {
  pair.fit = Fit::unknown;
  pair.reason = std::move(reason);
  return pair;
}

PairFit& judged(PairFit& pair, Fit fit, std::string limit, std::string reason, std::string remedy,
                const Source& source) {
  pair.fit = fit;
  pair.limit = std::move(limit);
  pair.reason = std::move(reason);
  pair.remedy = std::move(remedy);
  pair.sources.push_back(source.text);
  if (!source.read && fit != Fit::works) {
    pair.fit = Fit::unknown;
    pair.reason += " That row of the tables was not read in a source, so nothing is concluded from it.";
  }
  return pair;
}

}  // namespace fit

namespace {

/// The lowest native driver of a newer CUDA that this driver reaches; nullptr if there is none.
const ToolkitDriver* newer_native(const Tables& tables, const Version& driver, const Version& cuda) {
  const ToolkitDriver* best = nullptr;
  for (const ToolkitDriver& row : tables.toolkit_drivers) {
    if (row.cuda.first(2) <= cuda || !driver_at_least(driver, row.native_driver)) continue;
    if (best == nullptr || row.native_driver < best->native_driver) best = &row;
  }
  return best;
}

}  // namespace

PairFit fit_driver_cuda(const Tables& tables, const Version& driver, const Version& cuda) {
  const Version release = cuda.first(2);
  PairFit pair = fit::pair("driver " + driver_text(driver), "CUDA " + release.text());
  if (cuda.size() < 2) return fit::unknown(pair, "Only the major version of CUDA is known.");
  const ToolkitDriver* native = tables.native_driver(release);
  const MinimumDriver* minimum = tables.minimum_driver(release.major());
  if (native != nullptr && driver_at_least(driver, native->native_driver)) {
    pair.sources.push_back(native->source.text);
    return fit::works(pair, fmt::format("CUDA {} was released with driver {}; this one is not older.",
                                        release.text(), driver_text(native->native_driver)));
  }
  if (native == nullptr) {
    if (const ToolkitDriver* newer = newer_native(tables, driver, release)) {
      pair.sources.push_back(newer->source.text);
      return fit::works(pair, fmt::format("The driver is not older than {}, with which CUDA {} was released, "
                                          "and a newer driver runs what older toolkits built.",
                                          driver_text(newer->native_driver), newer->cuda.first(2).text()));
    }
  }
  const std::string wanted = native != nullptr ? driver_text(native->native_driver) : "";
  if (minimum != nullptr && !driver_at_least(driver, minimum->driver)) {
    pair.driver_needed = native != nullptr ? native->native_driver : minimum->driver;
    return fit::judged(
        pair, Fit::fails, "driver",
        fmt::format("CUDA {} programs need driver {} or newer; on this one they end with error 35 "
                    "(cudaErrorInsufficientDriver).",
                    release.major(), driver_text(minimum->driver)),
        wanted.empty() ? fmt::format("Install driver {} or newer.", driver_text(minimum->driver))
                       : fmt::format("Install driver {} or newer; from {} on it runs with limits.", wanted,
                                     driver_text(minimum->driver)),
        minimum->source);
  }
  if (minimum != nullptr && native != nullptr) {
    pair.driver_needed = native->native_driver;
    fit::judged(
        pair, Fit::limited, "driver",
        fmt::format("CUDA {} was released with driver {}. On this one its programs run by minor-version "
                    "compatibility (from {} on), but PTX that has to be compiled at run time is refused "
                    "with error 222, and functions that came with CUDA {} are missing.",
                    release.text(), wanted, driver_text(minimum->driver), release.text()),
        fmt::format("Install driver {} or newer.", wanted), minimum->source);
    pair.sources.push_back(native->source.text);
    return pair;
  }
  if (native != nullptr) {
    pair.driver_needed = native->native_driver;
    return fit::judged(
        pair, Fit::fails, "driver",
        fmt::format("CUDA {} needs driver {} or newer; minor-version compatibility begins with "
                    "CUDA 11.",
                    release.text(), wanted),
        fmt::format("Install driver {} or newer.", wanted), native->source);
  }
  const Version newest = tables.newest_known_cuda();
  return fit::unknown(pair, release > newest
                                ? fmt::format("The tables of this build end with CUDA {}.", newest.text())
                                : fmt::format("The tables have no row for CUDA {}.", release.text()));
}

std::optional<Version> related_code(const Tables& tables, const Version& cuda, const Version& capability) {
  const Version release = cuda.first(2);
  const Architecture* const own = tables.architecture(capability);
  if (own == nullptr || !own->source.read || capability.size() < 2 || release >= own->first_cuda)
    return std::nullopt;
  std::optional<Version> newest;
  for (const Architecture& row : tables.architectures) {
    const Version& built = row.compute_capability;
    const bool generated = row.source.read && release >= row.first_cuda &&
                           (!row.last_cuda || release.first(row.last_cuda->size()) <= *row.last_cuda);
    if (!generated || built.size() < 2 || built >= capability) continue;
    const GpuCode code{false, built.major() * 10 + built.part(1)};
    if (fits(code, capability.major(), capability.part(1)) && (!newest || *newest < built)) newest = built;
  }
  return newest;
}

PairFit fit_cuda_gpu(const Tables& tables, const Version& cuda, const Version& capability) {
  const Architecture* row = tables.architecture(capability);
  const Version release = cuda.first(2);
  PairFit pair = fit::pair("CUDA " + release.text(), fit::architecture_text(row, capability));
  if (row == nullptr) return fit::unknown(pair, "The tables have no row for this compute capability.");
  if (row->last_cuda && release.first(row->last_cuda->size()) > *row->last_cuda) {
    return fit::judged(pair, Fit::fails, "gpu",
                       fmt::format("CUDA {} is the last one for {}: newer toolkits and the libraries in them "
                                   "hold no code that this GPU can run.",
                                   row->last_cuda->text(), row->name),
                       fmt::format("Use CUDA {} or older with this GPU.", row->last_cuda->text()),
                       row->source);
  }
  if (const auto related = related_code(tables, cuda, capability)) {
    pair.sources.push_back(row->source.text);
    return fit::works(pair, fmt::format("CUDA {} is the first one that generates code for {}. What this one "
                                        "builds for compute capability {} runs there as machine code, not "
                                        "tuned for it.",
                                        row->first_cuda.text(), row->name, related->text()));
  }
  if (release < row->first_cuda) {
    return fit::judged(pair, Fit::limited, "cuda",
                       fmt::format("CUDA {} is the first one that generates code for {}. What older toolkits "
                                   "built runs there only where it carries PTX, which the driver compiles at "
                                   "the first launch; else it ends with error 209.",
                                   row->first_cuda.text(), row->name),
                       fmt::format("Use CUDA {} or newer.", row->first_cuda.text()), row->source);
  }
  pair.sources.push_back(row->source.text);
  return fit::works(pair, row->last_cuda ? fmt::format("{} is supported from CUDA {} to {}.", row->name,
                                                       row->first_cuda.text(), row->last_cuda->text())
                                         : fmt::format("{} is supported from CUDA {} on.", row->name,
                                                       row->first_cuda.text()));
}

PairFit fit_compiler_cuda(const Tables& tables, const std::string& compiler, const Version& version,
                          const Version& cuda) {
  const Version release = cuda.first(2);
  PairFit pair = fit::pair(compiler + " " + version.text(), "CUDA " + release.text());
  const HostCompiler* row = tables.host_compiler(compiler, cuda);
  if (row == nullptr)
    return fit::unknown(pair,
                        fmt::format("The tables have no {} limit for CUDA {}.", compiler, release.text()));
  const std::string reason =
      fmt::format("nvcc of CUDA {} accepts {} {}up to {}.", release.text(), compiler,
                  row->least ? "from " + row->least->text() + " " : "", row->most.text());
  const bool new_enough = !row->least || version >= *row->least;
  if (!new_enough || version.first(row->most.size()) > row->most) {
    return fit::judged(pair, Fit::fails, compiler, reason,
                       fmt::format("Install {} {} and name it with nvcc -ccbin.", compiler,
                                   new_enough ? row->most.major() : row->least->major()),
                       row->source);
  }
  pair.sources.push_back(row->source.text);
  return fit::works(pair, reason);
}

const Version& current_libc() {
  static const Version version({2, 28});
  return version;
}

const char* libc_source() {
  return "PEP 600 (manylinux_2_28); NVIDIA CUDA installation guide for Linux, system requirements";
}

std::optional<PairFit> fit_libc_cuda(const std::string& libc, const Version& cuda) {
  constexpr std::string_view prefix = "glibc ";
  constexpr int first_major = 13;
  if (!libc.starts_with(prefix) || cuda.major() < first_major) return std::nullopt;
  const auto version = Version::parse(std::string_view(libc).substr(prefix.size()));
  if (!version) return std::nullopt;
  PairFit pair = fit::pair(libc, "CUDA " + cuda.first(2).text());
  const std::string reason = fmt::format("CUDA 13 needs glibc {} or newer.", current_libc().text());
  if (*version < current_libc())
    return fit::judged(
        pair, Fit::fails, "system", fmt::format("{} This system has {}.", reason, version->text()),
        "Upgrade the distribution, or work in a container of a newer one.", {libc_source(), true});
  pair.sources.emplace_back(libc_source());
  return fit::works(pair, reason);
}

}  // namespace gpugauge::stack
