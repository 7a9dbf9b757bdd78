// Version numbers as NVIDIA, distributions and Python write them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// Dotted decimal numbers: "580.65.06", "13.0", "9". Comparisons ignore leading zeros ("65.06" == "65.6") and
/// treat missing parts as 0 ("12" == "12.0").
class Version {
 public:
  Version() = default;
  /// The first part is the major version; no part is negative.
  explicit Version(std::vector<int> parts) : parts_(std::move(parts)) {}
  /// Parses the longest dotted number at the start of the text, after an optional "v" or "R". Ignores a
  /// suffix ("+cu128", "-1", "a0"). nullopt if no number comes first or a part has more than nine digits.
  static std::optional<Version> parse(std::string_view text);

  /// 0 for a part that is missing.
  int part(std::size_t index) const { return index < parts_.size() ? parts_[index] : 0; }
  int major() const { return part(0); }               ///< 0 for an empty version
  int minor() const { return part(1); }               ///< 0 if it is missing
  std::size_t size() const { return parts_.size(); }  ///< number of written parts: 2 for "12.0"
  /// The first `count` parts: (580.65.06).first(1) -> 580.
  Version first(std::size_t count) const;
  /// True if the parts are equal as far as the shorter version goes: 12 covers 12.8.
  bool covers(const Version& other) const;
  /// "13.0"; parts of a driver version have two digits, as NVIDIA writes them: "580.65.06", "430.09".
  std::string text() const;

  std::strong_ordering operator<=>(const Version& other) const;  ///< part by part; a missing part counts as 0
  /// Compares as <=> does: 12 == 12.0.
  bool operator==(const Version& other) const { return std::is_eq(*this <=> other); }

 private:
  std::vector<int> parts_;
};

/// Converts a library's numeric version to text: cuDNN 91200 -> "9.12.0" and 8907 -> "8.9.7"; NCCL 22703 ->
/// "2.27.3" and 2708 -> "2.7.8"; CUDA 13000 -> "13.0". "" for a number that fits no scheme.
std::string cuda_version_of(int number);
std::string cudnn_version_of(int number);
std::string nccl_version_of(int number);

}  // namespace gpugauge::stack
