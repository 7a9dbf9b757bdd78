"""Where work ran: what this process mapped, what the driver counts for it, what its processors did. Linux, standard library only."""
import ctypes
import os
import re

# Loaded only by code that talks to the GPU.
GPU_LIBRARIES = ("libcuda.so", "libcudart", "libcublas.so", "libcublasLt.so", "libcudnn", "libcufft", "libnccl")
NVML_SUCCESS, NVML_ERROR_INSUFFICIENT_SIZE = 0, 7
NVML_VALUE_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF


class ProcessInfo(ctypes.Structure):
    """nvmlProcessInfo_t of nvml.h, as nvmlDeviceGetComputeRunningProcesses_v3 fills it."""
    _fields_ = [("pid", ctypes.c_uint), ("used_bytes", ctypes.c_ulonglong), ("gpu_instance", ctypes.c_uint),
                ("compute_instance", ctypes.c_uint)]


class UtilizationSample(ctypes.Structure):
    """nvmlProcessUtilizationSample_t of nvml.h."""
    _fields_ = [("pid", ctypes.c_uint), ("timestamp_us", ctypes.c_ulonglong), ("sm", ctypes.c_uint), ("memory", ctypes.c_uint),
                ("encoder", ctypes.c_uint), ("decoder", ctypes.c_uint)]


class Nvml:
    """What NVML says of the GPUs and of this process. `fault` says why it cannot be asked."""

    def __init__(self, library="libnvidia-ml.so.1"):
        self.devices, self.fault, self._library = [], "", None
        try:
            self._library = ctypes.CDLL(library)
        except OSError as error:
            self.fault = str(error)
            return
        code = self._library.nvmlInit_v2()
        if code != NVML_SUCCESS:
            self.fault = f"nvmlInit_v2 answers {code}"
            return
        count = ctypes.c_uint()
        if self._library.nvmlDeviceGetCount_v2(ctypes.byref(count)) != NVML_SUCCESS:
            self.fault = "NVML cannot count the GPUs"
            return
        for index in range(count.value):
            handle = ctypes.c_void_p()
            if self._library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == NVML_SUCCESS:
                self.devices.append(handle)

    def _list(self, name, call, entry):
        """What the function `name` lists through `call(function, count, room)`; empty where an older NVML has no such function."""
        function, count = getattr(self._library, name, None), ctypes.c_uint(0)
        if function is None:
            return []
        call(function, ctypes.byref(count), None)
        if count.value == 0:
            return []
        room = (entry * (count.value + 8))()
        count.value = len(room)
        return list(room[:count.value]) if call(function, ctypes.byref(count), room) == NVML_SUCCESS else []

    def processes(self):
        """(pid, bytes or None) of every compute process on any GPU; empty where none, or where the container hides them."""
        out = []
        for device in self.devices:
            def call(function, count, room, device=device):
                return function(device, count, room)
            for one in self._list("nvmlDeviceGetComputeRunningProcesses_v3", call, ProcessInfo):
                out.append((one.pid, None if one.used_bytes == NVML_VALUE_NOT_AVAILABLE else one.used_bytes))
        return out

    def utilization(self, pid):
        """Largest share of SM time, in percent, that NVML saw of `pid`; None where it saw none."""
        largest = None
        for device in self.devices:
            def call(function, count, room, device=device):
                return function(device, room, count, ctypes.c_ulonglong(0))
            for one in self._list("nvmlDeviceGetProcessUtilization", call, UtilizationSample):
                if one.pid == pid:
                    largest = max(largest or 0, one.sm)
        return largest


def host_pids():
    """This process's ids, outermost namespace first, as far as /proc tells: NVML counts in the host's."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            found = re.search(r"^NSpid:\s*(.*)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return [int(word) for word in found.group(1).split()] if found else [os.getpid()]


def mapped_libraries():
    """Real paths of the GPU libraries that this process has mapped."""
    out = set()
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            path = line.rstrip("\n").split(" ", 5)[-1].strip()
            name = os.path.basename(path)
            if path.startswith("/") and name.startswith(GPU_LIBRARIES):
                out.add(path)
    return sorted(out)


def listed(profiled, run, known):
    """Names of the kernels that `run` starts, as `profiled(run)` lists them; None where they cannot be listed.

    A profiler that may not trace lists nothing and raises nothing, so an empty list counts only where it then lists `known`, work
    that is sure to start a kernel.
    """
    names = profiled(run)
    if names:
        return names
    return profiled(run) if profiled(known) else None


def tell(seen):
    """(ran_on, why): "gpu", "cpu" or "unknown" from what was seen of one operation.

    `seen` has: result_device ("gpu", "cpu" or ""), kernels (names, or None where they cannot be listed), driver_mapped (bool),
    gpu_bytes (of this process by NVML, or None where not visible), processors (busy on average), fallback (operators that the
    framework itself placed on the processor).
    """
    if seen["fallback"]:
        return "cpu", "the framework placed " + ", ".join(seen["fallback"]) + " on the processor"
    if seen["kernels"]:
        return "gpu", f"{len(seen['kernels'])} kernels of the GPU were seen, first {seen['kernels'][0]}"
    if not seen["driver_mapped"]:
        return "cpu", f"the process never opened the GPU's driver library, and kept {seen['processors']:.1f} processors busy"
    if seen["kernels"] is not None:
        if seen["result_device"] == "gpu" and seen["gpu_bytes"]:
            return "unknown", (f"no kernel ran on the GPU, and yet the result lies there, where the process holds "
                               f"{seen['gpu_bytes'] / 2**20:.0f} MiB")
        return "cpu", f"no kernel ran on the GPU, and {seen['processors']:.1f} processors were busy"
    if seen["result_device"] == "gpu" and seen["gpu_bytes"]:
        return "gpu", f"the result lies on the GPU, where the process holds {seen['gpu_bytes'] / 2**20:.0f} MiB"
    if seen["result_device"] == "cpu":
        return "cpu", f"the result lies in the host's memory, and {seen['processors']:.1f} processors were busy"
    if seen["result_device"] == "gpu" and seen["gpu_bytes"] is None:
        return "gpu", "the framework says that the result lies on the GPU; the driver's count of this process is not visible here"
    return "unknown", "the framework says GPU, and the driver counts no memory for this process"
