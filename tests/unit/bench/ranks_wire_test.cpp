// Messages between ranks, and one socket of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "support/ranks/wire.hpp"
#include "support/timer.hpp"

namespace gpugauge::bench::ranks {
namespace {

using testing::ElementsAre;

TEST(Wire, texts_come_back_as_they_were) {
  const Texts texts{"", "a", std::string("\0\xff", 2), std::string(300, 'x')};
  EXPECT_EQ(decode(encode(texts)), texts);
  EXPECT_EQ(decode(""), Texts{});
  EXPECT_FALSE(decode("abc"));
  EXPECT_FALSE(decode(encode({"abc"}).substr(0, 5)));
}

// The last of many that are told something is told it, though others took the time.
TEST(Wire, what_can_be_done_at_once_is_done_after_the_deadline) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Wire one(ends[0]);
  Wire other(ends[1]);
  const double past = steady_seconds() - 1;
  Message message;
  EXPECT_EQ(other.receive(message, past), Line::late);
  EXPECT_TRUE(one.send({Kind::fault, {"why"}}, past));
  EXPECT_EQ(other.receive(message, past), Line::open);
  EXPECT_THAT(message.texts, ElementsAre("why"));
}

}  // namespace
}  // namespace gpugauge::bench::ranks
