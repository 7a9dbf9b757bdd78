// Ranks that meet over a socket: each in a thread of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/ranks/channel.hpp"
#include "support/ranks/place.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {

inline int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return ntohs(address.sin_port);
}

class Ranks : public testing::Test {
 protected:
  Launch launch(int rank, int size, double patience = 10) const {
    Launch made;
    made.rank = rank;
    made.size = size;
    made.launcher = "test";
    made.host = "127.0.0.1";
    made.port = port_;
    made.job = "job";
    made.patience_seconds = patience;
    return made;
  }

  /// What each rank ends with: "" or the sentence it was given.
  std::vector<std::string> run(int size, const std::function<void(Channel&)>& body, double patience = 10,
                               const std::vector<int>& absent = {}) {
    std::vector<std::string> ends(static_cast<std::size_t>(size));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank) {
      if (std::find(absent.begin(), absent.end(), rank) != absent.end()) continue;
      threads.emplace_back([&, rank] {
        try {
          Channel channel(launch(rank, size, patience));
          body(channel);
        } catch (const Parted& parted) {
          ends[static_cast<std::size_t>(rank)] = parted.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    return ends;
  }

  /// A connection to rank 0, as soon as it listens.
  Wire at_the_door() const {
    const double deadline = steady_seconds() + 5;
    Wire wire;
    std::string fault;
    while (!wire.is_open() && steady_seconds() < deadline) {
      wire = connected(launch(1, 2), deadline, fault);
      if (!wire.is_open()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(wire.is_open()) << fault;
    return wire;
  }

  int port_ = free_port();  ///< a rank 0 that parted keeps its own for a second
};

}  // namespace gpugauge::bench::ranks
