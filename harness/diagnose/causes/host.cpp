// The host slows the GPU: limits, contention, clocks and placement of its processors.

#include "diagnose/causes/host_told.hpp"
#include "diagnose/causes/printed.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr double load_matters = 25;      // percent of all processors
constexpr double pressure_matters = 20;  // percent of the time
constexpr double load_full = 60;         // percent of all processors
constexpr double steal_matters = 2;      // percent of a processor

const Words host_bound{"launch", "h2d",   "d2h",         "host_cpu",    "host_memory",
                       "sync",   "alloc", "application", "framework_op"};

Fact throttled(const Seen& seen) {
  return seen.at_least("cpu_throttled_periods", 1);
}

void examine_cgroup(const Seen& seen, Argument& it) {
  const Fact harmed = seen.slower(host_bound);
  it.confirms(weight::proof, seen.probe("outside_cgroup", {"recovers"}));
  const Fact quota = seen.recovers_by({"cpu.max", "cpu_limit", "cpu limit", "--cpus", "cpu_quota", "CPUQuota",
                                       "cpu-quota", "cpu quota", "cfs_quota", "cgroup", "cpuset",
                                       "limits.cpu", "cpus=", "resources.limits"});
  // Processors for a task of Slurm are a mask.
  if (!contains_any(quota.value_or(""), {"cpus-per", "cpus_per"})) it.confirms(weight::strong, quota);
  it.confirms(weight::good,
              seen.told({"nr_throttled", "cpu throttl*cgroup", "cfs throttl", "cfs_throttled", "CPUQuota",
                         "cpu quota", "cpu limit of", "throttled_usec", "CPUThrottling"},
                        {"nr_throttled 0", "nr_throttled: 0", "nr_throttled=0", "throttled_usec 0",
                         "throttled_usec: 0", "CPUQuota=infinity", "quota_us -1", "quota undefined"}));
  const Fact fewer_threads =
      seen.recovers_by({"OMP_NUM_THREADS", "num_threads", "fewer threads", "threads="});
  if (harmed) {
    it.confirms(weight::strong, throttled(seen));
    it.confirms(weight::fair, processors_limited(seen));
    // A period is spent the sooner the more threads share it.
    it.confirms(weight::good, stops_by_periods(seen));
    if (processors_limited(seen)) it.confirms(weight::fair, fewer_threads);
    if (throttled(seen)) it.confirms(weight::hint, seen.slower({"host_cpu"}));
    if (processors_limited(seen) || throttled(seen))
      it.confirms(weight::hint, seen.probe("cpu_benchmark", {"slow", "recovers", "worse"}));
  }
  if (!it.evidence().empty()) it.confirms(weight::faint, seen.on("host.container"));
  it.rules_out(seen.probe("outside_cgroup", {"no_change", "slow", "worse", "normal"}));
  // Control groups also hold back devices.
  if (!throttled(seen) && !processors_limited(seen))
    it.at_most(bound::below_half, either(seen.on("nccl.transport", {"shm"}),
                                         seen.recovers_by({"--gpus-per-node", "--gpu-bind", "gpus-per-task",
                                                           "visible devices", "NVIDIA_VISIBLE_DEVICES"})));
  // A quota applies on every processor.
  it.at_most(bound::last_named, seen.recovers_by({"idle_processors"}));
  it.at_most(bound::last_named, seen.probe("cpu_benchmark", {"normal"}));
  if (!throttled(seen) && !seen.probe("outside_cgroup", {"recovers"}) &&
      seen.telemetry("cpu_throttled_periods") != nullptr)
    it.at_most(bound::unnamed, Fact("no period was throttled"));
}

