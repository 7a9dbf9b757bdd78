// Numbers of errors in texts that others wrote.
#pragma once

#include <initializer_list>
#include <string_view>

namespace gpugauge::diagnose {

/// The text calls this number an error of CUDA: it stands directly behind "error", "code" or the like, or
/// behind "returned" or "status" in a clause that names CUDA or NVML, and counts nothing ("100 samples"). The
/// line of a source file ("gemm.cu:209") is none.
bool tells_code(std::string_view text, int code);

/// The line tells of an Xid of one of these numbers: "NVRM: Xid (PCI:0000:01:00): 79, pid=..." as the kernel
/// writes it, or "Xid 79" where it is stated (is_stated).
bool tells_xid(std::string_view line, std::initializer_list<int> numbers);

}  // namespace gpugauge::diagnose
