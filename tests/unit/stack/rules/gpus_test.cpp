// GPUs: who is there, what is set on them, and which one is not like the others.
#include <gmock/gmock.h>

#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::stack {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::vector<std::string> gpus(const Inventory& inventory) {
  return said(findings_of(check_gpus, inventory));
}

TEST(GpuRules, HealthyMachinesAreLeftAlone) {
  for (const Inventory& inventory :
       {h100_server(), h200_machine(), geforce_desktop(), a100_container(), wsl_machine(), empty_machine()})
    EXPECT_THAT(gpus(inventory), IsEmpty());
}

TEST(GpuRules, WhatMustNotAlarmDoesNot) {
  Inventory capped = h100_server();  // a power cap that is reached at the default limit
  for (int i = 0; i < 8; ++i) set_gpu(capped, i, {{"throttle_reasons", "sw_power_cap"}});
  EXPECT_THAT(gpus(capped), IsEmpty());
  Inventory resting = h100_server();  // links at generation 1 while idle
  for (int i = 0; i < 8; ++i) set_gpu(resting, i, {{"pcie_generation", i == 0 ? "5" : "1"}});
  EXPECT_THAT(gpus(resting), IsEmpty());
  Inventory wired = h100_server();  // fewer NVLinks than the chip has, on every GPU
  for (int i = 0; i < 8; ++i) set_gpu(wired, i, {{"nvlinks_active", "12"}});
  EXPECT_THAT(gpus(wired), IsEmpty());
  Inventory p2 = geforce_desktop();
  set_gpu(p2, 0, {{"pstate", "P2"}});
  EXPECT_THAT(gpus(p2), IsEmpty());
}

TEST(GpuRules, APowerLimitBelowItsDefault) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 3, {{"power_limit_watt", "500"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning sw_power_cap"))
      << "and not a second time as unlike the others";
  EXPECT_EQ(findings[0].title, "The power limit of GPU 3 is below its default");
  EXPECT_THAT(findings[0].evidence, ElementsAre("GPU 3 (0000:3a:00.0): power limit 500 W, default 700 W"));
  set_gpu(inventory, 3, {{"power_limit_watt", "699.8"}});
  EXPECT_THAT(gpus(inventory), IsEmpty()) << "rounding";
}

TEST(GpuRules, SeveralGpusAreOneFindingWithTheirNumbersDrawnTogether) {
  Inventory inventory = h100_server();
  for (const int i : {0, 1, 2, 5, 7}) set_gpu(inventory, i, {{"power_limit_watt", "500"}});
  EXPECT_EQ(the(findings_of(check_gpus, inventory), "sw_power_cap").title,
            "The power limit of GPUs 0-2, 5 and 7 is below its default");
  for (int i = 0; i < 8; ++i) set_gpu(inventory, i, {{"power_limit_watt", "500"}});
  EXPECT_EQ(the(findings_of(check_gpus, inventory), "sw_power_cap").title,
            "The power limit of all 8 GPUs is below its default");
}

TEST(GpuRules, ApplicationClocksLeftBelowTheirDefault) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"sm_clock_application_mhz", "1342"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning locked_clocks_left"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("GPU 0 (0000:0a:00.0): SM application clock 1342 MHz, default 1980 MHz"));
  set_gpu(inventory, 0, {{"sm_clock_application_mhz", "2000"}});
  EXPECT_THAT(gpus(inventory), ElementsAre("note locked_clocks_left")) << "raised on purpose";
}

TEST(GpuRules, PendingEccAndMig) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"ecc_pending", "off"}, {"mig_pending", "on"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning pending_setting"));
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("GPU 0 (0000:0a:00.0): ECC on now, off after the next reset",
                          "GPU 0 (0000:0a:00.0): MIG off now, on after the next reset"));
}

TEST(GpuRules, MigOnSomeGpusIsAWarningOnAllANote) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 7, {{"mig", "on"}, {"mig_pending", "on"}, {"sm_count", "132"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning mig_left_enabled"));
  EXPECT_EQ(findings[0].title, "MIG mode is on for GPU 7, not for the others");
  for (int i = 0; i < 7; ++i) set_gpu(inventory, i, {{"mig", "on"}, {"mig_pending", "on"}});
  EXPECT_THAT(gpus(inventory), ElementsAre("note mig_left_enabled"));
}

TEST(GpuRules, ComputeModes) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"compute_mode", "exclusive_process"}});
  EXPECT_THAT(gpus(inventory), ElementsAre("note compute_mode_restricts"));
  set_gpu(inventory, 0, {{"compute_mode", "prohibited"}});
  EXPECT_THAT(gpus(inventory), ElementsAre("failure compute_mode_restricts"));
}

