// NCCL beside the fake runtime: communicators that move no data. A collective ends when it is enqueued,
// unless the plan says `endless` or `stuck` of its call. Every call that makes, watches or aborts a
// communicator takes part in the plan, too. As the real one does, it opens its log, whatever lies there.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <nccl.h>

#include "fakes/runtime/plan.hpp"

struct ncclComm {};

namespace {

/// Whether communicators tell of the collective in flight as an error.
bool told_of = false;

/// What the plan says of a call: any error of it is one of NCCL.
ncclResult_t answer(const char* call) {
  return fake::runtime::enter(call) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t collective(const char* call) {
  if (const ncclResult_t told = answer(call); told != ncclSuccess) return told;
  const std::string& word = fake::runtime::word();
  if (word == "endless") told_of = true;
  if (word == "endless" || word == "stuck") fake::runtime::busy() = true;
  return ncclSuccess;
}

void open_log() {
  const char* const path = std::getenv("NCCL_DEBUG_FILE");
  if (path == nullptr) return;
  static std::FILE* const log = std::fopen(path, "w");
  if (log == nullptr) return;
  std::fputs("made NCCL for tests\n", log);
  std::fflush(log);
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = ncclUniqueId{};
  return answer("ncclGetUniqueId");
}
const char* ncclGetErrorString(ncclResult_t) {
  return "an error of the fake NCCL";
}
const char* ncclGetLastError(ncclComm_t) {
  return "";
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int*) {
  open_log();
  const ncclResult_t told = answer("ncclCommInitAll");
  for (int i = 0; told == ncclSuccess && i < count; ++i) comms[i] = new ncclComm;
  return told;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int, ncclUniqueId, int) {
  const ncclResult_t told = answer("ncclCommInitRank");
  if (told == ncclSuccess) *comm = new ncclComm;
  return told;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = fake::runtime::busy() && told_of ? ncclRemoteError : ncclSuccess;
  return answer("ncclCommGetAsyncError");
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const ncclResult_t told = answer("ncclCommAbort");
  fake::runtime::busy() = false;
  delete comm;
  return told;
}

ncclResult_t ncclGroupStart() {
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  return answer("ncclGroupEnd");
}

ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                           cudaStream_t) {
  return collective("ncclAllReduce");
}
ncclResult_t ncclReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t,
                        cudaStream_t) {
  return collective("ncclReduce");
}
ncclResult_t ncclReduceScatter(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t,
                               cudaStream_t) {
  return collective("ncclReduceScatter");
}
ncclResult_t ncclAllGather(const void*, void*, size_t, ncclDataType_t, ncclComm_t, cudaStream_t) {
  return collective("ncclAllGather");
}
ncclResult_t ncclBroadcast(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return collective("ncclBroadcast");
}
ncclResult_t ncclSend(const void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return collective("ncclSend");
}
ncclResult_t ncclRecv(void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t) {
  return collective("ncclRecv");
}

}  // extern "C"
