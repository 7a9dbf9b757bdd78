// Reads lines of NVIDIA's modules in the kernel's log.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// One line of the kernel's log.
struct LogLine {
  std::string time;  ///< "2026-11-20T10:11:12"; "boot+12s" if the log has no date
  std::string text;  ///< without the log's prefix
};

/// Parses a record of /dev/kmsg: "6,1234,5678901,-;message". `boot` is the boot time in seconds since 1970
/// (UTC). nullopt if it is no record or a program wrote it.
std::optional<LogLine> parse_kmsg_record(std::string_view record, double boot);

/// Parses a line of syslog or dmesg: "Nov 20 10:11:12 host kernel: [  5.6] message",
/// "2026-11-20T10:11:12+00:00 host kernel: message", "[    5.678] message". The older syslog format has no
/// year: `year` and `month` (1 to 12) give the log's last change. nullopt if it is no line of the kernel.
std::optional<LogLine> parse_log_line(std::string_view line, int year, int month);

/// "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." ->
/// "0000:01:00.0 79 GPU has fallen off the bus"; nullopt if it is no Xid.
std::optional<std::string> parse_xid(std::string_view text);

/// An NVSwitch error: "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up" ->
/// "0000:c1:00.0 20034 Fatal, Link 30 LTSSM Fault Up". nullopt for other lines, including the data lines
/// after an error, which do not state its severity.
std::optional<std::string> parse_sxid(std::string_view text);

}  // namespace gpugauge::stack