void examine_contention(const Seen& seen, Argument& it) {
  const Fact harmed = seen.slower(host_bound);
  if (harmed) it.confirms(weight::good, too_many_workers(seen));
  if (!seen.at_least("cpu_load_percent", load_matters)) it.at_most(bound::unnamed, quicker_when_busy(seen));
  if (harmed) {
    it.confirms(seen.at_least("cpu_load_percent", load_full) ? weight::strong : weight::good,
                seen.at_least("cpu_load_percent", load_matters));
    it.confirms(weight::good,
                seen.told({"oversubscri*core", "oversubscri*cpu", "oversubscri*thread", "too many threads",
                           "threads than cores", "all CPUs*high", "all cores*100", "CPU usage*100",
                           "high CPU usage", "CPU*at 100", "cpu-bound", "cpu bound", "bound by the cpu",
                           "all CPU cores", "all cores*busy", "CPU is the bottleneck", "cpu bottleneck",
                           "CPUs*high usage", "cores in use by"}));
    // Of workers that share few of many, the mask is to blame.
    it.confirms(weight::good, seen.told({"cores busy", "cores are busy", "threads busy"}, {"only ", "idle"}));
    it.confirms(weight::good, seen.at_least("cpu_pressure_percent", pressure_matters));
    it.confirms(weight::strong, seen.at_least("cpu_steal_percent", steal_matters));
    it.confirms(weight::fair, seen.probe("cpu_benchmark", {"slow", "worse"}));
    // A neighbour on the core, which no system counter shows, or a low clock.
    it.confirms(weight::fair, slower_processor(seen));
    if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"host_cpu", "host_memory", "launch"}));
  }
  if (harmed) {
    it.confirms(
        weight::good,
        either(seen.moved("cpu_load_percent", {"higher"}),
               either(seen.moved("cpu_pressure", {"higher"}),
                      either(seen.moved("cpu_steal", {"higher"}), seen.moved("load_average", {"higher"})))));
    // The GPU has less to do because the processors prepare its work later.
    const Fact idler = either(seen.moved("utiliz", {"lower"}), seen.less_than("utilization_percent", 50));
    if (it.confirms(weight::fair, both(waits_for_data(seen), idler)))
      it.confirms(weight::hint, seen.on("drift", {"worse_with_time"}));
  }
  it.confirms(weight::good, seen.told({"load average", "soft lockup", "steal time", "cpu pressure",
                                       "noisy neighbour", "noisy neighbor", "keeps the processors busy",
                                       "processors are busy", "CPUs are busy", "CPU is busy", "CPU*busy with",
                                       "competes for the CPU", "compete for CPU", "starved of CPU",
                                       "CPU starvation", "CPU contention", "core contention"}));
  it.confirms(weight::strong, seen.recovers_by({"other jobs",
                                                "other process",
                                                "load=",
                                                "neighbour",
                                                "stress",
                                                "boinc",
                                                "folding@home",
                                                "xmrig",
                                                "backup",
                                                "compile job",
                                                "compilation stopped",
                                                "build job",
                                                "make -j",
                                                "antivirus",
                                                "indexer",
                                                "idle_processors",
                                                "OMP_NUM_THREADS",
                                                "set_num_threads",
                                                "MKL_NUM_THREADS",
                                                "num_threads",
                                                "OPENBLAS_NUM_THREADS",
                                                "fewer threads",
                                                "threads=",
                                                "cpu cores",
                                                "cpu_cores",
                                                "cpus=more",
                                                "cpu scheduler",
                                                "sched_ext",
                                                "nice=",
                                                "renice",
                                                "chrt",
                                                "isolcpus",
                                                "cpu priority",
                                                "process priority",
                                                "other programs",
                                                "other applications",
                                                "background",
                                                "other_application",
                                                "other_app",
                                                "other app",
                                                "other_program"}));
  // Launches wait for a processor before copies do: a copy engine needs none for large blocks.
  if (!seen.slower({"launch", "sync", "host_cpu", "host_memory", "alloc", "application", "framework_op"}) &&
      seen.slower({"h2d", "d2h"}))
    it.at_most(bound::unconfident, seen.unchanged({"launch"}));
  // A permanent limit on the processors does not pass within seconds.
  if (harmed) it.confirms(weight::fair, seen.probe("repeat_later", {"normal"}));
  if (harmed && !it.evidence().empty()) it.confirms(weight::fair, seen.probe("repeat_later", {"recovers"}));
  // The machine has processors to spare; it is the group that lets its threads wait.
  if (const std::optional<double> load = seen.number("cpu_load_percent"); load && *load < load_matters)
    it.at_most(bound::weak, both(processors_limited(seen), Fact("other work takes no processors")));
  it.at_most(bound::weak, stops_by_periods(seen));
  it.at_most(bound::half, seen.unmoved_by({"idle_processors"}));
  it.at_most(bound::weak, mask_seen(seen));
  it.at_most(bound::weak, throttled(seen));
  it.at_most(bound::last_named, seen.probe("outside_cgroup", {"recovers"}));
  it.at_most(bound::last_named, seen.probe("cpu_benchmark", {"normal"}));
  it.at_most(bound::last_named, seen.recovers_by({"governor", "affinity", "taskset"}));
  it.at_most(bound::unnamed, seen.recovers_by({"num_workers", "workers="}));
}

