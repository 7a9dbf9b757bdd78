// Makes NCCL's communicators, waits for them with deadlines, and aborts them when ranks part.
#include "nccl/world.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "nccl/meeting.hpp"
#include "result/occupied.hpp"
#include "support/byte_text.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/environment.hpp"
#include "support/environment.hpp"
#include "support/family.hpp"
#include "support/gpu_room.hpp"
#include "support/interrupt.hpp"
#include "support/ranks/wire.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench::nccl {

namespace {

std::optional<std::string>& broken() {
  static std::optional<std::string> sentence;
  return sentence;
}

/// Why no world was made: a GPU of some process is in use.
std::optional<Skipped>& in_use() {
  static std::optional<Skipped> why;
  return why;
}

std::function<void(const std::string&)>& keep_when_lost() {
  static std::function<void(const std::string&)> keep;
  return keep;
}

void keep(const std::string& sentence) {
  if (keep_when_lost()) keep_when_lost()(sentence);
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// More than NCCL's buffers on one GPU: 4 MiB by default (NCCL_BUFFSIZE) to and from each neighbour of up to
/// 32 channels, and those of its other protocols. Without room for them NCCL says only that CUDA failed, which
/// it says of a broken GPU, too.
constexpr std::size_t communicator_bytes = std::size_t{1} << 30;

/// Throws OutOfGpuMemory where something else holds so much of the current GPU that NCCL may not have room.
void require_communicator_room() {
  const GpuMemory memory = cuda::memory_now();
  if (memory.free >= communicator_bytes) return;
  const OutOfGpuMemory lack(fmt::format("NCCL needs {} of GPU memory for its communicators, {} MiB are free",
                                        byte_text(communicator_bytes), memory.free >> 20),
                            communicator_bytes);
  if (held_by_others(lack, memory)) throw lack;
}

/// Throws Skipped, unavailable and occupied, where the GPU is only in use, else std::runtime_error. Both name
/// the GPU.
Member make_member(int device, int rank) {
  Member member;
  member.device = device;
  member.rank = rank;
  const auto of_it = [&](const char* what) {
    return fmt::format("GPU {}{}: {}", device, member.uuid.empty() ? "" : fmt::format(" ({})", member.uuid),
                       what);
  };
  try {
    member.uuid = cuda::uuid_of(device);
    const OnDevice current(device);
    member.stream = std::make_unique<cuda::Stream>();
    member.events = std::vector<cuda::Event>(iterations_per_chunk + 1);
    require_communicator_room();
  } catch (const OutOfGpuMemory& lack) {
    throw without_room(of_it(lack.what()), true);
  } catch (const cuda::CudaError& error) {
    if (cuda::means_in_use(error.code()))
      throw Skipped{of_it(error.what()), result::Status::unavailable, true};
    throw std::runtime_error(of_it(error.what()));
  } catch (const std::exception& error) {
    throw std::runtime_error(of_it(error.what()));
  }
  return member;
}

}  // namespace

void check(ncclResult_t code, const char* doing) {
  if (code == ncclSuccess) return;
  const char* const last = ncclGetLastError(nullptr);
  throw std::runtime_error(fmt::format("{} failed: {}{}", doing, ncclGetErrorString(code),
                                       last == nullptr || *last == '\0' ? "" : fmt::format(" ({})", last)));
}

World::WhenLost::WhenLost(std::function<void(const std::string&)> keep) {
  keep_when_lost() = std::move(keep);
}

World::WhenLost::~WhenLost() {
  keep_when_lost() = nullptr;
}

World& World::get() {
  if (broken()) throw std::runtime_error(*broken());
  if (in_use()) throw Skipped(*in_use());
  try {
    // Never destroyed: a communicator that waits for others would wait when the process ends.
    static World* const world = new World;
    return *world;
  } catch (const Skipped& why) {
    in_use() = why;
    throw;
  }
}

World::World() : host_(host_name()), channel_(nccl::channel()) {
  const int devices = channel_ != nullptr ? 1 : cuda::start_up().devices;
  rank_count_ = channel_ != nullptr ? channel_->size() : devices;
  log_path_ = log_file(0);
  or_give_up([this, devices] {
    std::optional<Skipped> problem;
    // All are tried: a GPU in use must not hide one that is broken.
    for (int device = 0; device < devices; ++device) {
      try {
        members_.push_back(make_member(device, channel_ != nullptr ? channel_->rank() : device));
      } catch (const Skipped& held) {
        if (!problem) problem = held;
      }
    }
    agree("GPUs", problem);
    watch_ = std::make_unique<ranks::Watch>(
        members_.size() == 1 ? fmt::format("{} ({})", members_.front().uuid, host_)
                             : fmt::format("{} GPUs of {}", members_.size(), host_),
        [this] { return parted(); }, [this](const std::string& sentence) { end(sentence); });
    if (channel_ != nullptr)
      make_one_communicator();
    else
      make_communicators();
  });
}

void World::make_communicators() {
  std::vector<ncclComm_t> comms(members_.size());
  std::vector<int> devices;
  for (const Member& member : members_) devices.push_back(member.device);
  const ranks::Watch::Call watched(*watch_, "making NCCL's communicators", limits().alone);
  check(ncclCommInitAll(comms.data(), static_cast<int>(comms.size()), devices.data()),
        "making NCCL's communicators");
  for (std::size_t i = 0; i < comms.size(); ++i) members_[i].comm = comms[i];
}

// NCCL waits for all ranks inside one call. A separate thread makes the call, so that this one can learn of a
// rank that ended. The communicator is blocking on purpose, because NCCL starts a thread per group of a
// non-blocking one.
void World::make_one_communicator() {
  ncclUniqueId id{};
  if (channel_->rank() == 0) check(ncclGetUniqueId(&id), "making NCCL's identifier");
  const std::string mine = channel_->rank() == 0 ? std::string(id.internal, sizeof id.internal) : "";
  const std::string shared = exchange("identifier", mine).front();
  if (shared.size() != sizeof id.internal)
    throw std::runtime_error("rank 0 gave an identifier of another size: its NCCL is another version");
  shared.copy(id.internal, sizeof id.internal);
  using Made = std::pair<ncclResult_t, ncclComm_t>;
  auto promise = std::make_shared<std::promise<Made>>();
  std::future<Made> future = promise->get_future();
  std::thread([promise, id, size = channel_->size(), rank = channel_->rank()] {
    Made made{ncclSystemError, nullptr};
    if (cudaSetDevice(0) == cudaSuccess) made.first = ncclCommInitRank(&made.second, size, id, rank);
    promise->set_value(made);
  }).detach();
  const double deadline = steady_seconds() + limits().making;
  while (future.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    channel_->check();
    if (interrupted()) throw std::runtime_error(interruption());
    if (steady_seconds() > deadline)
      throw std::runtime_error(fmt::format("NCCL made no communicator within {:g} s", limits().making));
  }
  const Made made = future.get();
  check(made.first, "making NCCL's communicator");
  members_.front().comm = made.second;
}

ranks::Texts World::exchange(const std::string& step, const std::string& text) {
  return channel_ == nullptr ? ranks::Texts{text} : channel_->exchange(step, text, limits().step);
}

std::string World::exchange(const std::string& step, const std::string& text,
                            const ranks::Channel::MadeOf& made_of) {
  return channel_ == nullptr ? made_of({text}) : channel_->exchange(step, text, made_of, limits().step);
}

// The texts exchanged, encoded as one: the status, "occupied" or "", and the sentence.
void World::agree(const std::string& step, const std::optional<Skipped>& problem) {
  std::string mine;
  if (problem)
    mine = ranks::encode({std::string(result::to_string(problem->status)),
                          problem->occupied ? result::occupied_note : "", problem->reason});
  const ranks::Texts all = exchange(step, mine);
  for (const result::Status status : {result::Status::skipped, result::Status::unavailable}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ranks::Texts said = ranks::decode(all[i]).value_or(ranks::Texts{});
      if (said.size() != 3 || said[0] != result::to_string(status)) continue;
      throw Skipped{channel_ == nullptr
                        ? said[2]
                        : fmt::format("{}: {}", channel_->name_of(static_cast<int>(i)), said[2]),
                    status, said[1] == result::occupied_note};
    }
  }
}

