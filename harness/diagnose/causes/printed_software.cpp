#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

/// A list of packages names this one with a version: "onnxruntime==1.22.0", "onnxruntime  1.22.0".
bool lists_package(const std::string& line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const std::size_t behind = line.find_first_not_of(" =-", end);
    const bool whole = at == 0 || line[at - 1] == ' ';
    if (whole && behind != end && behind != std::string::npos && is_digit(line[behind])) return true;
  }
  return false;
}

/// A time in ms behind a word: "412.331ms", "1.2s", "940us".
std::optional<double> time_after(std::string_view line, std::string_view word) {
  const std::optional<double> number = number_after(line, word);
  if (!number) return std::nullopt;
  const std::string low = lower(line);
  const std::size_t at = low.find(lower(word));
  const std::size_t digit = low.find_first_of("0123456789", at + word.size());
  const std::size_t unit = low.find_first_not_of("0123456789. ", digit);
  if (unit == std::string::npos) return std::nullopt;
  constexpr double thousand = 1000;
  const std::string name = low.substr(unit, 2);
  if (name.starts_with("us")) return *number / thousand;
  if (name.starts_with("ms")) return *number;
  return name.starts_with("s") ? std::optional(*number * thousand) : std::nullopt;
}

}  // namespace

Fact only_processor_time_grew(const Seen& seen) {
  std::vector<std::pair<double, double>> sides;
  for (const std::string& line : printed_lines(seen)) {
    const std::optional<double> cpu = time_after(line, "Self CPU time total");
    const std::optional<double> gpu = time_after(line, "Self CUDA time total");
    if (cpu && gpu) sides.emplace_back(*cpu, *gpu);
  }
  constexpr double grown = 1.15;
  constexpr double alike = 1.05;
  for (const auto& [cpu, gpu] : sides)
    for (const auto& [more, same] : sides)
      if (more > grown * cpu && same < alike * gpu && gpu < alike * same)
        return fmt::format(
            "the profiler counts {:.0f} ms of the processor's own time on one side and {:.0f} on "
            "the other, and the same time of the GPU",
            cpu, more);
  return std::nullopt;
}

Fact kernels_as_before(const Seen& seen) {
  if (Fact fact = only_processor_time_grew(seen)) return fact;
  return seen.told({"kernel itself*both",        "kernel itself*same",         "kernels themselves*same",
                    "kernels themselves*both",   "kernel times*identical",     "kernel times*same",
                    "kernel time*identical",     "kernel time*same",           "kernel time*unchanged",
                    "kernel durations*same",     "kernel durations*identical", "same kernel time",
                    "kernels*as fast as before", "gaps between*grew",          "gaps between*longer",
                    "gaps between*wider",        "gap between*grew",           "GPU time*the same",
                    "CUDA time is the same",     "CUDA time*did not change"});
}

Fact many_graph_splits(const Seen& seen) {
  std::optional<double> splits;
  bool all_layers = false;
  for (const std::string& line : printed_lines(seen)) {
    if (const std::optional<double> count = number_after(line, "graph splits")) splits = count;
    const std::optional<double> layers = number_after(line, "offloaded ");
    const std::size_t slash = line.find('/', std::min(line.find("offloaded "), line.size()));
    if (layers && slash != std::string::npos) all_layers = number_after(line.substr(slash), "/") == layers;
  }
  // One part a GPU, and one for what is read in.
  constexpr double many = 10;
  if (!splits || *splits < many || !all_layers) return std::nullopt;
  return fmt::format("the graph is cut into {:g} parts, although all layers are on the GPU", *splits);
}

Fact mapped_twice(const Seen& seen) {
  std::map<std::string, std::set<std::string>> folders;
  for (const std::string& line : printed_lines(seen)) {
    // /proc/PID/maps, lsof, LD_DEBUG=libs.
    if (!contains_any(line, {" r-xp ", " r--p ", " rw-p ", " mem ", "calling init: "})) continue;
    const std::size_t path = line.find('/');
    const std::size_t name =
        line.find("/lib", line.find(".so") == std::string::npos ? std::string::npos
                                                                : line.rfind('/', line.find(".so")));
    if (path == std::string::npos || name == std::string::npos || name < path) continue;
    const std::string library = line.substr(name + 1, line.find(".so", name) - name - 1);
    if (contains_any(library, {"cublas", "cudnn", "nccl", "cudart", "cufft", "cusparse", "cusolver", "nvrtc",
                               "nvjitlink", "curand"}))
      folders[library].insert(line.substr(path, name - path));
  }
  for (const auto& [library, where] : folders)
    if (where.size() > 1)
      return fmt::format("{} is loaded from {} and from {}", library, *where.begin(), *where.rbegin());
  return std::nullopt;
}

Fact two_packages(const Seen& seen) {
  for (const std::string_view name :
       {"nvidia-cudnn-cu", "nvidia-cublas-cu", "nvidia-nccl-cu", "nvidia-cuda-runtime-cu", "nvidia-cufft-cu",
        "nvidia-cusparse-cu", "nvidia-cusolver-cu", "nvidia-cuda-nvrtc-cu", "nvidia-nvjitlink-cu"}) {
    std::set<std::string> found;
    for (const std::string& line : printed_lines(seen)) {
      const std::string low = lower(line);
      // What pip prints while it exchanges one for the other, and lists of two times.
      if (contains_any(low, {"uninstall", "found existing", "collecting", "requirement", "downloading",
                             "successfully", "before", "after", "old", "new"}))
        continue;
      for (std::size_t at = low.find(name); at != std::string::npos; at = low.find(name, at + 1)) {
        const std::string rest = low.substr(at + name.size());
        found.insert(rest.substr(0, rest.find_first_not_of("0123456789")));
      }
    }
    if (found.size() > 1)
      return fmt::format("both {}{} and {}{} are installed", name, *found.begin(), name, *found.rbegin());
  }
  return std::nullopt;
}

Fact both_onnxruntimes(const Seen& seen) {
  bool plain = false;
  bool with_cuda = false;
  for (const std::string& line : seen.it().log) {
    plain = plain || lists_package(line, "onnxruntime");
    with_cuda = with_cuda || lists_package(line, "onnxruntime-gpu");
  }
  if (!plain || !with_cuda) return std::nullopt;
  return "onnxruntime and onnxruntime-gpu are both installed, into the same folder";
}

Fact shared_memory_in_use(const Seen& seen) {
  for (const std::string& line : printed_lines(seen)) {
    const std::optional<double> shared = number_after(line, "Shared GPU memory");
    const std::optional<double> own = number_after(line, "Dedicated GPU memory");
    const std::size_t dedicated = lower(line).find("dedicated gpu memory");
    if (!shared || !own || dedicated == std::string::npos) continue;
    const std::size_t slash = line.find('/', dedicated);
    const std::optional<double> all =
        slash == std::string::npos ? std::nullopt : number_after(line.substr(slash), "/");
    constexpr double nearly_full = .9;
    constexpr double much_gb = 1;
    if (all && *own >= nearly_full * *all && *shared >= much_gb)
      return fmt::format("the GPU's memory is full, and it uses {:g} GB of the host's", *shared);
  }
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
