#include "report/status.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/digest.hpp"
#include "report/format.hpp"
#include "report/stored_verdict.hpp"
#include "result/build.hpp"
#include "result/counted.hpp"
#include "result/json_array.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

using judge::ExitCode;
using judge::Standing;
using nlohmann::ordered_json;

/// node-problem-detector cuts a plugin's message at 80 bytes.
constexpr std::size_t short_line = 80;
/// An explanation of why no GPU is usable is longer than most sentences.
constexpr std::size_t whole_reason = 1000;

Tone tone(ExitCode code) {
  return code == ExitCode::pass ? Tone::good : code == ExitCode::regressed ? Tone::bad : Tone::doubt;
}

std::string age(const Standing& one) {
  if (!one.age_seconds) return "";
  return *one.age_seconds < 0 ? "dated in the future" : duration(*one.age_seconds) + " ago";
}

std::string finding(const Standing& one) {
  if (!one.stored || one.stored->findings.empty()) return "";
  const judge::StoredFinding& first = one.stored->findings.front();
  return fmt::format("{} ({:.2f})", first.cause, first.score);
}

/// The reason without the word that already precedes it. Most stored sentences begin with it, and their files
/// do not tell which.
std::string reason(const Standing& one) {
  const std::string lead = one.word + ": ";
  const bool plain_word = one.code != ExitCode::regressed && one.reason.starts_with(lead);
  return plain_word ? one.reason.substr(lead.size()) : one.reason;
}

std::string line_of(const Standing& one, const Terminal& terminal) {
  std::string out = fmt::format("{}: {}", tame(one.label), terminal.paint(one.word, tone(one.code)));
  for (const std::string& part : {age(one), finding(one)})
    if (!part.empty()) out += ", " + tame(part);
  out += ": " + tame(reason(one), whole_reason);
  if (!one.against.empty() && one.stored)
    out += fmt::format("; then it was: {}", tame(one.stored->outcome.sentence));
  return out + "\n";
}

const Standing* gravest(const judge::Status& status) {
  const auto found = std::find_if(status.devices.begin(), status.devices.end(),
                                  [&](const Standing& one) { return one.code == status.outcome.code; });
  return found == status.devices.end() ? nullptr : &*found;
}

/// "GPU-1234...: regressed, 3 h ago: hbm_thermal (0.82)".
std::string short_text(const judge::Status& status) {
  const Standing* worst = gravest(status);
  if (worst == nullptr) return tame(status.outcome.sentence, short_line) + "\n";
  const auto older = [](const Standing& a, const Standing& b) {
    return a.age_seconds.value_or(0) < b.age_seconds.value_or(0);
  };
  if (status.outcome.code == ExitCode::pass)
    return fmt::format("pass: {}, {}\n", result::counted(status.devices.size(), "device"),
                       age(*std::max_element(status.devices.begin(), status.devices.end(), older)));
  const std::string cause = worst->against.empty() ? finding(*worst) : "";
  const std::string text =
      fmt::format("{}: {}: {}", worst->device, worst->word, cause.empty() ? reason(*worst) : cause);
  const std::string one_line = tame(text, std::max<std::size_t>(text.size(), 1));
  if (one_line.size() <= short_line) return one_line + "\n";
  std::size_t end = short_line - 3;
  while (end > 0 && (static_cast<unsigned char>(one_line[end]) & 0xC0U) == 0x80U)
    --end;  // inside a character
  return one_line.substr(0, end) + "...\n";
}

ordered_json json_of(const Standing& one) {
  ordered_json out{{"device", one.device}, {"label", one.label},   {"exit_code", static_cast<int>(one.code)},
                   {"word", one.word},     {"reason", one.reason}, {"against", one.against}};
  if (one.age_seconds) out["age_seconds"] = *one.age_seconds;
  if (one.stored) out["stored"] = ordered_json::parse(to_json(*one.stored));
  return out;
}

}  // namespace

std::string draw(const judge::Status& status, judge::ExitStyle style, const Terminal& terminal) {
  if (style == judge::ExitStyle::npd) return short_text(status);
  std::string out;
  if (style == judge::ExitStyle::nagios)
    out = fmt::format("GPUGAUGE {} - {}\n", judge::nagios_word(static_cast<int>(status.outcome.code)),
                      tame(status.outcome.sentence, whole_reason));
  for (const Standing& one : status.devices) out += line_of(one, terminal);
  for (const std::string& remark : status.remarks) out += tame(remark) + "\n";
  // After a '|' Nagios expects performance data.
  if (style == judge::ExitStyle::nagios) std::replace(out.begin(), out.end(), '|', '/');
  return out;
}

std::string to_json(const judge::Status& status) {
  ordered_json devices = result::array_of(status.devices, json_of);
  return result::dump_json(
      {{"schema", status_schema},
       {"gpugauge", result::build().version},
       {"commit", result::build().commit},
       {"host", status.host},
       {"outcome",
        {{"exit_code", static_cast<int>(status.outcome.code)}, {"sentence", status.outcome.sentence}}},
       {"remarks", status.remarks},
       {"devices", std::move(devices)}});
}

}  // namespace gpugauge::report
