// NCCL's own log.
#include "fuzz/support/target.hpp"
#include "nccl/log.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const bench::nccl::Log log = bench::nccl::parse_log(std::string(bytes));
  const std::string transport = bench::nccl::transport_of(log);
  require(log.paths.empty() || transport.size() <= 6, "a transport is no word of the observation");
  for (const bench::nccl::Choice& choice : log.choices)
    require(!choice.algorithm.empty() && !choice.protocol.empty(), "a choice without algorithm or protocol");
}

const Target target("nccl_log", read);

}  // namespace
}  // namespace gpugauge::fuzz