const Words slow_governors{"powersave", "conservative"};

/// Another governor was used before, and a power-saving one is used now. "absent" means an unreadable
/// governor, which does not count as another one.
Fact changed_to_slow_governor(const Seen& seen) {
  Fact fact = seen.changed_to("governor", slow_governors);
  if (!fact) return std::nullopt;
  for (const auto& [field, change] : *seen.it().changed)
    if (contains(field, "governor") &&
        contains_any(change.before.text(), {"performance", "ondemand", "schedutil", "userspace"}))
      return fact;
  return std::nullopt;
}

void examine_governor(const Seen& seen, Argument& it) {
  const Fact harmed =
      seen.slower({"host_cpu", "launch", "host_memory", "sync", "application", "h2d", "framework_op"});
  const Fact switched =
      seen.recovers_by({"governor", "cpupower", "energy_performance", "scaling_max_freq", "cpufreq",
                        "turbo boost", "cpu boost", "no_turbo", "x86_energy_perf_policy", "prochot"});
  const Fact low = seen.below("cpu_clock_mhz", "cpu_clock_expected_mhz", .9);
  const Fact performance = seen.on("host.governor", {"performance"});
  it.confirms(weight::proof, switched);
  it.confirms(weight::strong, seen.recovers_by({"tuned-adm", "tuned=", "intel_pstate", "amd_pstate",
                                                "C-state", "cstate", "intel_idle"}));
  it.confirms(weight::good, seen.recovers_by({"power plan", "power profile", "power_profile", "powerplan"}));
  // The firmware's profile of power.
  it.confirms(
      weight::strong,
      both(harmed, seen.recovers_by({"system_profile", "system profile", "bios*profile", "workload profile",
                                     "workload_profile", "power regulator", "power_regulator",
                                     "cpu power management", "cpu_power_management", "DAPC", "P-state"})));
  if (harmed) {
    it.confirms(weight::good, quicker_when_busy(seen));
    // The change and the present state are one fact.
    if (!it.confirms(weight::strong, changed_to_slow_governor(seen)))
      it.confirms(weight::good, either(seen.on("host.governor", slow_governors),
                                       seen.told({"governor*powersave", "powersave*governor",
                                                  "governor = powersave", "cpu*stuck at*mhz"})));
    it.confirms(weight::strong, low);
    it.confirms(weight::good, either(processors_at_lowest_clock(seen), seen.moved("cpu_clock", {"lower"})));
    it.confirms(weight::good, clock_policy_limited(seen));
    it.confirms(weight::good,
                seen.told({"PROCHOT*assert", "PROCHOT*active", "PROCHOT*log"}, {"not assert", "not active"}));
    it.confirms(weight::hint, either(seen.on("host.governor", {"ondemand"}),
                                     seen.told({"governor \"ondemand\"", "governor \"conservative\""})));
    it.confirms(weight::fair, slower_processor(seen));
    if (!it.evidence().empty()) it.confirms(weight::hint, seen.slower({"host_cpu"}));
  }
  // Something else may hold the clock low under this governor: a limit of the frequency, the board or the heat.
  if (!low) it.at_most(bound::remote, either(performance, seen.changed_to("governor", {"performance"})));
  // Elsewhere the mean clock is that of idle processors, which may vary.
  if (low && performance) it.is_new();
  it.at_most(bound::unnamed, throttled(seen));
  it.at_most(bound::unnamed, in_words("other work kept the processors busy, whatever their clock",
                                      seen.at_least("cpu_load_percent", load_matters)));
  it.at_most(bound::unnamed, in_words("threads waited for a processor, whatever its clock",
                                      seen.at_least("cpu_pressure_percent", pressure_matters)));
  it.at_most(bound::unnamed, seen.recovers_by({"idle_processors"}));
  it.at_most(bound::unnamed, seen.probe("repeat_later", {"normal"}));
  // A launch is pure processor work, so a low clock slows launches first.
  if (!switched && seen.unchanged({"launch"}))
    it.at_most(bound::unnamed, Fact("launch is unchanged, predicted slower"));
  it.rules_out(seen.unmoved_by({"governor", "cpupower"}));
  if (!low)
    it.at_most(bound::unnamed,
               both(seen.telemetry("cpu_clock_mhz") != nullptr ? Fact("the clock was read") : Fact(),
                    seen.number("cpu_clock_expected_mhz") ? Fact("and it is not low") : Fact()));
}

