#include "conductor/diagnosed.hpp"

#include <string>
#include <string_view>

#include "result/shell_word.hpp"

namespace gpugauge::conductor {
namespace {

constexpr std::string_view any_gpu = "-i GPU";

/// Whether the word that `any_gpu` ends with ends there: "GPU-1234" is a UUID already.
bool ends_at(const std::string& text, std::size_t end) {
  return end == text.size() || std::string_view(" ;,.)").find(text[end]) != std::string_view::npos;
}

std::string naming(const std::string& uuid, std::string text) {
  const std::string named = "-i " + result::shell_word(uuid);
  for (std::size_t at = text.find(any_gpu); at != std::string::npos; at = text.find(any_gpu, at + 1))
    if (ends_at(text, at + any_gpu.size())) text.replace(at, any_gpu.size(), named);
  return text;
}

}  // namespace

diagnose::Diagnosis diagnosed(const report::DeviceReport& device) {
  diagnose::Diagnosis out = diagnose::diagnose(*device.observation);
  const std::string uuid = device.rounds.empty() ? "" : device.rounds.front().device;
  if (!uuid.starts_with("GPU-")) return out;
  for (diagnose::Finding& finding : out.findings)
    for (std::string& step : finding.next) step = naming(uuid, std::move(step));
  return out;
}

}  // namespace gpugauge::conductor
