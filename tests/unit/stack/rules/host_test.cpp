// The host: container and image, limits, buses, environment variables.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> host(const Inventory& inventory, Policy policy = Policy::development) {
  return said(findings_of(check_host, inventory, policy));
}

Inventory with_items(Inventory inventory, const std::vector<std::pair<std::string, std::string>>& items) {
  set_all(inventory, items);
  return inventory;
}

TEST(HostRules, HealthyMachinesAreLeftAlone) {
  for (const Inventory& inventory :
       {h100_server(), h200_machine(), geforce_desktop(), a100_container(), empty_machine()})
    EXPECT_THAT(host(inventory, Policy::production), IsEmpty());
  EXPECT_THAT(host(wsl_machine()), ElementsAre("note wsl_limits"));
}

TEST(HostRules, AnImageNewerThanTheHostsDriver) {
  Inventory inventory = with_items(a100_container(), {{"driver.cuda_max", "12.2"},
                                                      {"driver.kernel_module_version", "535.104.05"},
                                                      {"container.image_cuda", "13.0.1"},
                                                      {"container.require", "cuda>=13.0"}});
  const Findings findings = findings_of(check_host, inventory);
  EXPECT_THAT(said(findings), ElementsAre("failure container_newer_than_host"));
  EXPECT_EQ(findings[0].title, "The image's CUDA 13.0.1 is too new for the host's driver");
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"newest CUDA of the driver: 12.2 (test)",
                                                  "the host's kernel module 535.104.05 (test)",
                                                  "oldest driver for CUDA 13: 580.65.06"}));
  set(inventory, "container.image_cuda", "12.8");
  EXPECT_THAT(host(inventory), ElementsAre("note container_newer_than_host")) << "minor versions run";
  set(inventory, "container.image_cuda", "12.2.140");
  EXPECT_THAT(host(inventory), IsEmpty());
  inventory.absent("driver.cuda_max", "libcuda");
  set(inventory, "container.image_cuda", "13.0");
  EXPECT_THAT(host(inventory), ElementsAre("failure container_newer_than_host"))
      << "the kernel module's version decides where libcuda does not say";
  set(inventory, "container.kind", "none");
  EXPECT_THAT(host(inventory), IsEmpty());
}

TEST(HostRules, AnOldCLibrary) {
  EXPECT_THAT(host(with_items(a100_container(), {{"host.libc", "glibc 2.27"}})),
              ElementsAre("warning container_old_libc"));
  EXPECT_THAT(host(with_items(h200_machine(), {{"host.libc", "glibc 2.17"}})),
              ElementsAre("warning old_libc"));
  EXPECT_THAT(host(with_items(h200_machine(), {{"host.libc", "glibc 2.28"}})), IsEmpty());
  EXPECT_THAT(host(with_items(h200_machine(), {{"host.libc", "musl 1.2"}})), IsEmpty());
}

TEST(HostRules, AControlGroupsLimit) {
  const Findings findings =
      findings_of(check_host, with_items(h100_server(), {{"host.cgroup_cpu_limit", "4"}}));
  EXPECT_THAT(said(findings), ElementsAre("warning cgroup_cpu_limit"));
  EXPECT_EQ(findings[0].title, "A control group limits this process to 4 processors");
  EXPECT_THAT(findings[0].evidence, Contains("8 GPUs"));
  EXPECT_THAT(host(with_items(h100_server(), {{"host.cgroup_cpu_limit", "64"}})),
              ElementsAre("note cgroup_cpu_limit"));
  EXPECT_THAT(host(with_items(h100_server(), {{"host.cgroup_cpu_limit", "224"}})), IsEmpty());
  EXPECT_THAT(host(with_items(empty_machine(), {{"host.cgroup_cpu_limit", "0.5"}})),
              ElementsAre("warning cgroup_cpu_limit"));
}

