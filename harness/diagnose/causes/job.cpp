// What a job was given: GPUs that its ranks share or do not see, or that a pod waits for, memory of the host, multicast
// groups; and a batch system that counts the GPUs of a node otherwise than the node does.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "diagnose/causes/driver_start.hpp"
#include "diagnose/causes/network_told.hpp"
#include "diagnose/causes/printed.hpp"
#include "result/text.hpp"

namespace gpugauge::diagnose {
namespace {

void examine_shared_gpu(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"Duplicate GPU detected"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
}

void examine_hidden_peers(const Seen& seen, Argument& it) {
  const Fact not_found = seen.told({"nvmlDeviceGetHandleByPciBusId*Not Found"});
  it.confirms(weight::strong, not_found);
  if (!not_found) return;
  it.confirms(weight::strong, seen.recovers_by({"gpu-bind", "gpu_bind", "tres-bind", "gpus-per-task",
                                                "ConstrainDevices", "--gpus"}));
  it.confirms(weight::hint, seen.told({"gpu:per_task", "gpus-per-task", "single:1", "--gpu-bind"}));
  it.explains_failure();
  it.is_an_event();
  it.at_most(bound::weak,
             in_words("a GPU is lost, which NVML does not find either",
                      either(seen.xid({79}), seen.told({"fallen off the bus", "GPU is lost",
                                                        "Unable to determine the device handle"}))));
  it.at_most(bound::half,
             in_words("under WSL NVML knows no such address",
                      either(seen.on("host.os", {"wsl"}), seen.told({"microsoft-standard-WSL"}))));
  it.at_most(bound::half,
             in_words("instances of MIG have no such address", seen.told({"MIG-", "MIG device"})));
}

/// Someone was killed for memory: a count of 0, a metric's name and the GPU's memory are none of it.
bool tells_of_kill(const std::string& line) {
  if (contains(line, "Detected * oom_kill event")) return number_after(line, "Detected ").value_or(0) > 0;
  if (contains_any(line, {"starting to watch", "last_terminated_reason", "cuda", "false"})) return false;
  return contains_any(line, {"been OOM Killed", "oom-kill:constraint", "invoked oom-killer",
                             "Memory cgroup out of memory: Kill", "Out of memory: Kill",
                             "task *: Out Of Memory", "OUT_OF_ME", "Reason: *OOMKilled"}) ||
         result::stripped(line) == "OOMKilled";
}

/// It was a part of the job: a program that computes, or a step of the batch system.
bool is_of_job(const std::string& line) {
  // As words: "constraint" holds "train", and "compiler" holds "mpi".
  return contains_any_word(line, {"StepId", "step tasks", "task *: Out", "OUT_OF_ME", "python", "torch",
                                  "mpi", "pt_main", "ray::", "vllm", "train", "enroot", "squashfs"});
}

}  // namespace

Fact killed_for_memory(const Seen& seen) {
  for (const std::string& line : seen.it().log)
    if (tells_of_kill(line) && is_of_job(line)) return fmt::format("log: \"{}\"", line);
  return std::nullopt;
}

namespace {

void examine_host_memory(const Seen& seen, Argument& it) {
  bool of_job = false;
  for (const std::string& line : seen.it().log) {
    if (!tells_of_kill(line)) continue;
    of_job = of_job || is_of_job(line);
    it.confirms(is_of_job(line) ? weight::strong : weight::good, fmt::format("log: \"{}\"", line));
    if (it.evidence().size() == 3) break;
  }
  if (it.evidence().empty()) return;
  const Fact ended =
      seen.told({"exit code*137", "error code*137", "code: 137", "exitcode*-9", "signal 9", "SIGKILL"});
  it.confirms(weight::good, ended);
  if (of_job || ended) it.explains_failure();
  if (!of_job && !ended) it.unproven(bound::half, Fact("it is not known to have been a process of the job"));
  // What else a log of days tells is more likely the job's own fault.
  if (!ended)
    it.at_most(bound::likely, seen.told({"fallen off the bus", "illegal memory access", "vendor err",
                                         "NCCL WARN", "uncorrectable ECC"}));
}

void examine_multicast(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.told({"all *multicast*slot ids are used", "all *multicast resources*are used"}));
  it.confirms(weight::strong, seen.told({"Failed to bind NVLink SHARP", "NVLS*Multicast*out of memory"}));
  it.confirms(weight::good, seen.told({"transport/nvls.cc*NCCL WARN Cuda failure",
                                       "transport/nvls.cc*NCCL WARN CUDA failure"}));
  if (it.evidence().empty()) return;
  it.confirms(weight::strong, seen.recovers_by({"NVLS"}));
  it.explains_failure();
  it.is_an_event();
}

const Words pod_runs{"Started container", "Status:*Running"};
const Words nodes_refused_otherwise{
    "nodes are available*untolerated taint",  "nodes are available*node affinity/selector",
    "nodes are available*didn't match Pod's", "nodes are available*Insufficient memory",
    "nodes are available*Insufficient cpu",   "nodes are available*volume node affinity"};

/// The scheduler's line that assigns a pod to a node, after the last one that tells of too few GPUs. Of two pods
/// that both lines name it must be the same.
Fact assigned_later(const Seen& seen) {
  const std::vector<std::string>& log = seen.it().log;
  const auto last = std::find_if(log.rbegin(), log.rend(),
                                 [](const std::string& line) { return contains(line, "Insufficient"); });
  if (last == log.rend()) return std::nullopt;
  for (auto line = last.base(); line != log.end(); ++line) {
    const std::size_t from = line->find("Successfully assigned ");
    if (from == std::string::npos) continue;
    const std::size_t begin = from + std::string_view("Successfully assigned ").size();
    const std::string pod = line->substr(begin, line->find(' ', begin) - begin);
    const std::string name = pod.substr(pod.find('/') + 1);
    if (!contains(*last, "pod/") || contains(*last, "pod/" + name)) return seen.said({line->substr(from)});
  }
  return std::nullopt;
}

void examine_request(const Seen& seen, Argument& it) {
  const Fact shared = seen.told({"nvidia.com/*maximum request size for shared resources"});
  it.confirms(weight::proof, shared);
  it.confirms(weight::strong, seen.told({"nodes are available*Insufficient nvidia.com/",
                                         "requested number of devices unavailable for nvidia.com/"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  if (shared) return;
  it.at_most(bound::remote, in_words("it was given to a node later", assigned_later(seen)));
  it.at_most(bound::below_half, in_words("the pod runs", seen.told(pod_runs)));
  // The nodes with GPUs are refused for another reason, and those that lack them never had any.
  it.at_most(bound::below_half,
             in_words("nodes are refused for something else", seen.told(nodes_refused_otherwise)));
}

void examine_slurm(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.told({"gres/gpu*count reported lower than configured", "gres/gpu*count too low",
                         "can't stat gres.conf file /dev/nvidia", "gres.conf duplicate records for gpu",
                         "configured to autodetect nvml functionality, but"}));
  it.confirms(weight::good,
              seen.told({"gres/gpu*Count changed on node", "Waiting for gres.conf file /dev/nvidia",
                         "autodetected GPUs are being ignored"}));
  if (it.evidence().empty()) return;
  it.explains_failure();
  it.is_an_event();
  it.confirms(weight::fair, seen.told({"state to INVAL with reason*gres", "invalid*gres.conf"}));
  // Slurm only counts what the driver gives: a driver that is not there, or a GPU that is gone, comes first.
  it.at_most(
      bound::below_half,
      in_words("the driver does not answer on the node",
               either(no_driver_in_proc(seen),
                      either(seen.told({"Module nvidia not found", "communicate with the NVIDIA driver",
                                        "Failed to initialize NVML", "No devices were found"}),
                             nvml_mismatch(seen)))));
  it.at_most(bound::below_half,
             in_words("a GPU is gone", either(seen.xid({79}), seen.told({"fallen off the bus"}))));
}

}  // namespace

Signatures job_causes() {
  return {
      {.name = "ranks_share_gpu",
       .title = "Two ranks of one job use the same GPU",
       .what =
           "NCCL allows one rank per GPU in a communicator. Where each process keeps the default device, or more "
           "ranks are started than there are GPUs, it refuses with \"Duplicate GPU detected\", or the job hangs.",
       .moves = "coll_large x",
       .confirms = "NCCL names two ranks and one device",
       .excludes = "each rank prints another PCI bus id",
       .confused_with = {{"peer_gpus_hidden", "has each rank a GPU of its own that the others do not see?"},
                         {"nccl_node_mismatch", "is a GPU refused, or a version?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "print rank and nvidia-smi -L in each process; torch.cuda.set_device(LOCAL_RANK) before the process "
           "group is made; as many ranks on a node as it has GPUs",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/communicators.html"},
       .examine = examine_shared_gpu},
      {.name = "peer_gpus_hidden",
       .title = "A task does not see the GPUs of the other ranks on its node",
       .what =
           "A batch system that binds one GPU to each task hides the others by a control group. NCCL then asks NVML "
           "for its peers' GPUs by their PCI addresses, finds none, and cannot use NVLink or PCIe between them.",
       .moves = "coll_large x",
       .confirms = "nvmlDeviceGetHandleByPciBusId says Not Found; without the binding it works",
       .excludes = "a GPU fell off the bus",
       .confused_with = {{"gpu_lost", "does the host's nvidia-smi list all GPUs?"},
                         {"ranks_share_gpu", "has each rank a GPU of its own?"},
                         {"no_visible_device", "does the task see a GPU at all?"}},
       .severity = Severity::failure,
       .subject = Subject::software,
       .next =
           "nvidia-smi -L in each task; give every task, or container, all GPUs of its node (srun "
           "--gpus-per-node=N --gpu-bind=none; docker run --gpus all) and let it pick one by its local rank",
       .reading = {"https://slurm.schedmd.com/gres.html"},
       .examine = examine_hidden_peers},
      {.name = "host_memory_exhausted",
       .title = "The kernel ended a process because the host's memory, or its limit, was used up",
       .what =
           "A job's limit (Slurm's --mem, a pod's or a container's) or the machine's whole memory was reached, and "
           "the kernel killed the process that it chose: a loader, a rank, or the build of an image. What waits for "
           "it fails later with other words.",
       .confirms = "the kernel, Slurm or the container's state names an out-of-memory kill",
       .excludes = "it was the GPU's memory that was used up",
       .confused_with = {{"shm_too_small", "is it /dev/shm that is full?"},
                         {"locked_memory_limit", "was a process killed, or was memory not registered?"}},
       .severity = Severity::failure,
       .next =
           "dmesg | grep -i -E 'oom|killed process'; more memory for the job (srun --mem, the pod's limit, docker "
           "run --memory), or fewer loader processes",
       .reading = {"https://docs.kernel.org/admin-guide/cgroup-v2.html"},
       .examine = examine_host_memory},
      {.name = "nvls_unavailable",
       .title = "NCCL cannot get a multicast group of the NVSwitches (NVLink SHARP)",
       .what =
           "On NVSwitch systems NCCL reduces in the switches by multicast groups, of which there are few per "
           "partition. Many communicators at once use them up, and a fabric that is not set up gives none; NCCL "
           "then fails while it makes a communicator.",
       .moves = "coll_large x",
       .confirms =
           "binding NVLS multicast memory fails; the fabric manager says that its groups are used; with "
           "NCCL_NVLS_ENABLE=0 it works",
       .excludes = "it fails with NCCL_NVLS_ENABLE=0, too",
       .confused_with = {{"fabric_manager_down", "does CUDA start at all?"},
                         {"nvlink_partial", "are all links active?"}},
       .severity = Severity::failure,
       .next =
           "NCCL_NVLS_ENABLE=0 for this job; fewer communicators at once; after a restart of the fabric manager reset the GPUs "
           "or reboot; its log: grep -i multicast /var/log/fabricmanager.log",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-nvls-enable"},
       .examine = examine_multicast},
      {.name = "gpu_request_unmet",
       .title = "Kubernetes cannot give a pod the GPUs that it requests",
       .what =
           "A pod goes to a node whose device plugin offers as many free GPUs as its limit of nvidia.com/gpu. No node "
           "has them: others use them, the plugin offers none, or a node never has so many. Of GPUs that are shared by "
           "MPS, or by time slices where the plugin is told so, a container may request one only.",
       .confirms =
           "the pod's events say Insufficient nvidia.com/gpu, or that a shared resource may be requested once",
       .excludes = "the pod was assigned to a node later",
       .confused_with = {{"no_visible_device", "did the pod start at all?"}},
       .severity = Severity::failure,
       .next =
           "kubectl describe pod POD; kubectl describe node NODE: nvidia.com/gpu under Capacity, Allocatable and "
           "Allocated; kubectl logs of the node's device plugin; of shared GPUs request one, or set "
           "failRequestsGreaterThanOne: false (not with MPS)",
       .reading = {"https://github.com/NVIDIA/k8s-device-plugin#shared-access-to-gpus",
                   "https://github.com/NVIDIA/k8s-device-plugin/issues/929"},
       .examine = examine_request},
      {.name = "slurm_gpus_unlike_node",
       .title = "Slurm's configuration of GPUs does not fit the node",
       .what =
           "slurm.conf says how many GPUs a node has (Gres=gpu:N), and gres.conf which device files they are, or that NVML "
           "finds them. Where the node has fewer (another number of MIG instances, a device file that is not there), a GPU is named "
           "twice, or Slurm was built without the NVML that it shall ask, slurmd does not start, or the controller sets the "
           "node to INVAL and drains it.",
       .confirms =
           "gres/gpu count reported lower than configured; can't stat gres.conf file; duplicate records for gpu",
       .excludes = "nvidia-smi on the node does not list the GPUs either",
       .confused_with = {{"kernel_module_missing", "does nvidia-smi -L work on the node?"},
                         {"gpu_lost", "does nvidia-smi -L list all GPUs of the node?"},
                         {"gpu_request_unmet", "is it Slurm, or Kubernetes?"}},
       .severity = Severity::failure,
       .next =
           "on the node: nvidia-smi -L; ls /dev/nvidia*; slurmd -G (the GPUs that Slurm finds); scontrol show node NODE "
           "(Gres, Reason); in gres.conf AutoDetect=nvml alone, or one line for each GPU with its File=; as many in Gres= "
           "of slurm.conf; scontrol reconfigure, restart slurmd, scontrol update NodeName=NODE State=RESUME",
       .reading = {"https://slurm.schedmd.com/gres.html", "https://slurm.schedmd.com/gres.conf.html"},
       .examine = examine_slurm},
  };
}

}  // namespace gpugauge::diagnose
