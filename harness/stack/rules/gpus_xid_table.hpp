// Meanings of the kernel module's error numbers (Xid).
#pragma once

namespace gpugauge::stack {

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
};

/// nullptr for a number that the table lacks; its culprit is then unknown.
const XidMeaning* xid_meaning(int number);

/// The source of the meanings.
inline constexpr const char* xid_catalog = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

}  // namespace gpugauge::stack
