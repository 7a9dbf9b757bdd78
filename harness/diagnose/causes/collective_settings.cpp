// Collectives: variables, versions, shared memory, and libraries beside NCCL.
#include <string>

#include <fmt/format.h>

#include "diagnose/causes/collectives.hpp"
#include "diagnose/causes/logged.hpp"
#include "diagnose/causes/node_versions.hpp"
#include "stack/compat/version.hpp"

namespace gpugauge::diagnose {
namespace {

/// NCCL's log says that a variable decides about a path. One that only names an interface does not count.
Fact told_by_log(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    // A switch set to off disables nothing.
    if (contains_any(line, {"set by environment", "nccl.conf"}) &&
        !contains_any(line, {"not set by environment", "_DISABLE set by environment to 0", "_DISABLE=0",
                             "_DISABLE = 0"}) &&
        contains_any(line, {"_DISABLE", "P2P_LEVEL", "GDR_LEVEL", "NCCL_ALGO", "NCCL_PROTO", "NCHANNELS",
                            "NCCL_NET set", "BUFFSIZE", "NTHREADS", "CROSS_NIC", "nccl.conf"}))
      return fmt::format("log: \"{}\"", line);
  return std::nullopt;
}

void examine_environment(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, nccl_disabled(seen));
  it.confirms(weight::good, both(nccl_tuned(seen), slow_collective(seen)));
  // A variable slows nothing that is not slow.
  const double told = !seen.harm() ? weight::fair : seen.harm_beside_lines() ? weight::strong : weight::good;
  it.confirms(told, told_by_log(seen));
  it.confirms(weight::proof, seen.probe("unset_environment", {"recovers"}, {"NCCL_"}));
  it.confirms(weight::strong,
              seen.recovers_by({"NCCL_*=unset", "unset NCCL_", "NCCL_*removed", "NCCL_P2P_DISABLE=0",
                                "NCCL_SHM_DISABLE=0", "NCCL_IB_DISABLE=0", "nccl.conf"}));
  if (!it.evidence().empty()) {
    it.confirms(weight::hint, slow_together(seen));
    it.confirms(weight::faint, seen.on("nccl.transport", {"net", "socket", "shm"}));
  }
  // Most clusters set the card or interface. On its own that explains nothing and is only mentioned.
  if (it.evidence().empty() && nccl_chosen(seen)) {
    const Fact elsewhere_normal = seen.probe("native_benchmark", {"normal"});
    it.confirms(elsewhere_normal ? weight::fair : weight::hint,
                both(nccl_chosen(seen), slow_collective(seen)));
    it.confirms(weight::hint, both(slow_collective(seen), elsewhere_normal));
    if (!elsewhere_normal)
      it.unproven(bound::unnamed, in_words("nothing tells that it is faster without", nccl_chosen(seen)));
  }
  it.rules_out(seen.probe("unset_environment", {"no_change", "worse"}, {"NCCL_"}));
  if (seen.it().about.compared_with == "peers")
    it.at_most(bound::unnamed, in_words("with the same variables another node is fast",
                                        seen.probe("swap_node", {"recovers", "normal"})));
  // A job gives its variables to all of its nodes.
  if (seen.it().about.compared_with == "peers" && !seen.field_changed("NCCL"))
    it.at_most(bound::unnamed, in_words("others are faster with the same variables",
                                        split_class(seen, {"coll_large", "coll_small"})));
  for (const ErrorSeen& error : seen.it().errors)
    if (error.api != "nccl") it.at_most(bound::weak, Fact("an error of another interface was reported"));
}

void examine_nccl_version(const Seen& seen, Argument& it) {
  const Fact slow = either(slow_together(seen), seen.slower(application_classes));
  if (slow) {
    if (it.confirms(weight::good, seen.changed({"nccl"}))) {
      it.confirms(weight::hint, seen.slower({"coll_large", "coll_small"}));
      if (seen.changed_only({"nccl"}))
        it.confirms(weight::hint, Fact("no other version is known to have changed"));
      it.confirms(weight::hint, plain_copies_normal(seen));
    }
    it.confirms(weight::strong, seen.undone("nccl", {"recovers"}));
    const std::vector<LoggedRun> logged = logged_runs(seen, "NCCL version");
    it.confirms(weight::good, slower_under_later_version(logged, "NCCL"));
    it.confirms(weight::strong, faster_again_under_first(logged, "NCCL"));
    if (!it.evidence().empty()) it.confirms(weight::faint, seen.probe("native_benchmark", {"normal"}));
  }
  it.rules_out(seen.undone("nccl", {"no_change", "worse"}));
  it.rules_out(seen.same_version("nccl"));
  it.at_most(bound::weak, versions_aligned(seen));
  it.at_most(bound::weak, in_words("the nodes differ", versions_by_node(seen)));
  if (!seen.undone("nccl", {"recovers"})) it.unproven(bound::last_named, changed_together(seen));
  if (!seen.undone("nccl", {"recovers"}))
    it.unproven(bound::unconfident, Fact("the old version was not measured again"));
  // The rate recovers with the new version, so the version itself is not the cause.
  it.at_most(bound::half, seen.recovers_by({"GDR", "peermem", "NCCL_", "mtu", "pkey", "gid", "memlock",
                                            "cable", "acs", "iommu", "firewall", "security group"}));
  it.at_most(bound::half, nccl_disabled(seen));
  it.at_most(bound::half, seen.told({"GPU Direct RDMA Disabled", "Failed to open libibverbs"}));
  it.at_most(bound::half, both(plugin_not_loaded(seen), seen.on("nccl.transport", {"socket"})));
  it.at_most(bound::last_named, seen.slower({"p2p"}));
  if (!seen.slower({"coll_large", "coll_small"}) && !seen.undone("nccl", {"recovers"}))
    it.unproven(bound::likely, Fact("no collective was measured on its own"));
}

void examine_node_mismatch(const Seen& seen, Argument& it) {
  const Fact broken = either(seen.fails({"coll_large", "coll_small", "application"}), slow_together(seen));
  it.confirms(weight::strong, both(broken, plugins_differ(seen)));
  it.confirms(weight::strong, both(broken, versions_by_node(seen)));
  it.confirms(weight::good, both(broken, versions_aligned(seen)));
  it.confirms(weight::fair, both(broken, versions_told(seen)));
  // A program whose ranks call unlike collectives is told so by its framework, whatever the nodes hold.
  it.confirms(weight::strong, ranks_differ(seen));
  if (seen.it().about.compared_with == "peers" || seen.it().about.nodes.value_or(1) > 1) {
    it.confirms(weight::good, both(broken, seen.probe("swap_node", {"recovers", "normal"})));
    if (seen.it().about.compared_with == "peers") {
      // Different versions more often break a job than slow it.
      it.confirms(seen.fails({"coll_large", "coll_small", "application"}) ? weight::strong : weight::good,
                  both(broken, seen.changed({"nccl"})));
      it.confirms(weight::fair, both(broken, seen.field_changed("plugin")));
      it.confirms(weight::fair, both(broken, seen.changed({"driver", "cuda", "container"})));
    }
    for (const Metric* slow : seen.metrics({"coll_large", "coll_small", "init"}))
      if ((slow->fails || slower_by_figure(*slow)) && !slow->scope.node.empty()) {
        it.confirms(weight::fair, sentence(*slow));
        break;
      }
    // A node may be slow for many reasons; versions that differ mostly break a job.
    const bool versions = plugins_differ(seen) || seen.changed({"nccl", "driver", "cuda", "container"}) ||
                          seen.field_changed("plugin") || ranks_differ(seen) || versions_by_node(seen) ||
                          versions_aligned(seen);
    if (!versions && !seen.fails({}) && seen.it().errors.empty())
      it.unproven(bound::unnamed, Fact("nothing tells that versions differ between the nodes"));
  }
  it.confirms(weight::strong,
              both(broken, seen.recovers_by({"same version", "nccl=same", "align", "uniform"})));
  if (!it.evidence().empty()) it.confirms(weight::hint, seen.fails({"coll_large"}));
}

/// The container was started without more /dev/shm than Docker's default.
Fact started_without_shm(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    if (contains_any(line, {"docker run", "podman run"}) &&
        !contains_any(line, {"--shm-size", "--ipc", "/dev/shm"}))
      return fmt::format("log: \"{}\" gives /dev/shm no size", line);
  return std::nullopt;
}

void examine_shm(const Seen& seen, Argument& it) {
  const std::optional<double> size = seen.number("host.shm_mib");
  constexpr double docker_default = 64;
  constexpr double small = 1024;
  it.confirms(weight::proof, seen.told({"/dev/shm*No space left", "No space left*/dev/shm",
                                        "shared memory segment*No space", "insufficient shared memory",
                                        "Error while creating shared memory", "shm*No space left",
                                        "unable to open shared memory", "Error: failed to extend*/dev/shm",
                                        "unable to write to file </torch_", "unable to mmap*shm"}));
  it.confirms(weight::strong,
              seen.told({"DataLoader worker*Bus error", "Bus error*shm", "Bus error"}, {"PCIe Bus Error"}));
  it.confirms(weight::good,
              seen.told({"SIGBUS", "exit code 135", "exited with code 135", "exit status 135", "signal 7"}));
  it.confirms(weight::strong,
              seen.recovers_by({"shm-size", "shm_size", "shm_mib", "shm=", "/dev/shm", "--ipc", "ipc=host",
                                "ipc: host", "ipc=shareable", "emptyDir", "medium=Memory", "medium: Memory",
                                "dshm", "hostIPC", "sharedMemory"}));
  // A container has 64 MiB by default. An error of a full disk names the file.
  if (!size && !seen.told({"No space left on device: '", "No space left on device: /"}))
    it.confirms(weight::fair, both(seen.told({"No space left on device"}), started_without_shm(seen)));
  // Without workers nothing goes through shared memory.
  if (!size &&
      seen.told({"No space left on device"}, {"No space left on device: '", "No space left on device: /"}))
    it.confirms(weight::good, seen.recovers_by({"workers=0", "num_workers=0", "workers=none"}));
  const Fact broken = either(seen.fails({"coll_large", "coll_small", "application"}), slow_together(seen));
  if (size && *size < small && (broken || !it.evidence().empty()))
    it.confirms(*size <= docker_default ? weight::strong : weight::fair,
                fmt::format("/dev/shm holds {:g} MiB", *size));
  if (!it.evidence().empty()) {
    it.confirms(weight::faint, seen.on("host.container"));
    it.confirms(weight::faint, seen.fails({"coll_large"}));
  }
  if (size && *size >= 8 * small) it.at_most(bound::unnamed, fmt::format("/dev/shm holds {:g} MiB", *size));
}

/// UCX's log names a version whose memory hooks do not support newer drivers (fixed in openucx/ucx 1.18.1).
Fact old_ucx(const Seen& seen) {
  constexpr std::string_view mark = "version ";
  for (const std::string& line : seen.it().log) {
    if (!contains(line, "ucx")) continue;
    const std::string low = lower(line);
    const std::size_t at = low.find(mark);
    if (at == std::string::npos) continue;
    const std::string version =
        low.substr(at + mark.size(), low.find_first_of(" ,)", at + mark.size()) - at - mark.size());
    const auto known = stack::Version::parse(version);
    if (known && known->major() == 1 && *known < stack::Version({1, 18, 1}))
      return fmt::format("log: UCX {}", version);
  }
  return std::nullopt;
}

void examine_hook(const Seen& seen, Argument& it) {
  const Fact small = seen.slower({"coll_small", "p2p", "application"});
  const Fact library =
      either(either(seen.slower({}, {.library = "ucx"}), seen.slower({}, {.library = "mpi"})),
             either(seen.slower({}, {.op = "osu"}), seen.slower({}, {.library = "libfabric"})));
  it.confirms(weight::strong, seen.told({"rcache*fail", "registration cache*fail", "ucm*fail", "bistro",
                                         "memory hooks*fail", "failed to install*hook", "memory events*not",
                                         "rcache*disabled", "hook*cuda*fail", "UCX*memtype cache"}));
  it.confirms(weight::strong, both(small, seen.probe("change_version", {"recovers"},
                                                     {"ucx", "openmpi", "mpi", "mvapich", "hpc-x"})));
  it.confirms(weight::fair, both(small, seen.recovers_by({"UCX_", "ucx", "RCACHE"})));
  it.confirms(weight::good, both(both(small, seen.changed({"driver"})), old_ucx(seen)));
  if (library || !it.evidence().empty()) {
    it.confirms(weight::hint, library);
    it.confirms(weight::hint, seen.changed({"driver"}));
    it.confirms(weight::hint, both(seen.slower({"coll_small"}), seen.unchanged({"coll_large"})));
  }
  it.at_most(bound::weak, seen.slower({"coll_large"}));
}

}  // namespace

