// What typical reports showed of memory, modules, other work on the GPU, and networks. Made-up reports, and beside each
// one that means another thing.
#include <gtest/gtest.h>

#include "unit/diagnose/taught.hpp"

namespace gpugauge::diagnose {
namespace {
namespace taught_t2_states {

using made_up::best;
using made_up::score;

/// An application with a factor and a note, and what follows.
std::string slow(const std::string& note, const std::string& more = "", const std::string& factor = "1.8") {
  return R"("metrics": [{"class": "application", "factor": )" + factor + R"(, "note": ")" + note + R"("}])" +
         more;
}

/// A failing application with a note, and what follows.
std::string failing(const std::string& note, const std::string& more = "") {
  return R"("metrics": [{"class": "application", "fails": true, "note": ")" + note + R"("}])" + more;
}

/// A probe that recovers.
std::string recovers(const std::string& name, const std::string& detail) {
  return R"(, "probes": [{"name": ")" + name + R"(", "outcome": "recovers", "detail": ")" + detail + R"("}])";
}

std::string log(const std::string& lines) {
  return R"("log": [)" + lines + "]";
}

TEST(TaughtT2States, ASixteenthOfTheMemoryIsMissing) {
  const auto sides = [](const std::string& after) {
    return R"("about": {"gpu": "A40"}, "metrics": [{"class": "hbm", "factor": 1.07}],
        "log": ["before: FB Memory Usage Total : 49140 MiB", "after: FB Memory Usage Total : )" +
           after + R"( MiB"])";
  };
  EXPECT_EQ(best(sides("46068")), "ecc_mode_differs");
  EXPECT_EQ(score(sides("49140"), "ecc_mode_differs"), 0);
  EXPECT_EQ(score(slow("uses 15 GB of 16 GB in total, all in use"), "ecc_mode_differs"), 0);
}

TEST(TaughtT2States, TheCommandThatSwitchesEcc) {
  const std::string hbm = R"("metrics": [{"class": "hbm", "factor": 1.1}])";
  EXPECT_EQ(best(hbm + recovers("change_setting", "nvidia-smi -e 0")), "ecc_mode_differs");
  EXPECT_NE(best(hbm + recovers("change_setting", "nvidia-smi -rmc")), "ecc_mode_differs");
}

TEST(TaughtT2States, ASliceHasFewerMultiprocessors) {
  const auto device = [](const std::string& count) {
    return R"("about": {"gpu": "A100"}, )" + slow("multi_processor_count " + count);
  };
  EXPECT_EQ(best(device("42")), "mig_left_enabled");
  EXPECT_EQ(score(device("108"), "mig_left_enabled"), 0);
  EXPECT_EQ(best(slow("slow", recovers("change_setting", "nvidia-smi -mig 0"))), "mig_left_enabled");
}

TEST(TaughtT2States, PersistingLinesAreGivenBack) {
  EXPECT_EQ(
      best(slow("all later kernels are slower", recovers("change_setting", "cudaCtxResetPersistingL2Cache"))),
      "l2_persisting_left");
  EXPECT_EQ(score(slow("all later kernels are slower", recovers("change_setting", "cudaDeviceReset")),
                  "l2_persisting_left"),
            0);
}

TEST(TaughtT2States, ManagedMemoryIsExceededWhateverABenchmarkOfMemorySays) {
  const auto used = [](const std::string& over) {
    return R"("metrics": [{"class": "application", "factor": 22}, {"class": "hbm", "factor": 1.0}],
        "telemetry": {"oversubscribed": )" +
           over + "}";
  };
  EXPECT_EQ(best(used("true")), "uvm_oversubscription");
  EXPECT_EQ(score(used("false"), "uvm_oversubscription"), 0);
}

TEST(TaughtT2States, APagedOptimizerIsManagedMemory) {
  const auto optimizer = [](const std::string& name) {
    return R"("inventory": {"host.os": "linux"}, "metrics": [{"class": "application", "factor": 6, "note": "optimizer is )" +
           name +
           R"("}], "probes": [{"name": "change_setting", "outcome": "recovers", "detail": "max_seq_length=2048"},
        {"name": "allocate_beyond_memory", "outcome": "succeeds"}])";
  };
  EXPECT_EQ(best(optimizer("paged_adamw_8bit")), "uvm_oversubscription");
  EXPECT_EQ(score(optimizer("adamw_8bit"), "uvm_oversubscription"), 0);
}

