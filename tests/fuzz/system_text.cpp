// Text of the kernel, its driver, the loader and the toolkit that pure functions read, each of the same
// bytes.
#include "fuzz/support/target.hpp"
#include "result/time.hpp"
#include "stack/compat/version.hpp"
#include "stack/hardware.hpp"
#include "stack/inventory/driver.hpp"
#include "stack/inventory/gpus.hpp"
#include "stack/inventory/kernel_log.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/machine.hpp"
#include "stack/inventory/pci_link.hpp"
#include "stack/inventory/process.hpp"
#include "stack/inventory/toolkits_headers.hpp"
#include "stack/loader.hpp"
#include "stack/plan/redact.hpp"
#include "stack/rules/cause_rows.hpp"

namespace gpugauge::fuzz {
namespace {

void read_line(std::string_view line) {
  const std::string text(line);
  if (const auto record = stack::parse_kmsg_record(line, 1.7e9))
    require(record->text.find('\n') == std::string::npos, "a record of more than one line");
  if (const auto logged = stack::parse_log_line(line, 2026, 1)) stack::parse_xid(logged->text);
  stack::parse_xid(line);
  stack::pcie_generation(line);
  stack::driver_version_in(text);
  stack::libcuda_kind(text, 0, false);
  stack::library_of_file(text);
  stack::is_virtual_gpu(line);
  stack::split_folders(text);
  result::unix_seconds(text);
  if (const auto time = result::utc_time(line))
    require(result::utc_time(*time) == time, "a time is not written as it is read");
  if (result::is_day(line)) result::day_after(line);
  if (const auto version = stack::Version::parse(line))
    require(stack::Version::parse(version->text()) == version, "a version is not written as it is read");
}

void read(std::string_view bytes) {
  const std::string text(bytes);
  stack::parse_module_gpu("0000:01:00.0", bytes);
  stack::nvidia_module_file(bytes);
  stack::first_version(bytes);
  stack::mapped_files(bytes);
  stack::parse_environ(bytes);
  stack::parse_loader_cache(text);
  stack::acs_of(bytes);
  stack::defined_number(bytes, "CUDA_VERSION");
  stack::version_in_txt(bytes);
  stack::version_in_json(text);
  stack::limits_in_host_config(bytes);
  stack::parse_cause_rows(bytes);
  stack::Redactor redactor({{"node7"}, {"someone"}, {"/data/someone"}});
  redactor.text(bytes);
  constexpr std::size_t longest = 4096;  // each line is read a dozen times
  for (std::string_view rest = bytes; !rest.empty();) read_line(take_line(rest).substr(0, longest));
}

const Target target("system_text", read);

}  // namespace
}  // namespace gpugauge::fuzz
