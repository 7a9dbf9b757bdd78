// What the rules share: reading items of an inventory, naming GPUs, and putting findings together.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/rules/causes.hpp"
#include "stack/rules/rules.hpp"

namespace gpugauge::stack {

/// A finding without evidence yet; a title over 100 characters is cut.
Finding make_finding(Cause cause, Severity severity, std::string_view title, std::string explanation);

/// The severity, or note where nobody read the row in a source.
Severity weighed(Severity severity, const Source& source);
/// The source's words, with "(not confirmed)" behind them where nobody read it.
std::string cited(const Source& source);

/// At most `most` bytes of printable ASCII: control characters and other bytes become "?", and what is cut
/// off is marked by "...". Values come from files that anybody may have written.
std::string printable(std::string_view text, std::size_t most = 200);
/// The text with a full stop, unless it ends a sentence already.
std::string sentence(std::string_view text);

/// What was seen of a key: "libcuda 580.65.06 (/usr/lib/...)", "kernel module: absent (/proc/...)",
/// "kernel log: may not be read, needs root (/dev/kmsg)"; "" where it was not looked for.
std::string seen(const Inventory& inventory, std::string_view key, std::string_view label);
/// A key of the inventory and what it is called in the evidence.
struct Labelled {
  std::string_view key;    ///< of docs/inventory.md; a text that outlives the call
  std::string_view label;  ///< stands before the value: "libcuda", "NVSwitch:"
};
/// Adds to the evidence what was seen of each key.
void add_seen(Finding& finding, const Inventory& inventory, std::initializer_list<Labelled> items);
/// Adds the newest `most` entries of a numbered list ("driver.history", "kernel_log.nvrm").
void add_entries(Finding& finding, const Inventory& inventory, std::string_view prefix,
                 std::string_view label, std::size_t most = 3);

/// Present, and exactly this text.
bool is(const Inventory& inventory, std::string_view key, std::string_view value);
/// Looked for, and not there.
bool missing(const Inventory& inventory, std::string_view key);
/// The whole text as a number; nullopt for anything else, and for what is not finite.
std::optional<double> number(std::string_view text);
/// nullopt also where the key is not present.
std::optional<double> number_of(const Inventory& inventory, std::string_view key);
/// The whole value as an int; nullopt otherwise.
std::optional<int> code_of(const Inventory& inventory, std::string_view key);
/// As Version::parse; nullopt also where the key is not present.
std::optional<Version> version_of(const Inventory& inventory, std::string_view key);

/// "docker", "" outside of a container.
std::string container_of(const Inventory& inventory);
bool in_wsl(const Inventory& inventory);  ///< it is Windows' Linux, by the system or by its libcuda
bool in_virtual_machine(const Inventory& inventory);  ///< a guest of any kind, as far as the machine tells
/// How another driver is chosen where this one comes with NVIDIA's vGPU software, in a guest and on a host;
/// empty elsewhere. A data-centre driver there ends vGPU, so nothing else may advise one.
std::vector<std::string> vgpu_steps(const Inventory& inventory);
/// cuInit returned 0 and CUDA shows a device.
bool cuda_works(const Inventory& inventory);

/// One GPU that the driver answered for.
class GpuView {
 public:
  /// `index` is the part of a key behind "gpu."; `inventory` must outlive the view.
  GpuView(const Inventory& inventory, std::string index) : inventory_(&inventory), index_(std::move(index)) {}

  /// "0", "1", ... in NVML's order, or CUDA's where NVML does not answer.
  const std::string& index() const { return index_; }
  std::string key(std::string_view fact) const;    ///< "gpu.3.uuid"
  std::string value(std::string_view fact) const;  ///< "" unless present
  std::string shown(std::string_view fact) const;  ///< printable value; "absent" unless present
  /// nullopt unless the whole value is a finite number.
  std::optional<double> number(std::string_view fact) const;
  bool is(std::string_view fact, std::string_view word) const;  ///< present, and exactly this word
  std::string name() const;  ///< "GPU 3 (0000:0a:00.0)", without the place where it is unknown

 private:
  const Inventory* inventory_;
  std::string index_;
};
/// In the inventory's order.
using GpuViews = std::vector<GpuView>;

GpuViews gpus_of(const Inventory& inventory);  ///< gpu.0, gpu.1, ...; other keys below "gpu." are none
/// "GPU 3", "GPUs 0-2 and 5", "all 8 GPUs" (of `all`).
std::string named(const GpuViews& some, std::size_t all);
/// The machine is one on which the issue is said, or does not tell whether it is: what is unknown excludes
/// nothing.
bool concerns(const Inventory& inventory, const KnownIssue& issue);
/// Its name holds GeForce or TITAN, or its brand does: made for consumers.
bool consumer(const GpuView& gpu);

/// The value that more than half of them have; nullopt where none has.
std::optional<std::string> majority(const std::vector<std::string>& values);

/// One line of the kernel log about an error of a GPU.
struct Xid {
  std::string time;  ///< as kernel_log.xid.* has it: "2026-11-20T10:11:12", "boot+12s"
  std::string pci;   ///< "0000:01:00.0"
  int number = 0;    ///< NVIDIA's number of the kind of error: 79 is a GPU that fell off the bus
  std::string text;  ///< what the driver says of it, without the process; may be empty
};
/// Newest first; an entry that is none is left out.
std::vector<Xid> xids_of(const Inventory& inventory);
/// The same of another list of that form ("kernel_log.sxid", an NVSwitch's errors).
std::vector<Xid> errors_below(const Inventory& inventory, std::string_view list);

}  // namespace gpugauge::stack
