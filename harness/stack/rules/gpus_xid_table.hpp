// What the numbers of the kernel module's errors (Xid) mean.
#pragma once

namespace gpugauge::stack {

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
};

/// nullptr for a number that the table lacks: then nobody knows here what it speaks against.
const XidMeaning* xid_meaning(int number);

/// Where the meanings were read.
inline constexpr const char* xid_catalog = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

}  // namespace gpugauge::stack