void examine_affinity(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.recovers_by({"affinity", "taskset", "GOMP_CPU", "KMP_AFFINITY", "cpu_bind", "cpu-bind",
                                "cpus_allowed", "sched_setaffinity", "OMP_PROC_BIND", "OMP_PLACES",
                                "hint=multithread", "cpus-per-task", "core binding", "bind-to none",
                                "bind_to none", "bind-to socket", "map-by", "pinoffset", "-pin off"}));
  it.confirms(weight::good, mask_seen(seen));
  if (seen.slower(host_bound)) {
    it.confirms(weight::strong, both(seen.field_changed("cpus_allowed"), narrowed(seen)));
    it.confirms(weight::good, narrowed(seen));
    it.confirms(weight::fair,
                either(seen.environment("GOMP_CPU_AFFINITY"), seen.environment("KMP_AFFINITY")));
    it.confirms(weight::fair, seen.told({"Cpus_allowed_list", "affinity mask", "cpuset.cpus"}));
    // As many workers as processors, but few processors run them. One busy thread is how CUDA waits.
    it.confirms(weight::fair,
                seen.told({"only * of * cores", "only * of * processors", "only * of the * cores",
                           "workers*on one core", "workers share*core", "workers*same core"}));
    // Many workers, and one processor that runs them all.
    it.confirms(weight::good,
                seen.told({"only 1 cpu core*worker", "only one cpu core*worker", "only 1 core*worker",
                           "single core*worker", "worker*only 1 cpu", "worker*only one cpu",
                           "worker*a single core", "worker*only one core"}));
  }
  if (!it.evidence().empty()) it.confirms(weight::faint, seen.slower({"launch", "h2d"}));
  it.rules_out(seen.unmoved_by({"affinity", "taskset"}));
  // Processors were bound and added at once; without a visible narrow mask it is open which one helped.
  if (!mask_seen(seen) && !narrowed(seen))
    it.unproven(bound::likely,
                in_words("which of the two it was is open",
                         seen.probe("change_setting", {"recovers"}, {"cpus*,*bind", "bind*,*cpus"})));
  // The mask allows processors on which the work is fast.
  it.at_most(bound::half, seen.recovers_by({"idle_processors"}));
  it.at_most(bound::unnamed, seen.probe("repeat_later", {"normal"}));
  it.at_most(bound::weak, throttled(seen));
  it.at_most(bound::last_named, seen.probe("outside_cgroup", {"recovers"}));
  it.at_most(bound::below_half, seen.probe("pin_to_local_numa", {"recovers"}));
}

}  // namespace

