// Helpers shared by the rules: reading inventory items, naming GPUs, and building findings.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/rules/causes.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// A finding without evidence so far. Cuts a title above 100 characters.
Finding make_finding(Cause cause, Severity severity, std::string_view title, std::string explanation);

/// `severity`, or note if nobody read the row in a source.
Severity weighed(Severity severity, const Source& source);
/// The source's text, followed by "(not confirmed)" if nobody read it.
std::string cited(const Source& source);

/// At most `most` bytes of printable ASCII. Control characters and other bytes become "?"; "..." marks a cut.
/// Values come from files that anybody may have written.
std::string printable(std::string_view text, std::size_t most = 200);
/// The text with a full stop, unless it already ends a sentence.
std::string sentence(std::string_view text);

/// The observation for a key: "libcuda 580.65.06 (/usr/lib/...)", "kernel module: absent (/proc/...)",
/// "kernel log: may not be read, needs root (/dev/kmsg)"; "" if nobody looked for it.
std::string seen(const Inventory& inventory, std::string_view key, std::string_view label);
/// An inventory key and its label in the evidence.
struct Labelled {
  std::string_view key;    ///< from docs/inventory.md; the text must outlive the call
  std::string_view label;  ///< precedes the value: "libcuda", "NVSwitch:"
};
/// Adds the observation for each key to the evidence.
void add_seen(Finding& finding, const Inventory& inventory, std::initializer_list<Labelled> items);
/// Adds the newest `most` entries of a numbered list ("driver.history", "kernel_log.nvrm").
void add_entries(Finding& finding, const Inventory& inventory, std::string_view prefix,
                 std::string_view label, std::size_t most = 3);

/// True if present with exactly this text.
bool is(const Inventory& inventory, std::string_view key, std::string_view value);
/// True if looked for and absent.
bool missing(const Inventory& inventory, std::string_view key);
/// nullopt also if the key is not present.
std::optional<double> number_of(const Inventory& inventory, std::string_view key);
/// The whole value as an int; nullopt otherwise.
std::optional<int> code_of(const Inventory& inventory, std::string_view key);
/// As Version::parse; nullopt also if the key is not present.
std::optional<Version> version_of(const Inventory& inventory, std::string_view key);

/// "docker"; "" outside of a container.
std::string container_of(const Inventory& inventory);
bool in_wsl(const Inventory& inventory);  ///< true in Windows' Linux, by the system or its libcuda
/// True in any kind of guest, as far as the machine tells.
bool in_virtual_machine(const Inventory& inventory);
/// How to choose another driver if this one comes with NVIDIA's vGPU software, in a guest or on a host; empty
/// elsewhere. A data-centre driver would end vGPU there, so no other advice may recommend one.
std::vector<std::string> vgpu_steps(const Inventory& inventory);
/// True if cuInit returned 0 and CUDA shows a device.
bool cuda_works(const Inventory& inventory);

/// One GPU for which the driver answered.
class GpuView {
 public:
  /// `index` is the part of a key after "gpu."; `inventory` must outlive the view.
  GpuView(const Inventory& inventory, std::string index) : inventory_(&inventory), index_(std::move(index)) {}

  /// "0", "1", ... in NVML's order, or in CUDA's if NVML does not answer.
  const std::string& index() const { return index_; }
  std::string key(std::string_view fact) const;    ///< "gpu.3.uuid"
  std::string value(std::string_view fact) const;  ///< "" unless present
  std::string shown(std::string_view fact) const;  ///< printable value; "absent" if not present
  /// nullopt unless the whole value is a finite number.
  std::optional<double> number(std::string_view fact) const;
  bool is(std::string_view fact, std::string_view word) const;  ///< true if present with exactly this word
  std::string name() const;  ///< "GPU 3 (0000:0a:00.0)", without the address if it is unknown

 private:
  const Inventory* inventory_;
  std::string index_;
};
/// In the inventory's order.
using GpuViews = std::vector<GpuView>;

GpuViews gpus_of(const Inventory& inventory);  ///< gpu.0, gpu.1, ...; other keys below "gpu." do not count
/// "GPU 3", "GPUs 0-2 and 5", "all 8 GPUs" (of `all`).
std::string named(const GpuViews& some, std::size_t all);
/// True if the issue applies to this machine, or if the machine does not tell: an unknown fact excludes
/// nothing.
bool concerns(const Inventory& inventory, const KnownIssue& issue);
/// True for a consumer card: its name or brand contains GeForce or TITAN.
bool consumer(const GpuView& gpu);

/// The value of more than half of them; nullopt if there is none.
std::optional<std::string> majority(const std::vector<std::string>& values);

/// One line of the kernel log about a GPU error.
struct Xid {
  std::string time;  ///< as in kernel_log.xid.*: "2026-11-20T10:11:12", "boot+12s"
  std::string pci;   ///< "0000:01:00.0"
  int number = 0;    ///< NVIDIA's number for the kind of error: 79 is a GPU that fell off the bus
  std::string text;  ///< the driver's text, without the process; may be empty
};
/// Newest first; skips invalid entries.
std::vector<Xid> xids_of(const Inventory& inventory);
/// As xids_of, for another list of that form ("kernel_log.sxid", an NVSwitch's errors).
std::vector<Xid> errors_below(const Inventory& inventory, std::string_view list);

}  // namespace gpugauge::stack
