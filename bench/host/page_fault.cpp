#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

#include "result/processor_list.hpp"
#include "support/host.hpp"
#include "support/mapping.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

constexpr std::int64_t pages_per_mapping = 512;

std::int64_t minor_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

void page_fault(Trial& trial) {
  const std::vector<int> cpus = cpus_of("one_core");
  const Pinned pinned(cpus);
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  std::int64_t touched = 0;
  trial.note("cpus", result::processors_text(cpus));
  const std::int64_t before = minor_faults();
  trial.time([&](std::int64_t operations) {
    for (std::int64_t left = operations; left > 0; left -= pages_per_mapping) {
      const std::int64_t pages = std::min(left, pages_per_mapping);
      const Mapping fresh(static_cast<std::size_t>(pages * page_bytes), Pages::small);
      for (std::int64_t page = 0; page < pages; ++page)
        *static_cast<volatile std::byte*>(fresh.data() + page * page_bytes) = std::byte{1};
      touched += pages;
    }
  });
  trial.verify("the kernel counts a fault for every page", minor_faults() - before >= touched);
}

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .isolates(
            "Cost of the first touch of a page: fault, zeroed page, page-table entry, and giving it back.")
        .bad_value("memory pressure, nested paging of a virtual machine, a control group near its limit")
        .from(Depth::smoke)
        .quantity(Quantity::latency, "host_memory")
        .statistics({Statistic::median, Statistic::mean, Statistic::p99})
        .window_share(0.5)
        .body(page_fault)};

}  // namespace
}  // namespace gpugauge::bench