Signatures host_causes() {
  return {
      {.name = "cgroup_cpu_limit",
       .title = "A control group holds the process's processors back",
       .what = "A container or batch system limits processor time. The thread that launches and copies is "
               "stopped for the "
               "rest of each period; work on the GPU itself is as fast as ever.",
       .moves = "launch -, h2d -, host_cpu -, gemm16 0, hbm 0",
       .confirms = "throttled periods in cpu.stat during the work; outside of the group it is normal",
       .excludes = "no throttled period; it is as slow outside; a pure processor benchmark is normal",
       .confused_with = {{"cpu_contention", "is nr_throttled in cpu.stat rising, or is the machine busy?"},
                         {"cpu_affinity_wrong", "is the affinity mask narrow?"},
                         {"driver_regression", "is a pure processor benchmark slower too?"}},
       .next = "cat /sys/fs/cgroup/cpu.max; grep throttled /sys/fs/cgroup/cpu.stat before and after; raise "
               "the limit",
       .reading = {"https://docs.kernel.org/admin-guide/cgroup-v2.html#cpu"},
       .examine = examine_cgroup},
      {.name = "cpu_contention",
       .title = "Other work takes the processors or their memory bandwidth",
       .what = "Other processes, or the hypervisor, take processor time while the GPU's host thread needs "
               "it: launches and "
               "copies wait, and host benchmarks are slower too.",
       .moves = "launch -, h2d -, host_cpu -, host_memory -, gemm16 0",
       .confirms =
           "load of others, pressure stall or steal time is high during the work; reading the processor's "
           "clock takes longer than before, which a neighbour on the core brings about unseen by these",
       .excludes = "the control group throttles; a pure processor benchmark is normal",
       .confused_with = {{"cgroup_cpu_limit", "is nr_throttled in cpu.stat rising?"},
                         {"cpu_governor", "are all host benchmarks slower evenly on an idle machine?"},
                         {"cpu_affinity_wrong", "is only this process confined?"}},
       .next = "cat /proc/pressure/cpu; top -b -n1 | head -15; measure again when the machine is quiet",
       .reading = {"https://docs.kernel.org/accounting/psi.html"},
       .examine = examine_contention},
      {.name = "cpu_governor",
       .title = "The processors' clock is held low by the governor, or by a limit beside it",
       .what =
           "A power-saving governor keeps processors at a low clock or raises it late; under any governor "
           "a limit of the frequency, the board or the heat does. Everything on the host is slower by the "
           "same factor, launches with it.",
       .moves = "launch -, host_cpu -, gemm16 0, hbm 0",
       .stands_on = {"governor"},
       .confirms = "governor powersave or a low processor clock, host benchmarks down evenly, reading the "
                   "processor's clock takes longer; performance recovers",
       .excludes =
           "governor performance, where the clock is not low; the machine is busy; launches are as fast "
           "as before",
       .confused_with = {{"cpu_contention", "is the machine idle otherwise?"},
                         {"cgroup_cpu_limit", "is nr_throttled in cpu.stat rising?"}},
       .next = "grep . /sys/devices/system/cpu/cpu0/cpufreq/scaling_{governor,cur_freq,max_freq}; cpupower "
               "frequency-set -g performance",
       .reading = {"https://docs.kernel.org/admin-guide/pm/cpufreq.html"},
       .examine = examine_governor},
      {.name = "cpu_affinity_wrong",
       .title = "The process is confined to few or far processors",
       .what = "An affinity mask, inherited from a launcher or set by an OpenMP variable, leaves the process "
               "few processors, "
               "or those of another node.",
       .moves = "launch -, h2d -, gemm16 0, hbm 0",
       .stands_on = {"cpus_allowed", "affinity"},
       .confirms = "the mask allows few processors; widening it recovers",
       .excludes = "widening changes nothing; the control group throttles",
       .confused_with = {{"numa_misplacement",
                          "does pinning to the GPU's node recover, or only more processors?"},
                         {"cgroup_cpu_limit", "is nr_throttled in cpu.stat rising?"}},
       .next = "taskset -cp PID; taskset -c 0-$(($(nproc --all) - 1)) ./program",
       .reading = {"https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html"},
       .examine = examine_affinity},
  };
}

}  // namespace gpugauge::diagnose