TEST(HostRules, AnAffinityMaskNarrowerThanTheGpus) {
  EXPECT_THAT(host(with_items(h100_server(), {{"host.cpus_allowed", "0-3,8"}})),
              ElementsAre("warning cpu_affinity_wrong"));
  EXPECT_THAT(host(with_items(h100_server(), {{"host.cpus_allowed", "0-7"}})), IsEmpty());
  for (const std::string damaged : {"", "all", "3-1", "0-", "0-99999999999", "1;2", "-5"})
    EXPECT_THAT(host(with_items(h100_server(), {{"host.cpus_allowed", damaged}})), IsEmpty()) << damaged;
  // 1 and 4096 times 2^20, which 32 bits would take for one processor.
  std::string many = "0";
  for (int i = 0; i < 4096; ++i) many += ",0-1048575";
  EXPECT_THAT(host(with_items(h100_server(), {{"host.cpus_allowed", many}})), IsEmpty());
}

TEST(HostRules, ThePowersaveGovernorIsANoteOutsideOfProduction) {
  const Inventory inventory = with_items(geforce_desktop(), {{"host.governor", "powersave"}});
  EXPECT_THAT(host(inventory), ElementsAre("note cpu_governor"));
  EXPECT_THAT(host(inventory, Policy::production), ElementsAre("warning cpu_governor"));
}

TEST(HostRules, SharedAndLockedMemory) {
  EXPECT_THAT(host(with_items(h100_server(), {{"host.shm_mib", "64"}})),
              ElementsAre("warning shm_too_small"));
  EXPECT_THAT(host(with_items(h100_server(), {{"host.shm_mib", "1024"}})), IsEmpty());
  EXPECT_THAT(host(with_items(a100_container(), {{"host.shm_mib", "64"}})),
              ElementsAre("note shm_too_small"));
  EXPECT_THAT(host(with_items(empty_machine(), {{"host.shm_mib", "64"}})), IsEmpty());
  EXPECT_THAT(host(with_items(h100_server(), {{"host.memlock_kib", "8192"}})),
              ElementsAre("warning locked_memory_limit"));
  EXPECT_THAT(host(with_items(h200_machine(), {{"host.memlock_kib", "8192"}})), IsEmpty()) << "no InfiniBand";
}

TEST(HostRules, TheIommuMattersAmongSeveralGpus) {
  EXPECT_THAT(host(with_items(h100_server(), {{"host.iommu", "translated"}})),
              ElementsAre("warning iommu_translation"));
  EXPECT_THAT(host(with_items(geforce_desktop(), {{"host.iommu", "translated"}})),
              ElementsAre("note iommu_translation"));
  EXPECT_THAT(host(with_items(h100_server(), {{"host.iommu", "translated"}, {"host.virtualization", "kvm"}})),
              ElementsAre("note iommu_translation"));
}

TEST(HostRules, TheWordForPassingThroughIsTheProcessors) {
  const auto next = [](Inventory inventory, const std::string& processor) {
    set_all(inventory, {{"host.iommu", "translated"}, {"host.cpu_model", processor}});
    return the(findings_of(check_host, inventory), "iommu_translation").next;
  };
  EXPECT_THAT(next(h100_server(), "Intel(R) Xeon(R) Platinum 8480C"),
              ElementsAre(AllOf(HasSubstr("iommu=pt"), Not(HasSubstr("iommu.passthrough")))));
  EXPECT_THAT(next(h100_server(), "implementer 0x41 part 0xd4f"),
              ElementsAre(AllOf(HasSubstr("iommu.passthrough=1"), Not(HasSubstr("iommu=pt")),
                                Not(HasSubstr("off")))));
}

TEST(HostRules, BesideGraceTheIommuIsMeantToTranslate) {
  for (const std::string name : {"NVIDIA GH200 480GB", "NVIDIA GB200", "NVIDIA GB300", "NVIDIA GB10"}) {
    Inventory inventory = linux_with_driver();
    add_gpus(inventory, 4, name, "9.0", "900");
    set_all(inventory, {{"host.iommu", "translated"}, {"host.cpu_model", "implementer 0x41 part 0xd4f"}});
    EXPECT_THAT(host(inventory), IsEmpty()) << name;
  }
}

