// The kernel's log: lines of NVIDIA's modules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::stack {

/// One line of the kernel's log.
struct LogLine {
  std::string time;  ///< "2026-11-20T10:11:12", "boot+12s" where the log tells no date
  std::string text;  ///< without the log's own prefix
};

/// One record of /dev/kmsg: "6,1234,5678901,-;message". `boot` is the time of start in seconds since 1970
/// (UTC); nullopt where the record is none, or a program wrote it.
std::optional<LogLine> parse_kmsg_record(std::string_view record, double boot);

/// A line of syslog or of dmesg: "Nov 20 10:11:12 host kernel: [  5.6] message", "2026-11-20T10:11:12+00:00
/// host kernel: message", "[    5.678] message". Syslog's older form names no year: `year` and `month` (1 to
/// 12) are those of the log's last change. nullopt where it is no line of the kernel.
std::optional<LogLine> parse_log_line(std::string_view line, int year, int month);

/// "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." ->
/// "0000:01:00.0 79 GPU has fallen off the bus"; nullopt for what is no Xid.
std::optional<std::string> parse_xid(std::string_view text);

/// An NVSwitch's error: "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up" ->
/// "0000:c1:00.0 20034 Fatal, Link 30 LTSSM Fault Up"; nullopt for what is none, and for the lines behind an
/// error that hold its data and do not say how grave it is.
std::optional<std::string> parse_sxid(std::string_view text);

}  // namespace gpugauge::stack