TEST(TaughtT2States, TheHostsMemoryIsInUseByTheGpu) {
  const auto manager = [](const std::string& shared) {
    return log(R"("Task Manager: Dedicated GPU memory 11.8/12.0 GB, Shared GPU memory )" + shared +
               R"(/15.9 GB")") +
           R"(, "metrics": [{"class": "application", "factor": 9}])";
  };
  EXPECT_GT(score(manager("7.3"), "sysmem_fallback"), .7);
  EXPECT_LT(score(manager("0.1"), "sysmem_fallback"), .7);
}

TEST(TaughtT2States, ADriverFromBeforeTheFallbackIsNoBetterDriver) {
  const auto old = [](const std::string& version) {
    return slow("Win 11, shared GPU memory 9 GB", recovers("same_binary_old_driver", "driver=" + version),
                "20");
  };
  EXPECT_EQ(best(old("531.61")), "sysmem_fallback");
  EXPECT_LT(score(old("531.61"), "driver_regression"), .7);
  EXPECT_EQ(best(old("536.40")), "driver_regression");
}

TEST(TaughtT2States, TheModuleIsBuiltForTheOlderKernelOnly) {
  const std::string older = recovers("change_version", "kernel=5.15.0-88");
  EXPECT_EQ(best(failing("dkms status lists nvidia only for 5.15.0-88", older)), "kernel_module_missing");
  EXPECT_EQ(score(failing("it hangs", older), "kernel_module_missing"), 0);
}

TEST(TaughtT2States, AnotherDriverIsForbidden) {
  EXPECT_EQ(best(failing("the installer says a kernel driver is in use by X",
                         recovers("change_setting", "blacklist file"))),
            "nouveau_loaded");
  EXPECT_EQ(score(failing("the installer stops", recovers("change_setting", "gcc=12")), "nouveau_loaded"), 0);
}

TEST(TaughtT2States, TheScreenOfTheKeyWasPassedOver) {
  const std::string firmware = recovers("change_setting", "UEFI setting disabled");
  EXPECT_EQ(
      best(failing("it asked for a password that is needed at next boot; a blue screen came", firmware)),
      "secure_boot_rejects_module");
  EXPECT_EQ(score(failing("it asked for a password of sudo", firmware), "secure_boot_rejects_module"), 0);
}

TEST(TaughtT2States, TheLicenceServerIsReachedAgain) {
  const auto opened = [](const std::string& what) {
    return slow("smooth for 20 minutes, then 3 fps", recovers("change_setting", what), "20");
  };
  EXPECT_EQ(best(opened("port 443 to the DLS appliance")), "vgpu_unlicensed");
  EXPECT_EQ(score(opened("port 443 to the wiki"), "vgpu_unlicensed"), 0);
  EXPECT_EQ(score(slow("the VM cannot ping its gateway"), "pageable_memory"), 0) << "a ping is no pin";
}

TEST(TaughtT2States, TheGuestsMemoryIsEncrypted) {
  const auto guest = [](const std::string& how) {
    return R"("metrics": [{"class": "h2d", "factor": 9, "note": "pinned as slow as pageable"}, {"class": "gemm16", "factor": 1}],
        "log": ["Memory Encryption Features active: )" +
           how + R"("])";
  };
  EXPECT_EQ(best(guest("Intel TDX")), "confidential_computing");
  EXPECT_EQ(score(guest("AMD SME"), "confidential_computing"), 0) << "a host encrypts its own memory";
  EXPECT_EQ(score(guest("AMD SME"), "pageable_memory"), 0) << "pinned copies are slow, too";
}