void World::wait(double seconds) {
  const double deadline = steady_seconds() + seconds;
  or_give_up([&] {
    for (const Member& member : members_) wait_for(member, seconds, deadline);
  });
}

void World::wait_for(const Member& member, double seconds, double deadline) {
  constexpr double look_seconds = 5e-3;
  const OnDevice current(member.device);
  double next_look = steady_seconds() + look_seconds;
  for (;;) {
    const cudaError_t state = cudaStreamQuery(member.stream->get());
    if (state == cudaSuccess) return;
    if (state != cudaErrorNotReady)
      cuda::check(state, fmt::format("waiting for a collective on {} ({})", member.uuid, host_).c_str());
    const double now = steady_seconds();
    if (now < next_look) {
      std::this_thread::yield();
      continue;
    }
    next_look = now + look_seconds;
    if (interrupted_for_long()) throw Interrupted{};  // until then it may still end normally
    if (channel_ != nullptr) channel_->check();
    ncclResult_t fault = ncclSuccess;
    check(ncclCommGetAsyncError(member.comm, &fault), "asking NCCL for errors");
    if (fault != ncclSuccess)
      check(fault, fmt::format("a collective on {} ({})", member.uuid, host_).c_str());
    if (now > deadline)
      throw std::runtime_error(
          fmt::format("a collective did not end within {:g} s on {} ({})", seconds, member.uuid, host_));
  }
}