Signatures collective_setting_causes() {
  return {
      {.name = "nccl_env_leftover",
       .title = "A variable or file of NCCL takes a path away from it",
       .what = "NCCL_P2P_DISABLE, NCCL_SHM_DISABLE, NCCL_IB_DISABLE and the like are set to find a fault and "
               "stay, in a "
               "script, an image or /etc/nccl.conf. Traffic goes the long way.",
       .moves = "coll_large --",
       .confirms =
           "the variable in the environment, \"set by environment\" in the log; unsetting it recovers",
       .excludes = "unsetting it changes nothing",
       .confused_with = {{"nccl_socket_fallback", "is NCCL_IB_DISABLE or NCCL_NET set?"},
                         {"nccl_p2p_to_shm", "is NCCL_P2P_DISABLE or NCCL_P2P_LEVEL set?"},
                         {"nccl_version_regression", "is it slower without any NCCL_ variable?"}},
       .next = "env | grep NCCL_; cat /etc/nccl.conf ~/.nccl.conf; measure again without them",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html"},
       .examine = examine_environment},
      {.name = "nccl_version_regression",
       .title = "This version of NCCL is slower here",
       .what = "Another version chooses another algorithm, protocol or path for this machine and size. Plain "
               "copies between "
               "devices are as fast as ever.",
       .moves = "coll_large ?, coll_small ?, p2p 0",
       .confirms = "the version differs and the old one recovers, measured several times, over all sizes",
       .excludes = "plain copies are slower too; one setting restores the rate; the old version is as slow; "
                   "NCCL is of one version on both sides",
       .confused_with = {{"gdr_disabled", "does NCCL_NET_GDR_READ=1 restore the rate?"},
                         {"nccl_env_leftover", "is it slower without any NCCL_ variable?"},
                         {"nccl_p2p_to_shm", "does the log show another transport?"}},
       .subject = Subject::software,
       .next = "run nccl-tests with both libraries (LD_LIBRARY_PATH), old, new, old, five times each over "
               "all sizes",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/release-notes/index.html"},
       .examine = examine_nccl_version},
      {.name = "nccl_node_mismatch",
       .title = "The nodes of one job have different versions of NCCL, its plugin or the driver",
       .what =
           "All ranks must use the same NCCL, plugins and settings that choose an algorithm, and should have "
           "one driver. Nodes that differ hang, fail, or agree on the slowest path.",
       .moves = "coll_large x",
       .confirms = "versions differ between nodes; a message names a mismatch; without the odd node it works",
       .excludes = "all nodes are alike",
       .confused_with = {{"nccl_version_regression", "are all nodes alike?"},
                         {"nccl_plugin_load_failure", "do all nodes load the plugin?"}},
       .severity = Severity::failure,
       .next = "NCCL_DEBUG=VERSION on every node; gpugauge doctor diff of two nodes",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_node_mismatch},
      {.name = "shm_too_small",
       .title = "/dev/shm is too small for the processes of one node",
       .what = "NCCL and data loaders exchange data through /dev/shm. A container has 64 MiB unless told "
               "otherwise: they end "
               "with a bus error or no space left.",
       .moves = "coll_large x",
       .confirms = "the size of /dev/shm; a message about shared memory; --shm-size or --ipc=host recovers",
       .excludes = "/dev/shm is large",
       .confused_with = {{"nccl_node_mismatch", "does it fail on one node already?"}},
       .severity = Severity::failure,
       .next = "df -h /dev/shm; docker run --shm-size=8g (or --ipc=host)",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"},
       .examine = examine_shm},
      {.name = "comm_lib_hook_broken_by_driver",
       .title = "A communication library can no longer hook this driver's memory calls",
       .what = "UCX and others patch CUDA's calls to cache memory registrations. With a new driver the patch "
               "may not apply: "
               "every small message registers its memory again.",
       .moves = "coll_small -, coll_large 0",
       .confirms = "the library's log about hooks or its registration cache; a newer library recovers; small "
                   "messages only",
       .excludes = "large messages are slower too",
       .confused_with = {{"driver_regression",
                          "does a newer communication library recover with the same driver?"},
                         {"nccl_version_regression", "is it NCCL, or UCX or MPI?"}},
       .subject = Subject::software,
       .next =
           "ucx_info -v; UCX_LOG_LEVEL=debug ./program 2>&1 | grep -iE 'rcache|ucm'; use UCX 1.18.1 or newer",
       .reading = {"https://github.com/openucx/ucx/issues/10868"},
       .examine = examine_hook},
  };
}

}  // namespace gpugauge::diagnose