TEST(TaughtT2States, NotSetReadyAfterAttestation) {
  const auto ready = [](const std::string& state) {
    return log(R"("CC status: ON", "Confidential Compute GPUs Ready state: )" + state + R"(")") +
           R"(, "errors": [{"api": "cuda", "code": 802, "text": "system not yet initialized"}])";
  };
  EXPECT_EQ(best(ready("not-ready")), "confidential_computing");
  EXPECT_LT(score(ready("ready"), "confidential_computing"), .6);
}

TEST(TaughtT2States, SomebodysProcessIsThereBefore) {
  const std::string moved = recovers("swap_gpu", "card 1");
  EXPECT_EQ(best(slow("nvidia-smi shows a python of user tim, 100% before I even start", moved)),
            "neighbour_process");
  EXPECT_EQ(
      score(slow("nvidia-smi shows my python, my colleague's machine is fast", moved), "neighbour_process"),
      0);
}

// -- networks

TEST(TaughtT2States, TheNameOfANodeLeadsToItself) {
  const auto hosts = [](const std::string& nodes) {
    return failing("torchrun --nnodes " + nodes + " waits in init_process_group; 127.0.1.1 node1",
                   recovers("change_setting", "/etc/hosts: 192.168.1.10 node1"));
  };
  EXPECT_EQ(best(hosts("2")), "rank_unreachable");
  EXPECT_EQ(score(hosts("1"), "rank_unreachable"), 0);
}

TEST(TaughtT2States, AnExceptionEndsTheRank) {
  const std::string refused =
      R"("[W socket.cpp:601] [c10d] The client socket has failed to connect to [node1]:29500 (errno: 111 - Connection refused).")";
  EXPECT_EQ(best(log(refused +
                     R"(, "torch.distributed.DistNetworkError: The client socket has timed out after 60s")")),
            "rank_unreachable");
  EXPECT_EQ(score(log(R"("RuntimeError: shape mismatch")"), "rank_unreachable"), 0);
}

TEST(TaughtT2States, RegistrationThatIsRefusedForItsLimit) {
  const std::string line =
      R"("The OpenFabrics (openib) BTL failed to initialize while trying to allocate some locked memory.")";
  EXPECT_EQ(best(log(line + R"(, "  Memlock limit: 65536")")), "locked_memory_limit");
  EXPECT_LT(score(log(line + R"(, "  Memlock limit: 65536")"), "nccl_socket_fallback"), .5);
  EXPECT_EQ(score(failing("with --use_cuda it says Couldn't allocate MR",
                          recovers("change_setting", "modprobe nvidia_peermem")),
                  "locked_memory_limit"),
            0);
}

TEST(TaughtT2States, ACardsLinkOfHalfItsSpeed) {
  const auto lspci = [](const std::string& head) {
    return R"("about": {"nodes": 2}, "metrics": [{"class": "coll_large", "factor": 1.9}, {"class": "h2d", "factor": 1}],
        "log": [")" +
           head + R"(", "LnkSta: Speed 8GT/s (downgraded), Width x16"])";
  };
  EXPECT_EQ(best(lspci("98:00.0 Ethernet controller: Mellanox ConnectX-6")), "rdma_link_degraded");
  EXPECT_EQ(score(lspci("98:00.0 3D controller: NVIDIA"), "rdma_link_degraded"), 0);
}

TEST(TaughtT2States, APortBelowItsSiblings) {
  const auto note = [](const std::string& text) {
    return slow(text, recovers("change_setting", "cable exchanged"));
  };
  EXPECT_EQ(best(note("64 node job; ibstat shows mlx5_4 Rate: 200, all others 400")), "rdma_link_degraded");
  EXPECT_LT(score(note("64 node job; ibstat shows mlx5_4 Rate: 200, all others 400"), "pcie_link_degraded"),
            .35);
  EXPECT_EQ(score(note("one machine, the riser's cable was bent"), "rdma_link_degraded"), 0);
}

