// What a job was given: GPUs that its ranks share or do not see, memory of the host, multicast groups.
#include "diagnose/causes/driver_start.hpp"

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
  it.at_most(bound::weak, in_words("a GPU is lost, which NVML does not find either",
                                   seen.told({"fallen off the bus", "GPU is lost"})));
}

void examine_host_memory(const Seen& seen, Argument& it) {
  it.confirms(weight::proof,
              seen.told({"oom_kill event", "OOM Killed", "OOMKilled", "oom-kill:constraint",
                         "invoked oom-killer", "Memory cgroup out of memory", "Out of memory: Kill"}));
  if (it.evidence().empty()) return;
  it.confirms(weight::hint,
              seen.told({"exit code*137", "error code*137", "code: 137", "exitcode*-9", "signal 9"}));
  it.explains_failure();
  it.is_an_event();
}

void examine_multicast(const Seen& seen, Argument& it) {
  it.confirms(weight::proof, seen.told({"NVSwitch multicast resources*used", "multicast*slot ids are used"}));
  it.confirms(weight::good, seen.told({"Failed to bind NVLink SHARP", "NVLS*Multicast*out of memory",
                                       "Multicast memory*CUDA error"}));
  if (it.evidence().empty()) return;
  it.confirms(weight::strong, seen.recovers_by({"NVLS"}));
  it.explains_failure();
  it.is_an_event();
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
       .next = "nvidia-smi -L in each task; give every task all GPUs of its node (srun --gpus-per-node=N "
               "--gpu-bind=none) and let it pick one by its local rank",
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
           "NCCL_NVLS_ENABLE=0 for this job; fewer communicators at once; the fabric manager's log: grep -i "
           "multicast /var/log/fabricmanager.log",
       .reading = {"https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-nvls-enable"},
       .examine = examine_multicast},
  };
}

}  // namespace gpugauge::diagnose
