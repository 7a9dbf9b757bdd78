// Meanings of the kernel module's error numbers (Xid).
#pragma once

namespace gpugauge::result {

/// The most likely culprit of an error.
enum class XidBlame {
  program,  ///< usually the program's own fault
  machine,  ///< the GPU, its memory, a link or the driver
};

/// One number in NVIDIA's Xid catalog.
struct XidMeaning {
  int number;         ///< 79
  XidBlame blame;     ///< rarely, the machine also causes an error blamed on a program
  const char* words;  ///< a few words, without a full stop
  /// True where nothing need be lost: corrected errors, a repair that waits for a reset, a notice.
  bool mild = false;
  bool reset = false;  ///< the catalog asks for a reset of the GPU
};

/// nullptr for a number that the table lacks; its culprit is then unknown.
const XidMeaning* xid_meaning(int number);

/// The next step for a number that the table has.
inline constexpr const char* xid_catalog_step =
    "Look the number up in NVIDIA's Xid catalog for what to do at once and later";
/// The next step for numbers that the table lacks.
inline constexpr const char* xid_unknown_step =
    "Look up each number that is not in this build's table before clearing the node: NVIDIA's Xid catalog";

/// The source of the meanings.
inline constexpr const char* xid_catalog = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

}  // namespace gpugauge::result