TEST(HostRules, NvlinkAloneLeavesTheIommuANote) {
  Inventory inventory = with_items(h100_server(), {{"host.iommu", "translated"}});
  inventory.absent("host.infiniband", "/sys/class/infiniband");
  const Findings findings = findings_of(check_host, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note iommu_translation"));
  EXPECT_THAT(findings[0].evidence, Contains("the GPUs have NVLink, which this does not touch"));
  set_gpu(inventory, 5, {{"nvlinks_active", "0"}});
  EXPECT_THAT(host(inventory), ElementsAre("warning iommu_translation"));
}

TEST(HostRules, AccessControlServices) {
  EXPECT_THAT(host(with_items(h100_server(), {{"host.acs", "on"}})), ElementsAre("warning acs_enabled"));
  Inventory linked = with_items(h100_server(), {{"host.acs", "on"}});
  linked.absent("host.infiniband", "/sys/class/infiniband");
  EXPECT_THAT(host(linked), ElementsAre("note acs_enabled")) << "NVLink is not touched by it";
  EXPECT_THAT(host(with_items(h200_machine(), {{"host.acs", "on"}})), IsEmpty()) << "one GPU, no InfiniBand";
  EXPECT_THAT(host(with_items(h100_server(), {{"host.acs", "on"}, {"host.virtualization", "kvm"}})),
              IsEmpty());
}

TEST(HostRules, InfiniBandWithoutPeerMemory) {
  Inventory inventory = with_items(h100_server(), {{"driver.kernel_module_kind", "proprietary"}});
  inventory.absent("driver.peermem", "/sys/module");
  EXPECT_THAT(host(inventory), ElementsAre("warning gdr_disabled"));
  set(inventory, "driver.kernel_module_kind", "open");
  EXPECT_THAT(host(inventory), ElementsAre("note gdr_disabled"));
  inventory.absent("host.infiniband", "/sys/class/infiniband");
  EXPECT_THAT(host(inventory), IsEmpty());
}

TEST(HostRules, APlainNetworkCardBesideOneGpuAsksForNothing) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 1, "NVIDIA L4", "8.9", "72");
  set_all(inventory, {{"driver.kernel_module_kind", "proprietary"},
                      {"host.memlock_kib", "8192"},
                      {"host.infiniband", "bnxt_re0"},
                      {"host.infiniband.bnxt_re0.driver", "bnxt_en"},
                      {"host.infiniband.bnxt_re0.link_layer", "Ethernet"},
                      {"host.infiniband.bnxt_re0.state", "DOWN"}});
  inventory.absent("driver.peermem", "/sys/module");
  EXPECT_THAT(host(inventory), IsEmpty());
  set(inventory, "host.infiniband.bnxt_re0.state", "ACTIVE");
  EXPECT_THAT(host(inventory), ElementsAre("note locked_memory_limit", "note gdr_disabled"));
  EXPECT_THAT(the(findings_of(check_host, inventory), "gdr_disabled").next.front(), HasSubstr("DMA-BUF"));
  set(inventory, "host.infiniband.bnxt_re0.link_layer", "InfiniBand");
  EXPECT_THAT(host(inventory), ElementsAre("warning locked_memory_limit", "warning gdr_disabled"));
}

TEST(HostRules, EfaNeedsNoPeerMemoryModule) {
  Inventory inventory = with_items(h100_server(), {{"driver.kernel_module_kind", "proprietary"},
                                                   {"host.infiniband", "rdmap16s27 rdmap32s27"},
                                                   {"host.infiniband.rdmap16s27.driver", "efa"},
                                                   {"host.infiniband.rdmap32s27.driver", "efa"},
                                                   {"host.memlock_kib", "8192"}});
  inventory.absent("driver.peermem", "/sys/module");
  EXPECT_THAT(host(inventory), ElementsAre("warning locked_memory_limit")) << "it locks what it registers";
  set(inventory, "host.infiniband.rdmap32s27.driver", "mlx5_core");
  EXPECT_THAT(host(inventory), ElementsAre("warning locked_memory_limit", "warning gdr_disabled"));
}

