// What the process finds on its host, for the sample file's context. The harness takes its own, fuller
// fingerprint.
#pragma once

#include "result/samples.hpp"

namespace gpugauge::bench {

/// Adds host.cpu_model, host.cpus_allowed, host.page_bytes, host.transparent_huge_pages and
/// host.last_cache_bytes. Leaves out what cannot be read.
void add_host_facts(result::Facts& facts);

}  // namespace gpugauge::bench
