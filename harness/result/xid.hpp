// Meanings of the kernel module's error numbers (Xid).
#pragma once

#include <vector>

namespace gpugauge::result {

/// The most likely culprit of an error.
enum class XidBlame {
  program,  ///< usually the program's own fault
  machine,  ///< the GPU, its memory, a link or the driver
};

/// What an error is about.
enum class XidAbout {
  memory,    ///< the GPU's memory and caches
  nvlink,    ///< a link between GPUs, or to a switch of them
  bus,       ///< PCIe, or the link to the processor (C2C)
  firmware,  ///< the GPU's firmware processor (GSP)
  work,      ///< what a program had the GPU do
  other,     ///< none of these
};

/// One number in NVIDIA's Xid catalog.
struct XidMeaning {
  int number;         ///< 79
  XidBlame blame;     ///< rarely, the machine also causes an error blamed on a program
  XidAbout about;     ///< one of them for each number
  const char* words;  ///< a few words, without a full stop
  /// True where nothing need be lost: corrected errors, a repair that waits for a reset, a notice.
  bool mild = false;
  bool reset = false;  ///< the catalog asks for a reset of the GPU
};

/// nullptr for a number that the table lacks; its culprit is then unknown.
const XidMeaning* xid_meaning(int number);

/// True where the table has the number and says that it is about this.
bool is_xid_about(int number, XidAbout about);
/// The table's numbers that are about this, ascending.
std::vector<int> xids_about(XidAbout about);

/// The next step for a number that the table has.
inline constexpr const char* xid_catalog_step =
    "Look the number up in NVIDIA's Xid catalog for what to do at once and later";
/// The next step for numbers that the table lacks.
inline constexpr const char* xid_unknown_step =
    "Look up each number that is not in this build's table before clearing the node: NVIDIA's Xid catalog";

/// The source of the meanings.
inline constexpr const char* xid_catalog = "NVIDIA Xid catalog (docs.nvidia.com/deploy/xid-errors)";

}  // namespace gpugauge::result
