// Figures that other programs print, read as facts: of nvidia-smi, lspci, cpupower, profilers, the loader.
#pragma once

#include "diagnose/causes/predicates.hpp"

namespace gpugauge::diagnose {

// -- of the machine (printed_machine.cpp)
/// Of two totals of one board's memory the smaller lacks a sixteenth: what ECC takes on GDDR.
Fact sixteenth_of_memory_missing(const Seen& seen);
/// cpupower or turbostat: busy processors run at the lowest clock of their policy, or far below any base clock.
Fact processors_at_lowest_clock(const Seen& seen);
/// The policy of the processors' clock allows clearly less than the hardware.
Fact clock_policy_limited(const Seen& seen);
/// nvidia-smi: below "Remapped Rows" a remap is pending or has failed.
Fact remap_printed(const Seen& seen);
/// nvidia-smi counts many packets that were sent again over PCIe.
Fact pcie_replays(const Seen& seen);
/// lspci or nvidia-smi: a link has fewer lanes than its two ends can. Network cards are left out.
Fact fewer_lanes_printed(const Seen& seen);
/// One pair of GPUs has fewer NVLinks on one machine than on another.
Fact nvlinks_of_pair_differ(const Seen& seen);
/// lspci: the link of a network card is below what it could be.
Fact card_link_downgraded(const Seen& seen);
/// perfquery or ethtool: a port of the network counts many errors.
Fact port_errors_counted(const Seen& seen);
/// lspci -t: a GPU and disks or network cards lie below one bridge, and the bridge is a chipset's.
Fact below_chipset_with_others(const Seen& seen);
/// A GPU has far fewer multiprocessors than its model: it is a slice.
Fact fewer_multiprocessors(const Seen& seen);

// -- of software (printed_software.cpp)
/// PyTorch's profiler of two sides: the processor's own time grew, the GPU's did not.
Fact only_processor_time_grew(const Seen& seen);
/// The kernels themselves take as long as before; what grew lies between them.
Fact kernels_as_before(const Seen& seen);
/// llama.cpp cuts its graph into many parts, although all layers are on the GPU.
Fact many_graph_splits(const Seen& seen);
/// Lists of packages name both of ONNX Runtime, which write into one folder: the one that came last is what runs.
Fact both_onnxruntimes(const Seen& seen);
/// A process has mapped one library from two folders.
Fact mapped_twice(const Seen& seen);
/// Two packages of one library, for two versions of CUDA, are installed.
Fact two_packages(const Seen& seen);
/// The task manager of Windows shows full GPU memory, and much of the host's in use by the GPU.
Fact shared_memory_in_use(const Seen& seen);

/// The number behind a word, over blanks, quotes and signs of assignment; nullopt where none stands there.
std::optional<double> number_after(std::string_view text, std::string_view word);
/// All that was logged, returned as an error or noted, line by line.
std::vector<std::string> printed_lines(const Seen& seen);

}  // namespace gpugauge::diagnose
