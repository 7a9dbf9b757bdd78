#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/error.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/plan/plan.hpp"

namespace gpugauge::stack {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    parts.push_back(stripped(text.substr(start, end - start)));
    start = end + 1;
  }
  return parts;
}

/// Shortens user input for a sentence and removes control characters.
std::string in_quotes(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return "'" + shown + (text.size() > 40 ? "...'" : "'");
}

/// An example of this layer's version format.
std::string_view example(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> versions{{{"driver", "570.86.10"},
                                                                                    {"vgpu_host", "580"},
                                                                                    {"cuda", "12.8"},
                                                                                    {"gcc", "13.2"},
                                                                                    {"clang", "18.1"},
                                                                                    {"cudnn", "9.7.1"},
                                                                                    {"nccl", "2.25.1"},
                                                                                    {"python", "3.12"},
                                                                                    {"torch", "2.8"},
                                                                                    {"tensorflow", "2.18"},
                                                                                    {"jax", "0.5.3"},
                                                                                    {"onnxruntime", "1.21"},
                                                                                    {"tensorrt", "10.8"},
                                                                                    {"cupy", "13.4"},
                                                                                    {"vllm", "0.9.1"}}};
  const auto found =
      std::find_if(versions.begin(), versions.end(), [&](const auto& one) { return one.first == key; });
  return found == versions.end() ? "1.2" : found->second;
}

[[noreturn]] void refuse(std::string_view option, const std::string& why) {
  throw result::UsageError(fmt::format("{}: {}", option, why));
}

Version version_from(std::string_view key, std::string_view text, std::string_view option) {
  // The whole text must be the version: no table row can mean "12.8-beta".
  const bool numeric = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto version = numeric ? Version::parse(text) : std::nullopt;
  const bool whole = version && text.back() != '.' && text.find("..") == std::string_view::npos;
  if (!whole || version->size() > 4)
    refuse(option, fmt::format("{} of {} is not a version such as {}", in_quotes(text), key, example(key)));
  // A driver branch can be requested alone, and a compiler's major version is enough; for other layers it is
  // not.
  if (version->size() < 2 && key != "driver" && key != "vgpu_host" && key != "gcc" && key != "clang")
    refuse(option, fmt::format("{}={} names only a major version; give the minor one too, such as {}={}.1",
                               key, text, key, text));
  return *version;
}

GpuModel model_from(std::string_view text, std::string_view option) {
  if (auto model = gpu_model(text)) return *model;
  std::vector<std::string> names = gpu_model_names();
  names.resize(std::min<std::size_t>(names.size(), 12));
  refuse(option, fmt::format("no GPU {} is known; name a model ({}, ...) or a compute capability such as 9.0",
                             in_quotes(text), fmt::join(names, ", ")));
}

}  // namespace

const std::vector<std::string>& plan_keys() {
  static const std::vector<std::string> keys{"driver", "vgpu_host",   "cuda",     "gcc",   "clang",
                                             "cudnn",  "nccl",        "python",   "torch", "tensorflow",
                                             "jax",    "onnxruntime", "tensorrt", "cupy",  "vllm"};
  return keys;
}

std::optional<Version> PlanRequest::version(const std::string& key) const {
  const auto found = versions.find(key);
  if (found == versions.end()) return std::nullopt;
  return found->second;
}

PlanRequest parse_plan(std::string_view plan, std::string_view gpus, std::string_view driver,
                       std::string_view option) {
  PlanRequest request;
  if (stripped(plan).empty())
    refuse(option, fmt::format("nothing is planned; write for example driver=570,cuda=12.8,torch=2.8 "
                               "(layers: {}, gpu)",
                               fmt::join(plan_keys(), ", ")));
  for (const std::string_view part : split(plan, ",")) {
    const auto equals = part.find('=');
    if (part.empty()) refuse(option, "there is nothing between two commas");
    if (equals == std::string_view::npos)
      refuse(option, fmt::format("{} has no '='; write key=version", in_quotes(part)));
    const std::string key(stripped(part.substr(0, equals)));
    const std::string_view value = stripped(part.substr(equals + 1));
    if (key == "gpu") {
      if (!request.gpus.empty()) refuse(option, "gpu stands twice; join models with '+'");
      for (const std::string_view name : split(value, "+")) request.gpus.push_back(model_from(name, option));
      continue;
    }
    if (std::find(plan_keys().begin(), plan_keys().end(), key) == plan_keys().end())
      refuse(option,
             fmt::format("{} is no layer; known are {}, gpu", in_quotes(key), fmt::join(plan_keys(), ", ")));
    if (!request.versions.emplace(key, version_from(key, value, option)).second)
      refuse(option, fmt::format("{} stands twice", key));
  }
  if (!stripped(gpus).empty()) {
    if (!request.gpus.empty())
      throw result::UsageError(fmt::format("--gpu and gpu= in {} both name a GPU; give one of them", option));
    for (const std::string_view name : split(gpus, ",+")) request.gpus.push_back(model_from(name, option));
  }
  request.driver_given = !stripped(driver).empty();
  if (request.driver_given &&
      !request.versions.emplace("driver", version_from("driver", stripped(driver), option)).second)
    throw result::UsageError(
        fmt::format("--driver and driver= in {} both name a driver; give one of them", option));
  return request;
}

}  // namespace gpugauge::stack