TEST(TaughtT2States, NcclGivesUpAfterACompletion) {
  const auto line = [](const std::string& status) {
    return log(R"("NCCL WARN NET/IB : Got completion from peer 10.1.4.12<53298> with status=)" + status +
               R"( opcode=0 vendor_err=129")");
  };
  EXPECT_EQ(best(line("IBV_WC_RETRY_EXC_ERR(12)")), "rdma_path_broken");
  EXPECT_EQ(score(line("IBV_WC_LOC_PROT_ERR(4)"), "rdma_path_broken"), 0);
}

TEST(TaughtT2States, TwoMachinesByTheirWords) {
  const auto gid = [](const std::string& where) {
    return failing(where + ", it hangs", recovers("change_setting", "NCCL_IB_GID_INDEX=3"));
  };
  EXPECT_EQ(best(gid("two nodes")), "rdma_path_broken");
  EXPECT_EQ(score(gid("one machine"), "rdma_path_broken"), 0);
}

TEST(TaughtT2States, ARemapThatIsPrintedAsPending) {
  const auto query = [](const std::string& pending) {
    return log(R"("    Remapped Rows", "        Uncorrectable Error : 2", "        Pending : )" + pending +
               R"(", "    Temperature", "        Fan Pending : Yes")");
  };
  EXPECT_EQ(best(query("Yes")), "hbm_row_remap");
  EXPECT_EQ(score(query("No"), "hbm_row_remap"), 0);
}

TEST(TaughtT2States, ItIsNormalAfterAnotherJobHasEnded) {
  const auto later = [](const std::string& when) {
    return slow("half speed; nvidia-smi lists two python processes", recovers("repeat_later", when));
  };
  EXPECT_GT(score(later("after the other job had ended"), "neighbour_process"),
            score(later("at night"), "neighbour_process"));
}

TEST(TaughtT2States, ACableBetweenCountedNodes) {
  const auto nodes = [](const std::string& where) {
    return slow("on " + where + "; ibstat shows mlx5_2 State: Down, Physical state: Disabled",
                recovers("change_setting", "cable replugged"));
  };
  EXPECT_EQ(best(nodes("one of 8 nodes")), "rdma_link_degraded");
  EXPECT_EQ(score(nodes("one of 8 nodes"), "pcie_link_degraded"), 0);
  EXPECT_EQ(score(slow("both of 2 NUMA nodes are busy", recovers("change_setting", "cable replugged")),
                  "rdma_link_degraded"),
            0);
}

TEST(TaughtT2States, PortsThatCountErrors) {
  const auto counter = [](const std::string& count) {
    return R"("about": {"nodes": 16}, "metrics": [{"class": "coll_large", "factor": 1.7}], "log": ["SymbolErrorCounter:..............)" +
           count + R"("])";
  };
  EXPECT_EQ(best(counter("65535")), "rdma_link_degraded");
  EXPECT_EQ(score(counter("0"), "rdma_link_degraded"), 0);
}

TEST(TaughtT2States, ThePacketSizeOfASwitchPortIsNoPort) {
  const auto mended = [](const std::string& what) {
    return R"("about": {"nodes": 2}, )" +
           failing("the first all_reduce hangs", recovers("change_setting", what));
  };
  EXPECT_EQ(best(mended("MTU=9000 on the switch port")), "rdma_path_broken");
  EXPECT_EQ(score(mended("MTU=9000 on the switch port"), "rdma_link_degraded"), 0);
  EXPECT_EQ(best(mended("another switch port")), "rdma_link_degraded");
}

}  // namespace taught_t2_states
}  // namespace
}  // namespace gpugauge::diagnose
