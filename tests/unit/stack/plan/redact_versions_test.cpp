// Versions of four numbers where addresses may stand too.
#include <gmock/gmock.h>

#include "stack/plan/redact.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

/// What is shown of how an import ended.
std::string outcome(const std::string& text) {
  Redactor redactor;
  return redactor.value("framework.torch.import.outcome", text);
}

/// What is shown of how a package came.
std::string history(const std::string& command) {
  Inventory inventory;
  inventory.present("driver.history.0", "install x 1.2.3.4", "/var/log/apt/history.log", command);
  return Redactor().inventory(inventory).find("driver.history.0")->how;
}

TEST(RedactVersions, OfAnImportStay) {
  for (const char* text :
       {"ImportError: compiled against 9.1.0.70 but found 8.9.2.26; tokenizers==0.13.3",
        "ImportError: libcudnn 9.1.0.70: cannot open", "RuntimeError: cuDNN version 9.1.0.70 (8.9.2.26)"})
    EXPECT_EQ(outcome(text), text);
}

TEST(RedactVersions, AddressesOfAnImportGo) {
  EXPECT_EQ(outcome("no route to host 10.4.4.4"), "no route to host ip-0");
  EXPECT_EQ(outcome("host='10.4.4.4', proxy=10.4.4.5"), "host='ip-0', proxy=ip-1");
  EXPECT_EQ(outcome("cannot reach 10.4.4.4:443"), "cannot reach ip-0:443");
  EXPECT_EQ(outcome("('10.4.4.4', 443)"), "('ip-0', 443)");
  EXPECT_EQ(outcome("failed to connect to 10.4.4.4: refused"), "failed to connect to ip-0: refused");
  EXPECT_EQ(outcome("login bob@10.4.4.4"), "login bob@ip-0");
  EXPECT_EQ(outcome("GET http://10.4.4.4/x"), "GET http://address-0/x");
  EXPECT_EQ(outcome("timed out at 192.168.7.7"), "timed out at ip-0");
}

TEST(RedactVersions, OfACommandLineStay) {
  for (const char* text : {"apt history: apt-get install libcudnn9-cuda-12=9.1.0.70-1 libnccl2=2.20.5.1",
                           "apt history: apt-get install libx=1:9.1.0.70-1 libsecret-1-0=0.21.4"})
    EXPECT_EQ(history(text), text);
  EXPECT_EQ(history("apt-get -o Acquire::http::Proxy=10.4.4.4:3128 install libx=9.1.0.70"),
            "apt-get -o Acquire::http::Proxy=ip-0:3128 install libx=9.1.0.70");
  EXPECT_EQ(history("apt-get -o X=http://bob:word@10.4.4.4/x install a"),
            "apt-get -o X=http://address-0/x install a");
  EXPECT_EQ(history("apt-get -o X=bob:word@10.4.4.4 install a"), "apt-get -o X=withheld@ip-0 install a");
}

}  // namespace
}  // namespace gpugauge::stack
