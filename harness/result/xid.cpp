// The numbers in NVIDIA's Xid catalog (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) that a
// GPU used for computing may report.
#include "result/xid.hpp"

#include <algorithm>
#include <array>

namespace gpugauge::result {

namespace {

constexpr auto all_meanings() {
  using enum XidBlame;
  using enum XidAbout;
  return std::array{
      XidMeaning{8, machine, work, "the GPU stopped processing a program's work"},
      XidMeaning{11, program, work, "a program's commands were damaged or invalid"},
      XidMeaning{13, program, work, "a kernel or graphics command failed, most often a program's fault"},
      XidMeaning{25, program, work, "a program's commands were invalid"},
      XidMeaning{31, program, work, "a program touched memory that is not its own"},
      XidMeaning{32, machine, work, "damaged commands reached the GPU"},
      XidMeaning{43, program, work, "the GPU stopped a program's work"},
      XidMeaning{45, program, work, "work was cleaned up after an earlier error or an ended program"},
      XidMeaning{46, machine, work, "the GPU stopped processing and needs a reset", false, true},
      XidMeaning{48, machine, memory, "an uncorrectable memory error", false, true},
      XidMeaning{54, machine, other, "the board's power cable is not connected"},
      XidMeaning{61, machine, other, "the GPU's own controller failed"},
      XidMeaning{62, machine, other, "the GPU's own controller stopped"},
      XidMeaning{63, machine, memory, "a memory row or page was marked for replacement", true},
      XidMeaning{64, machine, memory, "a memory row or page could not be replaced"},
      XidMeaning{69, program, work, "a program used a function the GPU does not have"},
      XidMeaning{74, machine, nvlink, "an NVLink error"},
      XidMeaning{78, machine, other, "a virtual GPU could not be started"},
      XidMeaning{79, machine, bus, "the GPU fell off the bus"},
      XidMeaning{92, machine, memory, "many corrected memory errors", true},
      XidMeaning{94, machine, memory, "a memory error, contained in one program"},
      XidMeaning{95, machine, memory, "a memory error that was not contained: the GPU needs a reset", false,
                 true},
      XidMeaning{109, machine, work, "switching between programs took too long"},
      XidMeaning{110, machine, other, "a security fault, seldom without a fault of the hardware"},
      XidMeaning{119, machine, firmware, "the GPU's firmware processor (GSP) did not answer"},
      XidMeaning{120, machine, firmware, "the GPU's firmware processor (GSP) failed"},
      XidMeaning{121, machine, bus, "corrected errors on the link to the processor (C2C)", true},
      XidMeaning{136, machine, nvlink, "an NVLink could not be trained"},
      XidMeaning{137, program, work, "a program's access to another GPU over NVLink was not allowed"},
      XidMeaning{140, machine, memory, "an uncorrectable memory error was left unrecovered", false, true},
      XidMeaning{143, machine, other, "the GPU could not be started"},
      XidMeaning{144, machine, nvlink, "an error of NVLink 5 (SAW)"},
      XidMeaning{145, machine, nvlink, "an error of NVLink 5 (RLW)"},
      XidMeaning{146, machine, nvlink, "an error of NVLink 5 (TLW)"},
      XidMeaning{147, machine, nvlink, "an error of NVLink 5 (TREX)"},
      XidMeaning{148, machine, nvlink, "an error of NVLink 5 (NVLPW)"},
      XidMeaning{149, machine, nvlink, "an error of NVLink 5 (NETIR), a link that went down among them"},
      XidMeaning{150, machine, nvlink, "an error of NVLink 5 (MSE)"},
      XidMeaning{154, machine, other, "what the driver asks for to recover changed", true},
      XidMeaning{155, machine, nvlink, "software took an NVLink down", true},
      XidMeaning{156, machine, other, "a part of the GPU was retired: it needs a reset", false, true},
      XidMeaning{157, machine, other,
                 "a part of the GPU could not be retired: nothing is left to repair it with"},
      XidMeaning{158, machine, other, "a fatal timeout of the GPU: it needs a reset", false, true},
      XidMeaning{159, machine, bus, "an error on the link to the processor"},
      XidMeaning{160, machine, other, "a channel was retired"},
      XidMeaning{161, machine, other, "a channel could not be retired"},
      XidMeaning{167, machine, bus, "a fatal timeout on PCIe"},
      XidMeaning{168, machine, memory, "errors in a protected region of memory leave less of it"},
      XidMeaning{169, machine, other, "a controller inside the GPU stopped"},
      XidMeaning{171, machine, memory, "an uncorrectable error of the DRAM"},
      XidMeaning{172, machine, memory, "an uncorrectable error of the SRAM"},
  };
}

constexpr auto meanings = all_meanings();

}  // namespace

const XidMeaning* xid_meaning(int number) {
  const auto* const found = std::find_if(meanings.begin(), meanings.end(),
                                         [&](const XidMeaning& row) { return row.number == number; });
  return found == meanings.end() ? nullptr : found;
}

bool is_xid_about(int number, XidAbout about) {
  const XidMeaning* const meaning = xid_meaning(number);
  return meaning != nullptr && meaning->about == about;
}

std::vector<int> xids_about(XidAbout about) {
  std::vector<int> out;
  for (const XidMeaning& row : meanings)
    if (row.about == about) out.push_back(row.number);
  return out;
}

}  // namespace gpugauge::result
