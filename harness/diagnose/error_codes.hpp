// Numbers of errors in texts that others wrote.
#pragma once

#include <initializer_list>
#include <string_view>

namespace gpugauge::diagnose {

/// The text calls this number an error of CUDA: it stands directly behind "error", "code" or the like, behind
/// "returned" or "status" beside the name of CUDA or NVML, or in brackets at the end of such a message, and
/// counts nothing ("100 samples"). The line of a source file ("gemm.cu:209") is none.
bool tells_code(std::string_view text, int code);

/// The line tells of an Xid of one of these numbers: "NVRM: Xid (PCI:0000:01:00): 79, pid=..." as the kernel
/// writes it, or "Xid 79" where it is stated (is_name_stated).
bool tells_xid(std::string_view line, std::initializer_list<int> numbers);
/// Likewise, of any Xid, with or without a number.
bool tells_any_xid(std::string_view line);

}  // namespace gpugauge::diagnose
