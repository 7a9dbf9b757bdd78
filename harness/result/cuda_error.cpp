// The table of explained CUDA error codes and the look-up in it.
#include "result/cuda_error.hpp"

#include <algorithm>
#include <array>

namespace gpugauge::result {
namespace {

// Names and numbers: driver_types.h of the CUDA toolkit. The driver API's cuda.h uses the same numbers from 2
// up, with CUDA_ERROR_ names. Sorted by code; causes are in the order in which users met them.
constexpr std::array table{
    CudaErrorInfo{
        2, "cudaErrorMemoryAllocation", "The GPU, or the host for pinned memory, has too little free memory.",
        "See with nvidia-smi which processes hold memory on this GPU, and end those that should be gone."},
    CudaErrorInfo{
        3, "cudaErrorInitializationError",
        "The driver could not be initialised in this process; a process forked after its parent used CUDA "
        "always gets this.",
        "Run nvidia-smi: where it fails too, its message names the fault; where it works, start the program "
        "in a fresh process."},
    CudaErrorInfo{
        34, "cudaErrorStubLibrary",
        "The libcuda.so.1 that was loaded is the toolkit's stub, which is made for linking only and has no "
        "driver behind it.",
        "Remove the toolkit's lib64/stubs folder from LD_LIBRARY_PATH and /etc/ld.so.conf.d, then install "
        "the real driver library if none is left."},
    CudaErrorInfo{
        35, "cudaErrorInsufficientDriver",
        "The driver supports less CUDA than the program was built with; the CUDA runtime says the same when "
        "it finds no driver library at all.",
        "Update the NVIDIA driver, or use a build for an older CUDA major version."},
    CudaErrorInfo{36, "cudaErrorCallRequiresNewerDriver",
                  "The program called a function that the installed driver does not have yet.",
                  "Update the NVIDIA driver to the branch that came with the program's CUDA version."},
    CudaErrorInfo{
        46, "cudaErrorDevicesUnavailable",
        "Every GPU is busy or closed to this process: compute mode exclusive or prohibited, or other work "
        "holds it.",
        "Check nvidia-smi -q -d COMPUTE for the compute mode and nvidia-smi for processes on the GPU."},
    CudaErrorInfo{
        98, "cudaErrorInvalidDeviceFunction",
        "The kernel does not exist in the loaded program, or was not compiled for this GPU's architecture.",
        "Rebuild with this GPU's compute capability among the architectures."},
    CudaErrorInfo{
        100, "cudaErrorNoDevice", "The driver works and shows this process no GPU.",
        "Check CUDA_VISIBLE_DEVICES, the device nodes /dev/nvidia0 and up, and the container's or cgroup's "
        "device rules."},
    CudaErrorInfo{
        101, "cudaErrorInvalidDevice", "A GPU was asked for by a number that does not exist here.",
        "List the GPUs with nvidia-smi -L and compare with CUDA_VISIBLE_DEVICES, which renumbers them."},
    CudaErrorInfo{103, "cudaErrorSoftwareValidityNotEstablished",
                  "A self-test that the CUDA runtime runs on itself and on the driver failed.",
                  "Reinstall the driver so that libcuda and the kernel module are of one version."},
    CudaErrorInfo{200, "cudaErrorInvalidKernelImage",
                  "The program's GPU code is damaged or of an unknown format.",
                  "Rebuild or reinstall the program, and clear the cache ~/.nv/ComputeCache."},
    CudaErrorInfo{
        209, "cudaErrorNoKernelImageForDevice",
        "The program holds no code that this GPU can run: neither machine code for its architecture nor PTX "
        "that could be compiled for it.",
        "Rebuild with this GPU's compute capability among the architectures (GPUGAUGE_ARCHITECTURES=auto on "
        "this machine), "
        "or install a release that supports it."},
    CudaErrorInfo{
        214, "cudaErrorECCUncorrectable", "The GPU's memory had an error that ECC could not correct.",
        "Drain the node, read nvidia-smi -q -d ECC,ROW_REMAPPER, and reset the GPU or have it replaced."},
    CudaErrorInfo{
        218, "cudaErrorInvalidPtx", "The driver's compiler refused the program's PTX.",
        "Rebuild the program with machine code for this GPU; where it runs elsewhere, update the driver."},
    CudaErrorInfo{
        220, "cudaErrorNvlinkUncorrectable", "An NVLink had an error that could not be corrected.",
        "Read nvidia-smi nvlink -e and the kernel log for Xid 74, and take the node out of service."},
    CudaErrorInfo{
        221, "cudaErrorJitCompilerNotFound",
        "The program needs its PTX compiled here and libnvidia-ptxjitcompiler.so.1 was not found.",
        "Install the driver's complete user-space package; in a container let the NVIDIA Container Toolkit "
        "mount it (driver capability `compute`)."},
    CudaErrorInfo{
        222, "cudaErrorUnsupportedPtxVersion",
        "The program's PTX is newer than the driver's compiler; a driver of the same CUDA major version "
        "runs newer machine code, but not newer PTX.",
        "Update the driver, or rebuild with machine code for this GPU's compute capability."},
    CudaErrorInfo{
        223, "cudaErrorJitCompilationDisabled",
        "The program needs its PTX compiled here and compilation is switched off.",
        "Unset CUDA_DISABLE_PTX_JIT, or rebuild with machine code for this GPU's compute capability."},
    CudaErrorInfo{
        226, "cudaErrorContained",
        "The GPU met a hardware or peer-access error and contained it; every further call of this process "
        "gets the same answer.",
        "Start the program again, and read the kernel log for Xid messages of that moment."},
    CudaErrorInfo{
        304, "cudaErrorOperatingSystem",
        "A call to the operating system failed inside the driver, most often because device nodes or their "
        "permissions are missing.",
        "Check that this user may open /dev/nvidiactl, /dev/nvidia0 and /dev/nvidia-uvm, then the kernel "
        "log."},
    CudaErrorInfo{700, "cudaErrorIllegalAddress", "A kernel touched memory that is not its own.",
                  "Run the program under compute-sanitizer; the process must be started again."},
    CudaErrorInfo{702, "cudaErrorLaunchTimeout",
                  "A kernel ran longer than the display's watchdog allows on this GPU.",
                  "Run on a GPU that drives no display, or with the graphical session stopped."},
    CudaErrorInfo{716, "cudaErrorMisalignedAddress",
                  "A kernel read or wrote at an address that is not aligned.",
                  "Run the program under compute-sanitizer; the process must be started again."},
    CudaErrorInfo{719, "cudaErrorLaunchFailure",
                  "A kernel ended in an exception: a wrong access, or the GPU itself failed.",
                  "Read the kernel log for Xid messages, then run the program under compute-sanitizer."},
    CudaErrorInfo{720, "cudaErrorCooperativeLaunchTooLarge",
                  "A cooperative kernel has more blocks than fit on the GPU at once.",
                  "Use fewer blocks; a MIG instance or MPS limit leaves room for fewer than the whole GPU."},
    CudaErrorInfo{
        800, "cudaErrorNotPermitted", "The driver does not permit this operation to this process.",
        "Check the container's or cgroup's restrictions, and whether MPS or a profiler owns the GPU."},
    CudaErrorInfo{801, "cudaErrorNotSupported", "This GPU, driver or system cannot do this operation.",
                  "Compare the GPU and driver with the requirements of the operation that failed."},
    CudaErrorInfo{
        802, "cudaErrorSystemNotReady",
        "The system is not ready for CUDA: on a machine with NVSwitch the fabric manager does not run, has "
        "another version than the driver, or has not finished.",
        "Run systemctl status nvidia-fabricmanager, compare its version with the driver's, and read "
        "nvidia-smi -q for the fabric state."},
    CudaErrorInfo{
        803, "cudaErrorSystemDriverMismatch",
        "The user-mode driver library (libcuda) and the loaded kernel module are of different versions.",
        "Reboot, or unload and load the nvidia modules, after a driver update; in a container remove the "
        "image's own libcuda."},
    CudaErrorInfo{
        804, "cudaErrorCompatNotSupportedOnDevice",
        "A forward-compatibility libcuda (cuda-compat) was loaded on a GPU that it does not support; it is "
        "for data-centre GPUs only.",
        "Remove the cuda-compat folder from LD_LIBRARY_PATH or the image, and use a driver that supports "
        "the CUDA version itself."},
    CudaErrorInfo{805, "cudaErrorMpsConnectionFailed",
                  "The process could not connect to the MPS control daemon.",
                  "Start nvidia-cuda-mps-control -d again, or unset CUDA_MPS_PIPE_DIRECTORY."},
    CudaErrorInfo{
        999, "cudaErrorUnknown",
        "The driver failed inside; most often the nvidia_uvm module is missing or in a bad state, for "
        "instance after suspend.",
        "Reload it (sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm) or reboot, and read the kernel log."},
};

static_assert(std::is_sorted(table.begin(), table.end(),
                             [](const CudaErrorInfo& a, const CudaErrorInfo& b) { return a.code < b.code; }));

}  // namespace

std::optional<CudaErrorInfo> explain_cuda_error(int code) {
  const auto* const found =
      std::lower_bound(table.begin(), table.end(), code,
                       [](const CudaErrorInfo& info, int wanted) { return info.code < wanted; });
  if (found == table.end() || found->code != code) return std::nullopt;
  return *found;
}

}  // namespace gpugauge::result
