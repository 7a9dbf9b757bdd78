// The numbers in NVIDIA's Xid catalog (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html) that a
// GPU used for computing may report.
#include "result/xid.hpp"

#include <algorithm>
#include <array>

namespace gpugauge::result {

const XidMeaning* xid_meaning(int number) {
  using enum XidBlame;
  static constexpr std::array meanings{
      XidMeaning{8, machine, "the GPU stopped processing a program's work"},
      XidMeaning{11, program, "a program's commands were damaged or invalid"},
      XidMeaning{13, program, "a kernel or graphics command failed, most often a program's fault"},
      XidMeaning{25, program, "a program's commands were invalid"},
      XidMeaning{31, program, "a program touched memory that is not its own"},
      XidMeaning{32, machine, "damaged commands reached the GPU"},
      XidMeaning{43, program, "the GPU stopped a program's work"},
      XidMeaning{45, program, "work was cleaned up after an earlier error or an ended program"},
      XidMeaning{46, machine, "the GPU stopped processing and needs a reset", false, true},
      XidMeaning{48, machine, "an uncorrectable memory error", false, true},
      XidMeaning{54, machine, "the board's power cable is not connected"},
      XidMeaning{61, machine, "the GPU's own controller failed"},
      XidMeaning{62, machine, "the GPU's own controller stopped"},
      XidMeaning{63, machine, "a memory row or page was marked for replacement", true},
      XidMeaning{64, machine, "a memory row or page could not be replaced"},
      XidMeaning{69, program, "a program used a function the GPU does not have"},
      XidMeaning{74, machine, "an NVLink error"},
      XidMeaning{78, machine, "a virtual GPU could not be started"},
      XidMeaning{79, machine, "the GPU fell off the bus"},
      XidMeaning{92, machine, "many corrected memory errors", true},
      XidMeaning{94, machine, "a memory error, contained in one program"},
      XidMeaning{95, machine, "a memory error that was not contained: the GPU needs a reset", false, true},
      XidMeaning{109, machine, "switching between programs took too long"},
      XidMeaning{110, machine, "a security fault, seldom without a fault of the hardware"},
      XidMeaning{119, machine, "the GPU's firmware processor (GSP) did not answer"},
      XidMeaning{120, machine, "the GPU's firmware processor (GSP) failed"},
      XidMeaning{121, machine, "corrected errors on the link to the processor (C2C)", true},
      XidMeaning{136, machine, "an NVLink could not be trained"},
      XidMeaning{137, program, "a program's access to another GPU over NVLink was not allowed"},
      XidMeaning{140, machine, "an uncorrectable memory error was left unrecovered", false, true},
      XidMeaning{143, machine, "the GPU could not be started"},
      XidMeaning{144, machine, "an error of NVLink 5 (SAW)"},
      XidMeaning{145, machine, "an error of NVLink 5 (RLW)"},
      XidMeaning{146, machine, "an error of NVLink 5 (TLW)"},
      XidMeaning{147, machine, "an error of NVLink 5 (TREX)"},
      XidMeaning{148, machine, "an error of NVLink 5 (NVLPW)"},
      XidMeaning{149, machine, "an error of NVLink 5 (NETIR), a link that went down among them"},
      XidMeaning{150, machine, "an error of NVLink 5 (MSE)"},
      XidMeaning{154, machine, "what the driver asks for to recover changed", true},
      XidMeaning{155, machine, "software took an NVLink down", true},
      XidMeaning{156, machine, "a part of the GPU was retired: it needs a reset", false, true},
      XidMeaning{157, machine, "a part of the GPU could not be retired: nothing is left to repair it with"},
      XidMeaning{158, machine, "a fatal timeout of the GPU: it needs a reset", false, true},
      XidMeaning{159, machine, "an error on the link to the processor"},
      XidMeaning{160, machine, "a channel was retired"},
      XidMeaning{161, machine, "a channel could not be retired"},
      XidMeaning{167, machine, "a fatal timeout on PCIe"},
      XidMeaning{168, machine, "errors in a protected region of memory leave less of it"},
      XidMeaning{169, machine, "a controller inside the GPU stopped"},
      XidMeaning{171, machine, "an uncorrectable error of the DRAM"},
      XidMeaning{172, machine, "an uncorrectable error of the SRAM"},
  };
  const auto* const found = std::find_if(meanings.begin(), meanings.end(),
                                         [&](const XidMeaning& row) { return row.number == number; });
  return found == meanings.end() ? nullptr : found;
}

}  // namespace gpugauge::result
