// The last verdict of a device as a file: "gpugauge.verdict/1" (docs/schema/verdict.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "judge/stored_verdict.hpp"
#include "report/summary.hpp"

namespace gpugauge::report {

inline constexpr std::string_view verdict_schema = "gpugauge.verdict/1";
/// The most metrics that a stored verdict names.
inline constexpr std::size_t stored_metrics_most = 5;

/// The stored part of a device's measurement and judgement. The caller adds what the report does not know:
/// when it finished, its selection, where the GPU is, and what the kernel shows.
judge::StoredVerdict stored_verdict(const DeviceReport& device);

/// JSON text for parse_stored_verdict.
std::string to_json(const judge::StoredVerdict& verdict);
/// Throws result::FormatError that names the place. `origin` names the text in it.
judge::StoredVerdict parse_stored_verdict(const std::string& text, const std::string& origin);

}  // namespace gpugauge::report