TEST(GpuRules, PersistenceIsAskedOfDataCentreGpusOnly) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"persistence", "off"}});
  set_all(inventory, {{"driver.persistenced", "installed"}, {"cuda.init.seconds", "6.56"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning persistence_mode_off"));
  EXPECT_THAT(findings[0].evidence, IsSupersetOf({"nvidia-persistenced: installed (test)",
                                                  "cuInit took, in seconds: 6.56 (test)"}));
  EXPECT_THAT(findings[0].next, Contains(HasSubstr("enable --now nvidia-persistenced")));
  set(inventory, "driver.persistenced", "running");
  const Findings idle = findings_of(check_gpus, inventory);
  EXPECT_THAT(idle[0].next,
              Contains(HasSubstr("--no-persistence-mode in Ubuntu's unit: sudo systemctl edit")));
  EXPECT_THAT(idle[0].next, Contains(HasSubstr("nvidia-smi -pm 1")));
  EXPECT_THAT(idle[0].next, Not(Contains(HasSubstr("enable --now"))));
  set(inventory, "vgpu.guest", "yes");
  EXPECT_THAT(gpus(inventory), IsEmpty()) << "the host's affair";
  set(inventory, "vgpu.guest", "no");
  for (const std::string other :
       {"NVIDIA RTX 6000 Ada Generation", "Jetson AGX Orin", "NVIDIA GB10", "new"}) {
    set_gpu(inventory, 0, {{"name", other}});
    EXPECT_THAT(gpus(inventory), IsEmpty()) << other;
  }
}

TEST(GpuRules, OtherProcessesAreANote) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"processes", "1"}, {"process.0", "4711 python 70000"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note other_processes"));
  EXPECT_THAT(findings[0].evidence, Contains("process 4711 python 70000 (nvml)"));
}

TEST(GpuRules, BoardsOfTwoMakersEachAtItsOwnDefaultAreNotSetUnlike) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 2, "NVIDIA GeForce RTX 4090", "8.9", "450");
  set_gpu(inventory, 0,
          {{"power_limit_default_watt", "450"}, {"vbios", "95.02.3C.40.A1"}, {"sm_clock_max_mhz", "3105"}});
  set_gpu(inventory, 1,
          {{"power_limit_watt", "480"},
           {"power_limit_default_watt", "480"},
           {"vbios", "95.02.18.80.5F"},
           {"sm_clock_max_mhz", "3135"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), testing::Each("note gpu_settings_differ"));
  EXPECT_THAT(findings.back().title, HasSubstr("boards"));
  for (int i = 0; i < 2; ++i) inventory.absent("gpu." + std::to_string(i) + ".vbios", "nvml");
  EXPECT_THAT(gpus(inventory), ElementsAre("note gpu_settings_differ"))
      << "their default limits tell it, too";
  set_gpu(inventory, 1, {{"power_limit_default_watt", ""}});
  EXPECT_THAT(gpus(inventory), Contains("warning gpu_settings_differ")) << "its default is not known";
}

