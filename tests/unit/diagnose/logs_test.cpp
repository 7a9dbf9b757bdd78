// What whole logs say, and what they only mention: made-up lines in the forms of the tools, and beside them lines that
// a healthy machine prints.
#include "logs.hpp"

#include <gmock/gmock.h>

namespace gpugauge::diagnose {
namespace {

const LogLines on_sockets{"n1:77:90 [0] NCCL INFO NET/Socket : Using [0]eno1:10.0.0.7<0>",
                          "n1:77:90 [0] NCCL INFO Failed to open libibverbs.so[.1]",
                          "n1:77:90 [0] NCCL INFO Using network Socket"};

TEST(Logs, SocketsThatNothingGoesOverAreNoFault) {
  EXPECT_LT(score_of(of_log(on_sockets), "nccl_socket_fallback"), confident) << "NCCL tells so everywhere";
  const LogLines local =
      with(on_sockets, "n1:77:90 [0] NCCL INFO Channel 00/0 : 0[1000] -> 1[9000] via P2P/direct pointer");
  const LogLines over =
      with(local, "n1:77:90 [0] NCCL INFO Channel 00/0 : 7[b9000] -> 8[1000] [send] via NET/Socket/0");
  EXPECT_GE(score_of(of_log(over), "nccl_socket_fallback"), named);
  EXPECT_LT(score_of(of_log(over), "nccl_socket_fallback"), confident)
      << "machines with Ethernet alone tell the same";
  const auto in_words = [&](const nlohmann::json& facts) {
    nlohmann::json seen = facts;
    seen["log"] = over;
    return score_of(diagnose(parse_observation(seen.dump(), "log")), "nccl_socket_fallback");
  };
  EXPECT_GE(in_words({{"inventory", {{"host.infiniband", "yes"}}}}), confident);
  EXPECT_GE(in_words({{"metrics", {{{"class", "coll_large"}, {"factor", 6}}}}}), confident);
}

TEST(Logs, SocketsThatAreOnlyMentionedAreNotNamedBesideTheCause) {
  const LogLines shared =
      with(on_sockets, "NCCL WARN Duplicate GPU detected : rank 3 and rank 1 both on CUDA device 41000");
  EXPECT_EQ(best_of(shared), "ranks_share_gpu");
  EXPECT_LT(score_of(of_log(shared), "nccl_socket_fallback"), named);
  EXPECT_LT(score_of(of_log(on_sockets), "nccl_socket_fallback"), named) << "as on every machine of one node";
  const LogLines several =
      with(on_sockets, "n1:77:90 [0] NCCL INFO comm 0x5 rank 0 nRanks 16 nNodes 2 localRanks 8");
  EXPECT_GE(score_of(of_log(several), "nccl_socket_fallback"), named)
      << "what goes between nodes goes over them";
  const LogLines broken = with(
      several,
      "n1:77:90 [0] NCCL WARN socketStartConnect: Connect to 10.0.0.8<4000> failed : Connection refused");
  EXPECT_LT(score_of(of_log(broken), "nccl_socket_fallback"), named) << "the job failed of something else";
}

TEST(Logs, OneNodeIsProvenByTheChannelsOfAllRanksOnly) {
  const LogLines broken{
      "n1:77:90 [3] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'",
      "n1:77:90 [3] NCCL INFO comm 0x5 rank 3 nranks 64 cudaDev 3 busId 901c0 - Init START"};
  const LogLines middle =
      with(broken, "n1:77:90 [3] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read");
  EXPECT_EQ(score_of(of_log(middle), "gdr_disabled"), score_of(of_log(broken), "gdr_disabled"))
      << "a rank within a node has no channel to another one";
  EXPECT_EQ(
      best_of(
          {"n1:77:90 [3] NCCL INFO comm 0x5 rank 3 nranks 64 cudaDev 3 busId 901c0 - Init START",
           "n1:77:90 [3] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read",
           "n1:77:95 [3] NCCL WARN NET/IB : Got completion from peer 10.0.0.8<4000> with status=12 opcode=0 "
           "len=0 vendor err 129 (Recv)"}),
      "rdma_path_broken");
}

TEST(Logs, TwoRanksOnOneGpu) {
  EXPECT_EQ(best_of({"NCCL WARN Duplicate GPU detected : rank 3 and rank 1 both on CUDA device 41000"}),
            "ranks_share_gpu");
}

TEST(Logs, GpusOfPeersThatAreHiddenAndThoseThatAreLost) {
  const LogLines hidden{"misc/nvmlwrap.cc:183 NCCL WARN nvmlDeviceGetHandleByPciBusId() failed: Not Found"};
  EXPECT_EQ(best_of(hidden), "peer_gpus_hidden");
  EXPECT_NE(best_of(with(hidden, "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error")),
            "peer_gpus_hidden");
  EXPECT_EQ(best_of(with(hidden, "NVRM: Xid (PCI:0000:3b:00): 79, pid=7, GPU has fallen off the bus.")),
            "gpu_lost");
}

TEST(Logs, AProcessThatWasKilledForMemory) {
  EXPECT_EQ(
      best_of(
          {"slurmstepd: error: Detected 1 oom_kill event in StepId=9.0. Some of the step tasks have been OOM "
           "Killed."}),
      "host_memory_exhausted");
  EXPECT_EQ(best_of({"Memory cgroup out of memory: Killed process 4711 (python3) total-vm:9000kB"}),
            "host_memory_exhausted");
  EXPECT_EQ(best_of({"srun: error: node12: task 3: Out Of Memory"}), "host_memory_exhausted");
  EXPECT_EQ(best_of({"slurmstepd: error: Detected 0 oom_kill events in StepId=1234.0."}), "");
  EXPECT_EQ(best_of({"I0301 oomwatcher.go:54] starting to watch for oom_kill events"}), "");
  EXPECT_EQ(best_of({R"(kube_pod_container_status_last_terminated_reason{reason="OOMKilled"} 0)"}), "");
  const LogLines other{"01:00:02 Out of memory: Killed process 2213 (mysqld) total-vm:9000kB"};
  EXPECT_LT(score_of(of_log(other), "host_memory_exhausted"), confident)
      << "not of the job, as far as is known";
  EXPECT_LT(score_of(of_log(with(
                         other,
                         "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=mysqld,pid=2213,uid=112")),
                     "host_memory_exhausted"),
            confident);
  EXPECT_EQ(best_of(with(other,
                         "09:30 n1:77:95 [3] NCCL WARN NET/IB : Got completion from peer 10.0.0.8<4000> with "
                         "status=12 opcode=0 len=0 vendor err 129 (Recv)")),
            "rdma_path_broken");
  EXPECT_NE(best_of({"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."}),
            "host_memory_exhausted");
}

TEST(Logs, MulticastGroupsOfTheSwitches) {
  EXPECT_EQ(
      best_of({"NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 2 "
               "'out of memory'",
               "[ERROR] all the NVSwitch multicast resources/slot ids are used for partition id -1."}),
      "nvls_unavailable");
  EXPECT_EQ(
      best_of(
          {"NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401"}),
      "nvls_unavailable");
  EXPECT_EQ(best_of({"[INFO] NVSwitch multicast resources: 3 of 1024 used"}), "");
  EXPECT_EQ(best_of({"[INFO] multicast group 126 is allocated.", "[INFO] multicast group 126 is freed."}),
            "");
}

TEST(Logs, AnInfoRomThatIsCorrupted) {
  EXPECT_EQ(best_of({"WARNING: infoROM is corrupted at gpu 0008:00:00.0"}), "inforom_corrupted");
  EXPECT_EQ(best_of({"InfoROM validation: no corruption detected"}), "");
  EXPECT_EQ(best_of({"the infoROM is not corrupted"}), "");
}

TEST(Logs, AModuleThatDoesNotCompile) {
  const LogLines errors{
      "/var/lib/dkms/nvidia/525.60.11/build/nvidia/nv-mmap.c:455:19: error: assignment of read-only member"};
  EXPECT_EQ(best_of(errors), "kernel_newer_than_driver");
  EXPECT_NE(best_of({"/var/lib/dkms/lustre-client/2.14/build/lnet/o2iblnd.c:91:3: error: too few arguments"}),
            "kernel_newer_than_driver")
      << "another module";
  EXPECT_NE(
      best_of(
          {"/usr/local/lib/python3.12/dist-packages/nvidia/nvtx/include/nvtx3/nvToolsExt.h:141:10: error: x"}),
      "kernel_newer_than_driver")
      << "a program's headers";
  EXPECT_EQ(best_of(with(errors, "warning: the compiler differs from the one used to build the kernel")),
            "kernel_newer_than_driver")
      << "NVIDIA's build says so of the same compiler by another name";
  EXPECT_LT(
      score_of(
          of_log({"/usr/src/nvidia-550.120/common/inc/nvtypes.h:66:5: error: cannot use keyword 'false' as "
                  "enumeration constant"}),
          "kernel_newer_than_driver"),
      confident)
      << "a newer compiler";
}

TEST(Logs, ALimitOfLockedMemoryBesideARegistrationThatFailed) {
  const LogLines failed{"ibvwrap.c:106 NCCL WARN Call to ibv_reg_mr failed"};
  EXPECT_GE(score_of(of_log(with(failed, "max locked memory       (kbytes, -l) 64")), "locked_memory_limit"),
            confident);
  EXPECT_LT(
      score_of(of_log(with(failed, "max locked memory       (kbytes, -l) unlimited")), "locked_memory_limit"),
      confident);
  EXPECT_LT(score_of(of_log({"ibvwrap.c:106 NCCL WARN Call to ibv_reg_mr failed with error Bad address",
                             "max locked memory       (kbytes, -l) 65536"}),
                     "locked_memory_limit"),
            confident)
      << "it says why";
}

TEST(Logs, TheFabricsHealthOfNvidiaSmi) {
  EXPECT_EQ(best_of({"        Bandwidth                     : Degraded"}), "nvlink_partial");
  EXPECT_EQ(best_of({"        Bandwidth                     : Full",
                     "        Route Unhealthy               : False"}),
            "");
}

TEST(Logs, SymbolsOfAnotherNccl) {
  EXPECT_EQ(best_of({"ImportError: /x/torch/lib/libtorch_cuda.so: undefined symbol: ncclCommRegister"}),
            "mixed_library_versions");
  EXPECT_NE(best_of({"ld.lld: error: undefined symbol: ncclCommInitRank", ">>> referenced by main.cpp"}),
            "mixed_library_versions")
      << "a library that was not linked";
}

TEST(Logs, LinksThatAreInactive) {
  EXPECT_EQ(best_of({"Link 2: 25.781 GB/s", "Link 3: <inactive>"}), "nvlink_partial");
  EXPECT_EQ(best_of({"Link 2: 25.781 GB/s", "Link 3: 25.781 GB/s"}), "");
}

TEST(Logs, ChecksThatPassedAreNoFaults) {
  EXPECT_EQ(best_of({"INFO - GPU Row Remap Test: Passed", "INFO - GPU ECC Test: Passed",
                     "INFO - GPU Xid Test: Passed"}),
            "");
  EXPECT_EQ(best_of({"[PASS] GPU fallen off the bus check", "NVLink error test passed",
                     "| NVLink errors             | Pass                                           |",
                     "row remapping failed check passed"}),
            "");
  EXPECT_EQ(best_of({"INFO - GPU Row Remap Test: Failed"}), "hbm_row_remap");
}

TEST(Logs, AVariableThatSomebodySetIsNotProvenToHarm) {
  const LogLines set{"n1:77:90 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to NVL",
                     "n1:77:90 [0] NCCL WARN Cuda failure 'invalid argument'"};
  EXPECT_LT(score_of(of_log(set), "nccl_env_leftover"), confident);
}

TEST(Logs, GpuDirectOfOneCardAmongSeveral) {
  const LogLines without{"n1:77:90 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 1 'mlx5_1'"};
  EXPECT_GE(score_of(of_log(without), "gdr_disabled"), confident);
  EXPECT_LT(
      score_of(
          of_log(with(without, "n1:77:90 [0] NCCL INFO NET/IB : GPU Direct RDMA Enabled for HCA 0 'mlx5_0'")),
          "gdr_disabled"),
      confident)
      << "not every card is one that the GPU should use";
}

TEST(Logs, ThePluginThatNcclLooksForByItself) {
  EXPECT_LT(
      score_of(
          of_log(
              {"NCCL INFO NET/Plugin: Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open "
               "shared object file: No such file or directory"}),
          "nccl_plugin_load_failure"),
      confident);
  EXPECT_GE(
      score_of(
          of_log({"NCCL INFO NET/Plugin: Plugin load (libnccl-net-ofi.so) returned 2 : libnccl-net-ofi.so: "
                  "cannot open shared object file: No such file or directory"}),
          "nccl_plugin_load_failure"),
      confident)
      << "somebody asked for it";
}

TEST(Logs, WindowsThatGivesItsSubsystemNoGpu) {
  EXPECT_EQ(
      best_of({"nvidia-container-cli: initialization error: WSL environment detected but no adapters were "
               "found: unknown"}),
      "wsl_without_gpu");
  EXPECT_EQ(best_of({"I1004 13:41:19 dxcore.c:326] dxcore layer initialized successfully",
                     "W1004 13:41:19 nvc.c:397] skipping kernel modules load on WSL"}),
            "");
}

TEST(Logs, AContainerOnAHostWithoutALoadedDriver) {
  const LogLines no_device{"failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"};
  EXPECT_EQ(best_of(no_device), "no_visible_device");
  for (
      const char* const line :
      {"kernel driver does not appear to be running on this host (f00d12): /proc/driver/nvidia/version does not exist",
       "cat: /proc/driver/nvidia/version: No such file or directory",
       "nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown"}) {
    EXPECT_EQ(best_of(with(no_device, line)), "kernel_module_missing") << line;
    EXPECT_LT(score_of(of_log(with(no_device, line)), "no_visible_device"), named) << line;
  }
  EXPECT_EQ(best_of(with(with(no_device, "Linux 5.15.167.4-microsoft-standard-WSL2"),
                         "/proc/driver/nvidia/version does not exist")),
            "no_visible_device")
      << "WSL has no such module";
}

TEST(Logs, PodsThatWaitForGpus) {
  EXPECT_EQ(
      best_of({"Warning  FailedScheduling  40s (x2 over 40s)  default-scheduler  0/2 nodes are available: 1 "
               "Insufficient nvidia.com/gpu, 1 node(s) were unschedulable."}),
      "gpu_request_unmet");
  EXPECT_EQ(
      best_of(
          {"Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, "
           "Available: 0, which is unexpected"}),
      "gpu_request_unmet");
  EXPECT_EQ(
      best_of(
          {"Allocate failed due to rpc error: request for \"nvidia.com/gpu\": invalid request: maximum request "
           "size for shared resources is 1; found 10, which is unexpected"}),
      "gpu_request_unmet");
  EXPECT_EQ(best_of({"FailedScheduling  0/2 nodes are available: 2 Insufficient nvidia.com/gpu.",
                     "Normal  Scheduled  73s  Successfully assigned default/gpu-pod to node6"}),
            "")
      << "it waited, and got them";
  EXPECT_EQ(best_of({"FailedScheduling  0/2 nodes are available: 2 Insufficient cpu."}), "");
}

TEST(Logs, AnMpiWhosePartForGpusIsNotLinked) {
  EXPECT_EQ(
      best_of({"MPICH ERROR [Rank 0] [job id 77.1] [nid5] - Abort(-1) (rank 0 in comm 0): MPIDI_CRAY_init: "
               "GPU_SUPPORT_ENABLED is requested, but GTL library is not linked"}),
      "mpi_gpu_library_not_linked");
}

TEST(Logs, AttentionThatCudnnHasNoPlanFor) {
  for (
      const char* const line :
      {"RuntimeError: cuDNN Frontend error: [cudnn_frontend] Error: No execution plans support the graph.",
       "RuntimeError: cuDNN Frontend error: [cudnn_frontend] Error: No valid execution plans built.",
       "cuDNN Error: [cudnn_frontend] Error: No execution plans built successfully.. For more information, enable",
       "RuntimeError: cuDNN Frontend error: No valid engine configs for Matmul_MUL_Reduction_SUB_EXP_"})
    EXPECT_EQ(best_of({line}), "cudnn_without_plan") << line;
  EXPECT_EQ(
      best_of(
          {"Could not load library libnvrtc.so.12. Error: libnvrtc.so.12: cannot open shared object file: "
           "No such file or directory",
           "cuDNN Frontend error: [cudnn_frontend] Error: No execution plans support the graph."}),
      "missing_cuda_libraries")
      << "which cuDNN makes its kernels with";
}

}  // namespace
}  // namespace gpugauge::diagnose