TEST(HostRules, FunctionsThatManageSwitchesAreNoFabric) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 8, "NVIDIA B200", "10.0", "1000");
  set_all(inventory, {{"host.infiniband", "mlx5_0 mlx5_1"},
                      {"host.infiniband.mlx5_0.link_layer", "InfiniBand"},
                      {"host.infiniband.mlx5_1.link_layer", "InfiniBand"},
                      {"host.memlock_kib", "8192"},
                      {"host.acs", "on"}});
  inventory.absent("driver.peermem", "/sys/module");
  const Findings doubtful = findings_of(check_host, inventory);
  EXPECT_THAT(said(doubtful),
              ElementsAre("warning acs_enabled", "note locked_memory_limit", "note gdr_disabled"));
  EXPECT_THAT(doubtful[1].explanation, HasSubstr("carry data or only manage NVSwitches"));
  EXPECT_THAT(doubtful[2].explanation, HasSubstr("carry data or only manage NVSwitches"));
  set(inventory, "host.infiniband.mlx5_1.role", "network");
  const Findings network = findings_of(check_host, inventory);
  EXPECT_THAT(said(network),
              ElementsAre("warning acs_enabled", "warning locked_memory_limit", "note gdr_disabled"));
  EXPECT_THAT(network[1].explanation, Not(HasSubstr("NVSwitches")));
  set_all(inventory, {{"host.infiniband.mlx5_0.role", "switch management"},
                      {"host.infiniband.mlx5_1.role", "switch management"}});
  EXPECT_THAT(host(inventory), ElementsAre("note acs_enabled")) << "NVLink is all there is";
}

TEST(HostRules, VariablesThatSlowWorkDown) {
  const std::vector<std::tuple<std::string, std::string, std::string>> hits{
      {"CUDA_LAUNCH_BLOCKING", "1", "cuda_launch_blocking"},
      {"NVIDIA_TF32_OVERRIDE", "0", "tf32_env_override"},
      {"CUDA_CACHE_DISABLE", "1", "jit_cache_disabled"},
      {"CUDA_FORCE_PTX_JIT", "1", "ptx_jit_forced"},
      {"CUDA_DISABLE_PTX_JIT", "1", "ptx_jit_disabled"},
      {"CUDA_MODULE_LOADING", "EAGER", "eager_module_loading"},
      {"CUDA_INJECTION64_PATH", "/opt/nsight/libToolsInjection64.so", "profiler_attached"},
      {"LD_PRELOAD", "/opt/compute-sanitizer/libsanitizer-collection.so", "profiler_attached"}};
  for (const auto& [name, value, cause] : hits) {
    const Findings findings = findings_of(check_host, with_items(h200_machine(), {{"env." + name, value}}));
    EXPECT_THAT(said(findings), ElementsAre("warning " + cause)) << name;
    EXPECT_THAT(findings[0].evidence, ElementsAre(fmt::format("{}={} (environment)", name, value)));
  }
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"CUDA_LAUNCH_BLOCKING", "0"},
                                                        {"NVIDIA_TF32_OVERRIDE", "1"},
                                                        {"CUDA_CACHE_DISABLE", ""},
                                                        {"CUDA_MODULE_LOADING", "LAZY"},
                                                        {"CUDA_HOME", "/usr/local/cuda"},
                                                        {"NCCL_DEBUG", "INFO"},
                                                        {"NCCL_P2P_DISABLE", "0"},
                                                        {"NCCL_SOCKET_IFNAME", "eth0"},
                                                        {"OMP_NUM_THREADS", "8"}})
    EXPECT_THAT(host(with_items(h200_machine(), {{"env." + name, value}})), IsEmpty())
        << name << "=" << value;
}

TEST(HostRules, ACacheThatCannotBeWritten) {
  const auto with = [](const std::string& state,
                       const std::vector<std::pair<std::string, std::string>>& more) {
    Inventory inventory = with_items(h200_machine(), more);
    inventory.present("cuda.jit_cache", state, "/data/user/.nv/ComputeCache", "in HOME");
    return inventory;
  };
  EXPECT_THAT(host(with("writable", {})), IsEmpty());
  const Findings findings = findings_of(check_host, with("read_only", {}));
  EXPECT_THAT(said(findings), ElementsAre("note jit_cache_disabled")) << "most programs need none";
  EXPECT_THAT(findings[0].evidence, ElementsAre(HasSubstr("/data/user/.nv/ComputeCache cannot be made")));
  EXPECT_THAT(host(with("read_only", {{"env.CUDA_CACHE_PATH", "/gone/cache"}})),
              ElementsAre("warning jit_cache_disabled"));
  EXPECT_THAT(host(with("read_only", {{"env.CUDA_CACHE_DISABLE", "1"}})),
              ElementsAre("warning jit_cache_disabled"))
      << "said once";
}

