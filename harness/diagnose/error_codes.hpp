// Finds error numbers in texts from other programs.
#pragma once

#include <string_view>
#include <vector>

namespace gpugauge::diagnose {

/// True when the text gives this number as a CUDA error. The number must follow "error", "code" or the like,
/// or "returned" or "status" beside the name of CUDA or NVML. It may also stand in brackets at the end of
/// such a message. Counts ("100 samples") and source lines ("gemm.cu:209") do not match.
bool tells_code(std::string_view text, int code);

/// True when the line reports an Xid with one of these numbers: "NVRM: Xid (PCI:0000:01:00): 79, pid=..." as
/// the kernel writes it, or a stated "Xid 79" (is_name_stated).
bool tells_xid(std::string_view line, const std::vector<int>& numbers);
/// True when the line reports any Xid, with or without a number.
bool tells_any_xid(std::string_view line);

}  // namespace gpugauge::diagnose
