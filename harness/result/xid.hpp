// What the numbers of the kernel module's errors (Xid) mean.
#pragma once

namespace gpugauge::result {

/// Whom an error speaks against.
enum class XidBlame {
  program,  ///< most often a program's own fault
  machine,  ///< the GPU, its memory, a link or the driver
};

/// One number of NVIDIA's Xid catalog.
struct XidMeaning {
  int number;         ///< 79
  XidBlame blame;     ///< seldom, a program's error is the machine's all the same
  const char* words;  ///< few, without a full stop
  /// Told although nothing need be lost: corrected errors, a repair that waits, a notice.
  bool mild = false;
};

/// nullptr for a number that the table lacks: then nobody knows here what it speaks against.
const XidMeaning* xid_meaning(int number);

/// What to do about a number, for whoever finds one in a log or a report.
inline constexpr const char* xid_catalog_step =
    "Look the number up in NVIDIA's Xid catalog for what to do at once and later";
/// About numbers that the table lacks.
inline constexpr const char* xid_unknown_step =
    "Look up each number that is not in this build's table before clearing the node: NVIDIA's Xid catalog";

/// Where the meanings were read.
inline constexpr const char* xid_catalog = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

}  // namespace gpugauge::result
