// Reports of a check, as far as the reading of faults needs them.
#pragma once

#include <string>

namespace gpugauge::conductor {

/// One device whose outcome has this exit code.
inline std::string report_of(int code, const std::string& verdicts, const std::string& findings) {
  return R"({"schema": "x", "outcome": {"exit_code": 1, "sentence": "whole"}, "devices": [{"device": "host",
    "outcome": {"exit_code": )" +
         std::to_string(code) +
         R"(, "sentence": "it was so"}, "disturbances": ["somebody else"], "verdicts": [)" + verdicts +
         R"(], "findings": [)" + findings + "]}]}";
}

/// One of its verdicts.
inline std::string verdict(const std::string& metric, const std::string& word, const std::string& advisory) {
  return R"({"metric": ")" + metric + R"(", "verdict": ")" + word + R"(", "advisory": )" + advisory + "}";
}

}  // namespace gpugauge::conductor
