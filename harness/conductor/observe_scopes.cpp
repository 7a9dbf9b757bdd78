#include "conductor/observe_scopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "judge/products.hpp"
#include "result/facts.hpp"
#include "result/metric_key.hpp"
#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::conductor {
namespace {

/// Bytes of an element of a product's operands; 0 for a class without products.
int element_bytes(std::string_view metric_class) {
  constexpr std::array<std::pair<std::string_view, int>, 5> widths{
      {{"gemm64", 8}, {"gemm32", 4}, {"gemmtf32", 4}, {"gemm16", 2}, {"gemm8", 1}}};
  for (const auto& [name, bytes] : widths)
    if (metric_class == name) return bytes;
  return 0;
}

/// The type that an id names. Only work that Tensor Cores can do has one: the type of other work says nothing
/// of how it is computed.
std::string type_of(const std::vector<std::string>& id, std::string_view metric_class) {
  constexpr std::array types{"bf16", "fp16", "fp8", "int8", "tf32", "fp32", "fp64"};
  if (element_bytes(metric_class) == 0 && metric_class != "conv" && metric_class != "attention") return "";
  for (const std::string& part : id)
    if (std::find(types.begin(), types.end(), part) != types.end()) return part;
  return "";
}

/// "4096x4096x64" -> its numbers; empty for anything else.
std::vector<double> sizes_in(std::string_view shape) {
  std::vector<double> out;
  while (!shape.empty()) {
    const std::size_t end = std::min(shape.find('x'), shape.size());
    const auto size = result::number_in<double>(shape.substr(0, end));
    if (!size || *size < 1) return {};
    out.push_back(*size);
    shape.remove_prefix(std::min(end + 1, shape.size()));
  }
  return out;
}

/// Tensor Core kernels load 16 bytes at a time. A size of 1 is a vector and has no row to align.
std::optional<bool> aligned(const std::vector<double>& sizes, int bytes) {
  constexpr double loaded = 16;
  if (sizes.empty() || bytes == 0) return std::nullopt;
  return std::all_of(sizes.begin(), sizes.end(),
                     [&](double size) { return size == 1 || std::fmod(size * bytes, loaded) == 0; });
}

/// "64MiB" in bytes; nullopt for anything else.
std::optional<double> bytes_in(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units{
      {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}}};
  const auto number = result::take_number<double>(text);
  for (const auto& [unit, bytes] : units)
    if (number && text == unit) return *number * bytes;
  return std::nullopt;
}

/// A product is large that fills the device, and a transfer of 1 MiB or more.
std::string size_of(const std::vector<double>& sizes, const result::Facts& parameters, int bytes) {
  constexpr double large_bytes = 1048576;
  if (const auto moved = bytes_in(result::fact(parameters, "size")))
    return *moved < large_bytes ? "small" : "large";
  if (sizes.empty() || bytes == 0) return "";
  double flops = 2 * result::number_in<double>(result::fact(parameters, "batch")).value_or(1);
  for (const double size : sizes) flops *= size;
  return flops < judge::least_product_flops ? "small" : "large";
}

std::string direction_of(const std::vector<std::string>& id, std::string_view metric_class) {
  if (metric_class != "h2d" && metric_class != "d2h") return "";
  return std::find(id.begin(), id.end(), "bidirectional") != id.end() ? "both" : std::string(metric_class);
}

std::string phase_of(const std::string& id) {
  for (const std::string_view phase : {"after_idle", "back_to_back"})
    if (id == "launch/" + std::string(phase)) return std::string(phase);
  return "";
}

}  // namespace

void add_scopes(const std::vector<result::Run>& runs, diagnose::Observation& out) {
  std::map<std::string_view, const result::Facts*> parameters;  // of each benchmark
  for (const result::Run& run : runs)
    for (const result::Process& process : run.processes)
      if (process.samples && !process.samples->context.contains("framework.version"))
        for (const result::BenchmarkResult& benchmark : process.samples->benchmarks)
          parameters.try_emplace(benchmark.id, &benchmark.parameters);
  for (diagnose::Metric& metric : out.metrics) {
    const std::string id = result::benchmark_of(metric.scope.op);
    const auto found = parameters.find(id);
    if (found == parameters.end()) continue;
    const std::vector<std::string> parts = result::split(id, '/');
    const int bytes = element_bytes(metric.metric_class);
    const std::vector<double> sizes = sizes_in(result::fact(*found->second, "shape"));
    diagnose::Scope& scope = metric.scope;
    scope.dtype = type_of(parts, metric.metric_class);
    scope.layout = metric.metric_class == "conv" ? result::fact(*found->second, "layout") : "";
    scope.size = size_of(sizes, *found->second, bytes);
    scope.aligned = aligned(sizes, bytes);
    scope.direction = direction_of(parts, metric.metric_class);
    scope.phase = phase_of(id);
  }
}

}  // namespace gpugauge::conductor
