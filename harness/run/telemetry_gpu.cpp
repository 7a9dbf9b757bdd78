// The parent's side of GPU telemetry: starts the child and reads its lines.
#include "run/telemetry_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "result/error.hpp"
#include "result/gpu_health.hpp"
#include "result/gpu_series.hpp"

namespace gpugauge::run {
namespace {

constexpr std::size_t longest_line = 1U << 20U;

ChildOptions child_options(std::function<void(std::string_view)> receive) {
  ChildOptions options;
  options.limit_seconds = std::numeric_limits<double>::infinity();
  options.grace_seconds = 1;
  options.give_up_seconds = .5;
  options.end_descendants = false;  // families run beside it; their orphans are not its own
  options.on_output = std::move(receive);
  return options;
}

bool is_uuid(const std::string& text) {
  return !text.empty() && text.size() <= 96 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

/// Adds the values of an element of "gpus"; false for anything else.
bool read_gpu(const nlohmann::json& gpu, TelemetryLine& out) {
  const auto uuid = gpu.is_object() ? gpu.find("uuid") : gpu.end();
  if (uuid == gpu.end() || !uuid->is_string() || !is_uuid(uuid->get<std::string>())) return false;
  if (gpu.contains("lost") && out.lost.empty()) out.lost = uuid->get<std::string>();
  for (const auto& [name, entry] : gpu.items()) {
    if (name == "uuid") continue;
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) return false;
    out.values.push_back({uuid->get<std::string>(), name, entry.get<double>()});
  }
  return true;
}

}  // namespace

std::optional<TelemetryLine> parse_telemetry_line(const std::string& line) {
  const auto value = nlohmann::json::parse(line, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  TelemetryLine out;
  if (const auto error = value.find("error"); error != value.end() && error->is_string()) {
    out.error = result::one_line(error->get<std::string>());
    return out;
  }
  const auto gpus = value.find("gpus");
  if (gpus == value.end() || !gpus->is_array()) return std::nullopt;
  const bool all =
      std::all_of(gpus->begin(), gpus->end(), [&](const auto& gpu) { return read_gpu(gpu, out); });
  return all ? std::optional(std::move(out)) : std::nullopt;
}

const std::vector<GpuQuantity>& gpu_quantities() {
  static const std::vector<GpuQuantity> quantities{
      {"sm_clock_hz", "hertz"},
      {"memory_clock_hz", "hertz"},
      {"power_watts", "watt"},
      {"temperature_celsius", "celsius"},
      {"utilization", "1"},
      {"memory_utilization", "1"},
      {"throttle_reasons", "1"},
      {"performance_state", "1"},
      {"pcie_generation", "1"},
      {"pcie_width", "1"},
      {"memory_used_bytes", "byte"},
      {"persistence", "1"},
      {"pcie_generation_max", "1"},
      {"pcie_width_max", "1"},
      {"memory_temperature_celsius", "celsius"},
      {"nvlinks_active", "1"},
      {"nvlinks_down", "1"},
      {"nvlinks_to_switch", "1"},
      {"nvlink_bytes_per_second", "byte/second"},
      {result::lost_series, "1"},
      {result::processes_before_series, "1"},
      {result::utilization_before_series, "1"},
      {result::remap_failed.fact, "1"},
      {result::remap_pending.fact, "1"},
      {result::retired_pages_pending.fact, "1"},
      {result::ecc_uncorrected.fact, "1"},
      {result::ecc_meanwhile_series, "1"},
      {result::xid_series, "1"},
      {result::remapped_correctable_series, "1"},
      {result::remapped_uncorrectable_series, "1"},
  };
  return quantities;
}

Command telemetry_command() {
  return {"/proc/self/exe", {"probe", "telemetry", "--interval", "0.5"}, {}};
}

GpuTelemetry::GpuTelemetry(Loop& loop, Options options, std::function<double()> now)
    : loop_(loop), options_(std::move(options)), now_(std::move(now)), patience_(loop) {
  child_.emplace(loop_, options_.command, child_options([this](std::string_view bytes) { receive(bytes); }));
  patience_.once(options_.first_answer_seconds, [this] {
    if (last_answer_ < 0 && !child_->ended())
      fail(
          fmt::format("No GPU telemetry: NVML gave no answer within {:g} s; `nvidia-smi` will show whether "
                      "the driver hangs.",
                      options_.first_answer_seconds));
  });
}

void GpuTelemetry::receive(std::string_view bytes) {
  if (!reading_) return;
  pending_ += bytes;
  for (auto end = pending_.find('\n'); reading_ && end != std::string::npos; end = pending_.find('\n')) {
    read_line(pending_.substr(0, end));
    pending_.erase(0, end + 1);
  }
  if (reading_ && pending_.size() > longest_line)
    fail("GPU telemetry was given up: its process answered without end.");
}

void GpuTelemetry::read_line(const std::string& line) {
  const std::optional<TelemetryLine> said = parse_telemetry_line(line);
  if (!said)
    return fail(fmt::format("GPU telemetry was given up: its process answered what is no sample: {}",
                            result::one_line(line.substr(0, 80))));
  if (said->error) return fail(fmt::format("No GPU telemetry: {}", *said->error));
  if (!said->lost.empty() && remark_.empty())
    remark_ = fmt::format(
        "{} was lost meanwhile: NVML answers that the GPU is lost; look for its Xid in dmesg, "
        "and restart the machine or replace the card if it happens again.",
        said->lost);
  const double seconds = now_();
  for (const TelemetryLine::Value& one : said->values) add(one.uuid, one.name, one.value, seconds);
  last_answer_ = seconds;
}

void GpuTelemetry::add(const std::string& uuid, const std::string& name, double value, double seconds) {
  const auto& quantities = gpu_quantities();
  const auto quantity =
      std::find_if(quantities.begin(), quantities.end(), [&](const auto& one) { return one.name == name; });
  if (quantity == quantities.end()) return;
  const bool before = name == result::processes_before_series || name == result::utilization_before_series;
  if (before && work_began_) return;
  const std::string source = "gpu:" + uuid;
  auto found = std::find_if(series_.begin(), series_.end(),
                            [&](const auto& one) { return one.source == source && one.name == name; });
  if (found == series_.end())
    found = series_.insert(found, {source, name, std::string(quantity->unit), {}, {}});
  found->seconds.push_back(seconds);
  found->values.push_back(value);
}

void GpuTelemetry::await_before_work(const std::function<bool()>& or_until) {
  loop_.run_for(options_.before_work_seconds,
                [&] { return last_answer_ >= 0 || !reading_ || child_->ended() || or_until(); });
  work_began_ = true;
}

void GpuTelemetry::fail(std::string remark) {
  reading_ = false;
  if (remark_.empty()) remark_ = std::move(remark);
  if (child_) child_->kill_now();
}

void GpuTelemetry::finish() {
  patience_.stop();
  const bool ended_early = child_->ended();
  const bool asks_once_more = !ended_early && reading_ && last_answer_ >= 0;
  const double now = now_();
  if (ended_early && remark_.empty()) {
    const auto& end = child_->end();
    remark_ = fmt::format("GPU telemetry ended early: its process {}.{}",
                          end.fault.empty() ? "ended by itself" : end.fault,
                          end.output.empty() ? "" : fmt::format(" It said: {}", last_line(end.output)));
  } else if (remark_.empty() && last_answer_ >= 0 && now - last_answer_ > options_.silence_seconds) {
    remark_ = fmt::format("GPU telemetry fell silent {:.0f} s before the end: NVML stopped answering.",
                          now - last_answer_);
  } else if (remark_.empty() && last_answer_ < 0) {
    remark_ = "No GPU telemetry: the run was over before NVML answered.";
  }
  if (asks_once_more) {
    child_->stop();
  } else if (!ended_early) {
    child_->kill_now();
  }
  loop_.run_until([&] { return child_->ended(); });
  reading_ = false;
}

double GpuTelemetry::cpu_seconds() const {
  return alive() ? cpu_seconds_of(child_->pid()) : 0;
}

}  // namespace gpugauge::run
