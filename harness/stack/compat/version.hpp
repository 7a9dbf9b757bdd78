// Version numbers as NVIDIA, distributions and Python write them.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// Dotted decimal numbers: "580.65.06", "13.0", "9". Leading zeros of a part do not count ("65.06" ==
/// "65.6"); missing parts count as 0 when compared ("12" == "12.0").
class Version {
 public:
  Version() = default;
  /// The first part is the major version; none is below 0.
  explicit Version(std::vector<int> parts) : parts_(std::move(parts)) {}
  /// The longest dotted number at the beginning of the text, after an optional "v" or "R"; a suffix
  /// ("+cu128",
  /// "-1", "a0") is left out. nullopt where the text does not begin with a number, or a part has over nine
  /// digits.
  static std::optional<Version> parse(std::string_view text);

  /// 0 for a part that was not written.
  int part(std::size_t index) const { return index < parts_.size() ? parts_[index] : 0; }
  int major() const { return part(0); }               ///< 0 for an empty version
  int minor() const { return part(1); }               ///< 0 where it was not written
  std::size_t size() const { return parts_.size(); }  ///< parts that were written: 2 for "12.0"
  /// The first `count` parts: (580.65.06).first(1) -> 580.
  Version first(std::size_t count) const;
  /// True when the first parts are equal, as many as the shorter one has: 12 covers 12.8.
  bool covers(const Version& other) const;
  /// "13.0"; a driver's parts have two digits, as NVIDIA writes them: "580.65.06", "430.09".
  std::string text() const;

  std::strong_ordering operator<=>(const Version& other) const;  ///< part by part, what was not written as 0
  /// Likewise: 12 == 12.0.
  bool operator==(const Version& other) const { return std::is_eq(*this <=> other); }

 private:
  std::vector<int> parts_;
};

/// What libraries return as one number, as "major.minor.patch": cuBLAS 130002 -> "13.0.2" and 11402 ->
/// "11.4.2"; cuDNN 91200 -> "9.12.0" and 8907 -> "8.9.7"; NCCL 22703 -> "2.27.3" and 2708 -> "2.7.8"; CUDA
/// 13000 -> "13.0". "" for a number that fits no such scheme.
std::string cuda_version_of(int number);
std::string cublas_version_of(int number);
std::string cudnn_version_of(int number);
std::string nccl_version_of(int number);

}  // namespace gpugauge::stack