TEST(GpuRules, OneGpuUnlikeMostIsNamed) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 2, {{"sm_clock_max_mhz", "1755"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning gpu_settings_differ"));
  EXPECT_EQ(findings[0].title, "GPU 2 (0000:2a:00.0) is set unlike the others");
  EXPECT_THAT(findings[0].evidence,
              ElementsAre("GPU 2 (0000:2a:00.0): highest SM clock in MHz 1755, 1980 on most others"));
  Inventory firmware = h100_server();
  set_gpu(firmware, 4, {{"vbios", "96.00.5E.00.01"}});
  EXPECT_THAT(gpus(firmware), ElementsAre("note gpu_settings_differ"));
  Inventory ecc = h100_server();
  set_gpu(ecc, 4, {{"ecc", "off"}, {"ecc_pending", "off"}});
  EXPECT_THAT(gpus(ecc), ElementsAre("warning ecc_mode_differs"));
}

TEST(GpuRules, LinksAreComparedWithTheOtherGpusNotWithTheChip) {
  Inventory inventory = h100_server();
  set_gpu(inventory, 6, {{"nvlinks_active", "16"}});
  const Findings nvlink = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(nvlink), ElementsAre("warning nvlink_partial"));
  EXPECT_EQ(nvlink[0].title, "GPU 6 (0000:6a:00.0) has fewer active NVLinks than the others");
  Inventory narrow = h100_server();
  set_gpu(narrow, 1, {{"pcie_width", "8"}});
  const Findings pcie = findings_of(check_gpus, narrow);
  EXPECT_THAT(said(pcie), ElementsAre("warning pcie_link_degraded", "note pcie_link_degraded"));
  EXPECT_THAT(pcie[0].evidence, ElementsAre("GPU 1 (0000:1a:00.0): PCIe lanes in use 8, 16 on most others"));
  EXPECT_THAT(pcie[1].evidence,
              ElementsAre("GPU 1 (0000:1a:00.0): 8 of 16 PCIe lanes in use (sampled idle)"));
  Inventory better = h100_server();
  for (int i = 0; i < 7; ++i) set_gpu(better, i, {{"pcie_width", "8"}, {"pcie_width_max", "8"}});
  EXPECT_THAT(gpus(better), IsEmpty()) << "one GPU in a better slot is none to complain about";
  Inventory single = h200_machine();
  set_gpu(single, 0, {{"pcie_width", "8"}});
  EXPECT_THAT(gpus(single), ElementsAre("note pcie_link_degraded"));
}

TEST(GpuRules, TwoGpusThatDifferHaveNoMajority) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 2, "NVIDIA H200", "9.0", "700");
  set_gpu(inventory, 1, {{"ecc", "off"}, {"ecc_pending", "off"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("warning ecc_mode_differs"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("ECC: on on GPU 0, off on GPU 1"));
}

TEST(GpuRules, ModelsAreComparedAmongThemselves) {
  Inventory inventory = linux_with_driver();
  add_gpus(inventory, 3, "NVIDIA H200", "9.0", "700");
  set_gpu(inventory, 2,
          {{"name", "NVIDIA L4"},
           {"compute_capability", "8.9"},
           {"nvlinks_active", "0"},
           {"power_limit_watt", "72"},
           {"power_limit_default_watt", "72"}});
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note gpu_models_differ"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("GPUs 0 and 1: NVIDIA H200", "GPU 2: NVIDIA L4"));
}

TEST(GpuRules, ACardWithoutABridgeHasNoLinkThatIsDown) {
  const auto cards = [](const std::string& name, const std::vector<std::string>& links) {
    Inventory inventory = linux_with_driver();
    add_gpus(inventory, static_cast<int>(links.size()), name, "8.6", "300");
    for (std::size_t i = 0; i < links.size(); ++i)
      set_gpu(inventory, static_cast<int>(i), {{"nvlinks_active", links[i]}, {"nvlinks_total", "4"}});
    return inventory;
  };
  const Findings three = findings_of(check_gpus, cards("NVIDIA RTX A6000", {"4", "4", "0"}));
  EXPECT_THAT(said(three), ElementsAre("note nvlink_partial"));
  EXPECT_EQ(three[0].title, "GPU 2 (0000:2a:00.0) has no active NVLink, unlike the others");
  EXPECT_THAT(three[0].explanation, HasSubstr("no bridge, or its links are down"));
  EXPECT_THAT(gpus(cards("NVIDIA A40", {"4", "4", "0", "0"})), ElementsAre("note nvlink_partial"))
      << "no majority";
  EXPECT_THAT(gpus(cards("NVIDIA A40", {"4", "4", "2"})), ElementsAre("warning nvlink_partial"))
      << "a bridge with a link that is down";
  EXPECT_THAT(gpus(cards("NVIDIA A40", {"4", "2", "0", "0"})), ElementsAre("warning nvlink_partial"));
  EXPECT_THAT(gpus(cards("NVIDIA A100-SXM4-80GB", {"12", "12", "0"})), ElementsAre("warning nvlink_partial"))
      << "wired on the board";
}

TEST(GpuRules, ALinkThatWasReadUnderLoadIsNotSaidToBeIdle) {
  Inventory inventory = h200_machine();
  set_gpu(inventory, 0, {{"pcie_width", "8"}, {"pcie_sampled", "in use"}});
  const auto narrow = [&] { return the(findings_of(check_gpus, inventory), "pcie_link_degraded"); };
  EXPECT_THAT(narrow().evidence, ElementsAre(HasSubstr("8 of 16 PCIe lanes in use (sampled in use)")));
  EXPECT_THAT(narrow().explanation, Not(HasSubstr("ampled while idle")));
  set_gpu(inventory, 0, {{"pcie_sampled", "unknown"}});
  EXPECT_THAT(narrow().evidence, ElementsAre(HasSubstr("(not known whether it was idle)")));
}

TEST(GpuRules, FewerGpusInCudaThanInNvml) {
  Inventory inventory = h100_server();
  set(inventory, "cuda.devices", "7");
  EXPECT_THAT(gpus(inventory), ElementsAre("warning gpu_count_differs"));
  set(inventory, "env.CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6");
  const Findings findings = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(findings), ElementsAre("note gpus_hidden"));
  EXPECT_EQ(findings[0].title, "CUDA shows 7 of the 8 GPUs that NVML sees");
}

TEST(GpuRules, AGpuThatTheVariableNamesIsNotHiddenByIt) {
  Inventory inventory = h100_server();
  set_all(inventory, {{"cuda.devices", "7"}, {"env.CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7"}});
  const Findings lost = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(lost), ElementsAre("warning gpu_count_differs"));
  EXPECT_THAT(lost[0].explanation,
              HasSubstr("CUDA_VISIBLE_DEVICES names 8 of them and CUDA shows 7, so something "
                        "else keeps the rest of those away: a compute mode"));
  set_all(inventory, {{"cuda.devices", "2"}, {"env.CUDA_VISIBLE_DEVICES", "GPU-1,GPU-5,GPU-9,GPU-7"}});
  const Findings cut = findings_of(check_gpus, inventory);
  EXPECT_THAT(said(cut), ElementsAre("note gpus_hidden"));
  EXPECT_THAT(cut[0].evidence, Contains("CUDA stops at \"GPU-9\", which names no GPU here"));
  EXPECT_THAT(cut[0].next, ElementsAre(HasSubstr("a scheduler sets it")));
  set(inventory, "env.CUDA_VISIBLE_DEVICES", "MIG-1,0,1,2");
  EXPECT_THAT(gpus(inventory), ElementsAre("note gpus_hidden")) << "what it names is not known";
}

