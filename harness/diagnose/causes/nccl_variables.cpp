// Variables of NCCL that take paths away, tune it, or choose its cards.
#include <string_view>

#include "diagnose/causes/collectives.hpp"

namespace gpugauge::diagnose {

Fact nccl_disabled(const Seen& seen) {
  for (const std::string_view name :
       {"NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE", "NCCL_IB_DISABLE", "NCCL_NVLS_DISABLE",
        "NCCL_NET_DISABLE_INTRA", "NCCL_IGNORE_DISABLED_P2P", "NCCL_P2P_DIRECT_DISABLE"})
    if (Fact fact = seen.environment(name);
        fact && !seen.environment(name, {"0"}) && !seen.unmoved_by({name}))
      return fact;
  if (Fact fact = seen.environment("NCCL_NET", {"Socket"})) return fact;
  if (Fact fact =
          seen.setting("nccl.conf", {"_DISABLE=1", "_DISABLE = 1", "P2P_LEVEL=LOC", "P2P_LEVEL=0",
                                     "P2P_LEVEL = LOC", "NET=Socket", "GDR_LEVEL=LOC", "GDR_LEVEL=0"}))
    return fact;
  for (const std::string_view name : {"NCCL_P2P_LEVEL", "NCCL_NET_GDR_LEVEL"})
    if (Fact fact = seen.environment(name, {"0", "LOC"})) return fact;
  return std::nullopt;
}

Fact nccl_tuned(const Seen& seen) {
  for (const std::string_view name : {"NCCL_ALGO",
                                      "NCCL_PROTO",
                                      "NCCL_MAX_NCHANNELS",
                                      "NCCL_MIN_NCHANNELS",
                                      "NCCL_MAX_NRINGS",
                                      "NCCL_MIN_NRINGS",
                                      "NCCL_MAX_CTAS",
                                      "NCCL_MIN_CTAS",
                                      "NCCL_NTHREADS",
                                      "NCCL_BUFFSIZE",
                                      "NCCL_CROSS_NIC",
                                      "NCCL_GRAPH_FILE",
                                      "NCCL_LL_THRESHOLD",
                                      "NCCL_TREE_THRESHOLD",
                                      "NCCL_NET_GDR_READ",
                                      "NCCL_P2P_LEVEL",
                                      "NCCL_NET_GDR_LEVEL",
                                      "NCCL_NSOCKS_PERTHREAD",
                                      "NCCL_TUNER_PLUGIN",
                                      "NCCL_CHECKS_DISABLE",
                                      "NCCL_LAUNCH_MODE",
                                      "NCCL_COLLNET_ENABLE",
                                      "NCCL_IB_QPS_PER_CONNECTION",
                                      "NCCL_IB_SPLIT_DATA_ON_QPS",
                                      "NCCL_PXN_DISABLE",
                                      "NCCL_WORK_FIFO_DEPTH",
                                      "NCCL_NVLS_ENABLE",
                                      "NCCL_CUMEM_ENABLE"})
    if (Fact fact = seen.environment(name)) return fact;
  return std::nullopt;
}

Fact nccl_chosen(const Seen& seen) {
  for (const std::string_view name :
       {"NCCL_IB_HCA", "NCCL_IB_TC", "NCCL_IB_GID_INDEX", "NCCL_TOPO_FILE", "NCCL_SOCKET_IFNAME"})
    if (Fact fact = seen.environment(name)) return fact;
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