TEST(HostRules, ASearchPathThatLeadsIntoTheWorkingFolder) {
  for (const std::string list : {"/x:", ":/x", ":", "/a::/b", "a::b", ".", "/x:lib", "/a;;/b"}) {
    const Findings findings =
        findings_of(check_host, with_items(h200_machine(), {{"env.LD_LIBRARY_PATH", list}}));
    EXPECT_THAT(said(findings), ElementsAre("warning relative_search_path")) << list;
    EXPECT_THAT(findings[0].evidence, ElementsAre(fmt::format("LD_LIBRARY_PATH={} (environment)", list)));
    EXPECT_THAT(findings[0].next, ElementsAre(HasSubstr("${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}")));
  }
  EXPECT_THAT(findings_of(check_host, with_items(h200_machine(), {{"env.LD_LIBRARY_PATH", "/x:"},
                                                                  {"env.PYTHONPATH", "src"}}))[0]
                  .evidence,
              ElementsAre("LD_LIBRARY_PATH=/x: (environment)", "PYTHONPATH=src (environment)"));
  for (const std::string list : {"", "/a", "/a:/b", "$ORIGIN/../lib:/a", "home-folder-0:/usr/lib"})
    EXPECT_THAT(host(with_items(h200_machine(), {{"env.LD_LIBRARY_PATH", list}})), IsEmpty()) << list;
}

TEST(HostRules, NcclsSettingsFromEnvironmentAndFile) {
  const Findings findings = findings_of(
      check_host,
      with_items(h100_server(), {{"env.NCCL_P2P_DISABLE", "1"},
                                 {"file.nccl_conf", "NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eth0 x"}}));
  EXPECT_THAT(said(findings), ElementsAre("warning nccl_env_leftover"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("NCCL_P2P_DISABLE=1 (environment)", "NCCL_IB_DISABLE=1 (/etc/nccl.conf)"));
  EXPECT_THAT(host(with_items(h100_server(), {{"env.NCCL_ALGO", "Ring"}})),
              ElementsAre("note nccl_env_leftover"));
}

TEST(HostRules, OtherTuningIsANote) {
  EXPECT_THAT(host(with_items(h200_machine(), {{"env.CUDA_DEVICE_MAX_CONNECTIONS", "1"},
                                               {"env.LD_PRELOAD", "/usr/lib/libjemalloc.so.2"}})),
              ElementsAre("note environment_tuning"));
}

TEST(HostRules, UnreadableItemsAreOneNoteWithWhatTheyWouldTake) {
  Inventory inventory = h200_machine();
  inventory.unreadable("kernel_log.readable", "/dev/kmsg", "root, or kernel.dmesg_restrict=0");
  inventory.unreadable("host.acs", "/sys/bus/pci/devices", "root");
  inventory.unreadable("driver.secure_boot", "/sys/firmware/efi", "root");
  const Findings findings = findings_of(check_host, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note items_unreadable"));
  EXPECT_EQ(findings[0].title, "3 items could not be read");
  EXPECT_THAT(findings[0].evidence,
              testing::UnorderedElementsAre("needs root, or kernel.dmesg_restrict=0: kernel_log.readable",
                                            HasSubstr("needs root: ")));
  EXPECT_THAT(findings[0].next, ElementsAre(HasSubstr("sudo")));
}

TEST(HostRules, WhatOnlyTheHostShowsNeedsNoRoot) {
  Inventory inventory = a100_container();
  inventory.unreadable("driver.dkms", "/lib/modules", "a look from the host: a container sees its own");
  EXPECT_THAT(the(findings_of(check_host, inventory), "items_unreadable").next,
              ElementsAre("Run it on the host, outside of the container"));
}

}  // namespace
}  // namespace gpugauge::stack