TEST(GpuRules, GenerationsAgainstTheDriver) {
  Inventory volta = linux_with_driver();
  add_gpus(volta, 1, "Tesla V100-SXM2-32GB", "7.0", "300");
  const Findings last = findings_of(check_gpus, volta);
  EXPECT_THAT(said(last), ElementsAre("note gpu_last_driver_branch"));
  EXPECT_EQ(last[0].title, "Branch 580 is the last driver for Volta GPUs (GPU 0)");
  set(volta, "driver.version", "590.48.01");
  EXPECT_THAT(gpus(volta), ElementsAre("note gpu_generation_not_driven")) << "CUDA shows it all the same";
  set_all(volta, {{"cuda.init.code", "100"}, {"cuda.devices", "0"}});
  EXPECT_THAT(gpus(volta), ElementsAre("failure gpu_generation_not_driven"));
  Inventory blackwell = linux_with_driver();
  add_gpus(blackwell, 8, "NVIDIA B200", "10.0", "1000");
  set_all(blackwell, {{"driver.version", "550.54.15"}, {"cuda.init.code", "100"}});
  const Findings early = findings_of(check_gpus, blackwell);
  EXPECT_THAT(said(early), ElementsAre("failure gpu_generation_not_driven"));
  EXPECT_THAT(early[0].next, ElementsAre("Install driver 570.26 or newer"));
  Inventory kepler = linux_with_driver();
  add_gpus(kepler, 1, "Tesla K80", "3.7", "149");
  set(kepler, "cuda.init.code", "100");
  EXPECT_THAT(gpus(kepler), ElementsAre("note gpu_generation_not_driven")) << "a row that nobody confirmed";
}

}  // namespace
}  // namespace gpugauge::stack
