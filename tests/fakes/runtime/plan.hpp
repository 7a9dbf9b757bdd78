// A CUDA runtime made for tests: real families are linked against it in place of cudart, so that their calls
// can fail on a machine without a GPU. It proves what becomes of an error and never a figure: "device memory"
// is the host's, a stream does its work at once, and a kernel computes nothing unless kernels.cpp has a twin
// of it.
//
// GPUGAUGE_FAKE_CUDA holds the plan, rules with a semicolon between them:
//
//   CALL[@GPU][:FROM[-TO]]=ACTION    the FROM-th (1) to the TO-th (last) call of this name in this process;
//                                    with @GPU, of those while that GPU is current or is being chosen
//   KERNEL[@GPU][:FROM[-TO]]=ACTION  the same of the launches of a kernel, by its name without namespaces
//
// CALL is the name of a function of the runtime or, where it is there, of NCCL, or `any` of them. An error of
// NCCL is ncclUnhandledCudaError, whatever the number. ACTION:
//   a number    the call answers that error. One that takes the context (700, 719, ...) is the answer of
//   every call after it. A
//               launch answers success: the error is then that of the next call that waits.
//   lost        the GPU falls off the bus: 719 from now on, and NVML says in the same moment that it is lost
//   hang        the call never returns
//   crash, exit the process ends in it, by SIGSEGV or with exit code 7
//   idle        of a kernel: it is launched and does nothing; `any_kernel` is each of them. Of a
//   cudaMemcpy...: 4 KiB and more are not copied
//   zero, nan   of cudaEventElapsedTime: what it measured; zero of cudaDeviceCanAccessPeer: there is none
//   old         of cudaFuncGetAttributes: the code was made for compute capability 7.0
//   endless     of a collective of NCCL: it is in flight until its communicator is aborted, which tells of an
//   error
//   stuck       the same, and its communicator tells of none
// A rule that cannot be read ends the process with exit code 9 and a sentence.
#pragma once

#include <string>
#include <string_view>

#include <cuda_runtime_api.h>

namespace fake::runtime {

/// Every call comes by here first: does what the plan says of it. What is not cudaSuccess is the call's
/// answer.
cudaError_t enter(const char* call);
/// The same for a call that waits for the GPU: what kernels ended in comes to light here.
cudaError_t enter_waiting(const char* call);
/// A launch of the kernel of this mangled name; true when it shall do its work.
bool enter_kernel(const std::string& mangled);
/// The plan's word for what a call shall give back ("zero"), "" for none; asked right after enter().
const std::string& word();
/// Whether a collective is in flight: what waits for the GPU then never returns.
bool& busy();
/// Never returns while busy().
void wait_for_work();
/// Makes an error the last one and returns it.
cudaError_t remember(cudaError_t code);
/// The last error; forgotten when it does not stick.
cudaError_t take_last();

/// The number of the GPU that is current in this thread.
int& current();

/// The driver's function of a name, for cudaGetDriverEntryPoint; nullptr where there is none. Null itself but in
/// the family that driver.cpp is linked into.
extern void* (*driver_function)(std::string_view name);

/// Compute capability of the GPU, 90 for 9.0 unless the scenario says another.
int capability();

/// Does a mangled name end in this name, in namespaces or not?
bool is_called(const std::string& mangled, const std::string& name);

}  // namespace fake::runtime
