// Who comes to rank 0's door when the ranks have parted: a rank is told why, and nothing holds or loads rank 0.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "ranks_fixture.hpp"
#include "support/ranks/channel.hpp"
#include "support/ranks/introduction.hpp"
#include "support/ranks/wire.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::HasSubstr;

class LateRanks : public Ranks {
 protected:
  /// What rank 0 of two ends with, for whose rank 1 nobody waited long.
  std::string rank_0_parts() const {
    try {
      Channel channel(launch(0, 2, 0.2));
    } catch (const Parted& parted) {
      return parted.what();
    }
    return "met";
  }

  /// A connection that rank 0 has not taken yet.
  Wire waiting_at_the_door() const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Wire wire(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(connect(wire.socket(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return wire;
  }
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TEST_F(LateRanks, are_told_why_the_others_have_parted) {
  const std::string end = rank_0_parts();
  EXPECT_THAT(end, HasSubstr("rank 1 of 2 did not come within 0.2 s."));
  Wire late = waiting_at_the_door();
  ASSERT_TRUE(late.send(hello_of(launch(1, 2), own_speech()), steady_seconds() + 5));
  Message answer;
  ASSERT_EQ(late.receive(answer, steady_seconds() + 5), Line::open);
  EXPECT_EQ(answer.kind, Kind::fault);
  EXPECT_EQ(answer.texts, Texts{end});
}

// A job's limit of processes or memory may leave none.
TEST_F(LateRanks, are_not_told_where_no_thread_can_start_and_rank_0_ends_with_its_own_sentence) {
  pthread_attr_t usual;
  pthread_attr_t too_large;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&too_large), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&too_large, std::size_t{1} << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&too_large), 0);
  std::string end;
  try {
    end = rank_0_parts();
  } catch (const std::exception& error) {
    end = error.what();
  }
  EXPECT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_THAT(end, HasSubstr("rank 1 of 2 did not come within 0.2 s."));
  pthread_attr_destroy(&usual);
  pthread_attr_destroy(&too_large);
}

TEST_F(LateRanks, who_comes_while_rank_0_has_no_file_left_costs_no_time_of_the_processor) {
  rank_0_parts();
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const Wire late = waiting_at_the_door();
  const rlimit none{3, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const double start = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_LT(processor_seconds() - start, 0.2);
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

TEST_F(LateRanks, strangers_that_say_nothing_use_up_no_more_than_the_door_holds) {
  rank_0_parts();
  std::vector<Wire> strangers;
  while (strangers.size() < 300) strangers.push_back(waiting_at_the_door());
  const auto let_go = [&] {
    return std::count_if(strangers.begin(), strangers.end(), [](const Wire& wire) {
      std::optional<Kind> kind;
      return wire.peek(kind) == Line::ended;
    });
  };
  std::ptrdiff_t first = 0;
  for (const double patience = steady_seconds() + 60; first == 0 && steady_seconds() < patience;
       first = let_go())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GT(first, 0);
  EXPECT_LE(first, 300 - 256) << "one for each that is too many, and not all when rank 0 leaves the door";
}

}  // namespace
}  // namespace gpugauge::bench::ranks