std::optional<std::string> World::parted() {
  if (channel_ == nullptr) return std::nullopt;
  try {
    channel_->check();
    return std::nullopt;
  } catch (const ranks::Parted& parted) {
    return parted.what();
  }
}

// Runs in the watching thread while the other is stuck inside NCCL. NCCL does not allow aborting a
// communicator during another thread's call.
void World::end(const std::string& sentence) {
  fmt::print(stderr, "gpugauge-bench-nccl: {}; it was still inside NCCL, and this process ends\n", sentence);
  if (channel_ != nullptr) channel_->fail(sentence);
  keep(sentence);
  if (environment().finish) environment().finish();
  std::fflush(nullptr);
  std::_Exit(interrupted() ? exit_interrupted : exit_failed);
}

void World::give_up(const std::string& sentence) {
  if (broken()) return;
  broken() = sentence;
  keep(sentence);
  end_soon();
  if (channel_ != nullptr) channel_->fail(sentence);
  for (Member& member : members_)
    if (member.comm != nullptr) ncclCommAbort(std::exchange(member.comm, nullptr));
}

// Makes NCCL read its environment again, through an entry point that it keeps for PyTorch and may drop. The
// variables exist already, so only their values are replaced.
bool World::begin_log(const char* subsystems) {
  if (log_path_.empty()) return false;
  static const auto again = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "ncclResetDebugInit"));
  if (again == nullptr) return false;
  log_text_ = log_so_far();
  log_of_choices_ = std::string(subsystems) == "TUNING";
  std::error_code ignored;
  std::filesystem::remove(log_path_, ignored);
  log_path_ = log_file(++log_count_);
  setenv("NCCL_DEBUG_FILE", log_path_.c_str(), 1);
  setenv("NCCL_DEBUG_SUBSYS", subsystems, 1);
  again();
  return true;
}

std::string World::log_so_far() const {
  return log_of_choices_ ? log_text_ : log_text_ + read_log();
}

std::string World::read_log() const {
  if (log_path_.empty()) return "";
  std::ifstream file(log_path_);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace gpugauge::bench::nccl
