// Search paths that lead into the working folder, and passwords in what is told of settings.
#include "stack/environment.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

#include "stack/credentials.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RelativeEntries, AreTheEmptyOnesAndThoseWithoutASlashInFront) {
  EXPECT_THAT(relative_entries(""), IsEmpty()) << "set to nothing is as good as not set";
  EXPECT_THAT(relative_entries("/a:/b;/c"), IsEmpty());
  EXPECT_THAT(relative_entries("/a:"), ElementsAre(""));
  EXPECT_THAT(relative_entries(":/a"), ElementsAre(""));
  EXPECT_THAT(relative_entries(":"), ElementsAre("", ""));
  EXPECT_THAT(relative_entries("/a::/b"), ElementsAre(""));
  EXPECT_THAT(relative_entries("/a;;.:./lib:~/lib"), ElementsAre("", ".", "./lib", "~/lib"));
  EXPECT_THAT(relative_entries("$ORIGIN/../lib:${ORIGIN}:$LIB/x"), ElementsAre("$LIB/x"));
  EXPECT_THAT(relative_entries("/a;b", ":"), IsEmpty()) << "a semicolon in a name of Python's list";
}

class PythonPath : public ::testing::Test {
 protected:
  PythonPath() : before_(value_of(current_environment(), name)) {}
  ~PythonPath() override { before_ ? ::setenv(name, before_->c_str(), 1) : ::unsetenv(name); }

  /// What is left of a value; nullopt where the variable is gone.
  static std::optional<std::string> left_of(const char* value, bool changes) {
    ::setenv(name, value, 1);
    EXPECT_EQ(drop_relative_python_path(), changes) << value;
    return value_of(current_environment(), name);
  }

 private:
  static constexpr const char* name = "PYTHONPATH";
  std::optional<std::string> before_;
};

TEST_F(PythonPath, KeepsWhatIsWrittenInFull) {
  EXPECT_EQ(left_of("/a:/b c", false), "/a:/b c");
  EXPECT_EQ(left_of("", false), "");
  EXPECT_EQ(left_of("/a::lib:/b:", true), "/a:/b");
  EXPECT_EQ(left_of(".", true), std::nullopt);
  EXPECT_EQ(left_of(":", true), std::nullopt);
}

TEST(Credentials, OfAUrlGoToItsHost) {
  EXPECT_EQ(without_credentials("http://alice:word@proxy.example:3128/x"),
            "http://withheld@proxy.example:3128/x");
  for (const char* password : {"hun,ter2", "hun;ter2", "hun'ter2", "(hunter2)", "hun@ter2", "h!$&*+=2"})
    EXPECT_EQ(without_credentials(std::string("http://alice:") + password + "@proxy.example:3128"),
              "http://withheld@proxy.example:3128")
        << password;
  EXPECT_EQ(without_credentials(R"({"u": "http://a:b@one", "v": "http://c:d@two"})"),
            R"({"u": "http://withheld@one", "v": "http://withheld@two"})");
  for (const char* text :
       {"http://proxy.example/a@b", "no url: a@b", "http://one,http://two", "://", "a://b?"})
    EXPECT_EQ(without_credentials(text), text);
}

TEST(Credentials, OfAUrlsParametersGoByTheirNames) {
  EXPECT_EQ(without_credentials("https://reg.example/x?X-Amz-Signature=abc&token=s3cr3t&size=4"),
            "https://reg.example/x?X-Amz-Signature=withheld&token=withheld&size=4");
  EXPECT_EQ(without_credentials("https://h/x?SIG=a,b&api_Key=c#access_token=d https://h/?Password=e"),
            "https://h/x?SIG=withheld&api_Key=withheld#access_token=withheld https://h/?Password=withheld");
  for (const char* text :
       {"https://h/x?page=4&sort=signed", "token=4", "https://h/token=4", "https://h/?a&b=c=d"})
    EXPECT_EQ(without_credentials(text), text);
}

TEST(Credentials, OfBootOptionsGoByTheirNames) {
  EXPECT_EQ(words_without_credentials("ro  systemd.set_credential=pw:hunter3 iommu=pt"),
            "ro  systemd.set_credential=withheld iommu=pt");
  EXPECT_EQ(words_without_credentials(R"(inst.vncpassword="hunter 3" rd.luks.key=/x:y quiet)"),
            "inst.vncpassword=withheld rd.luks.key=withheld quiet");
  EXPECT_EQ(words_without_credentials("ds=nocloud;s=http://a:b@h/ url=https://h/?token=c"),
            "ds=nocloud;s=http://withheld@h/ url=https://h/?token=withheld");
  EXPECT_EQ(words_without_credentials("systemd.setenv=API_TOKEN=abcdefg ro A=1,DB_PASS=b,c=d"),
            "systemd.setenv=API_TOKEN=withheld ro A=1,DB_PASS=withheld")
      << "each name before an '='";
  EXPECT_EQ(words_without_credentials("a=1\nTF_PWD=b\nc"), "a=1\nTF_PWD=withheld\nc");
  for (const char* line : {"root=UUID=1 ro quiet module.sig_enforce=1", "a=\"b c\" d", "key token=", "",
                           "/opt/secret/a=b/lib", "https://h/secret/a?size=4", "vconsole.keymap=us",
                           "x.bypass=1", "systemd.setenv=TOKEN=withheld", "https://h/?token=withheld&size=4"})
    EXPECT_EQ(words_without_credentials(line), line);
}

TEST(Credentials, OfALoginGoWithoutASchemeToo) {
  EXPECT_EQ(words_without_credentials("bob:pa55@proxy.example:3128 a=bob:p@ss@10.0.0.1,b"),
            "withheld@proxy.example:3128 a=withheld@10.0.0.1,b");
  EXPECT_EQ(words_without_credentials(R"({"proxy":"bob:pa55@head01","n":1})"),
            R"({"proxy":"withheld@head01","n":1})");
  EXPECT_EQ(words_without_credentials("netroot=iscsi:bob:pa55@10.0.0.1::3260"),
            "netroot=withheld@10.0.0.1::3260");
  for (const char* line : {"video=HDMI-A-1:1920x1080@59.94", "crashkernel=512M-2G:64M,2G-:128M@16M",
                           "memmap=64M@16M", "nvcr.io/x/y:1.2@sha256:00", "alice@head01:22", "mail: bob@h",
                           "root=zfs:pool/x@snap", "http://withheld@proxy.example:3128/a:b@c"})
    EXPECT_EQ(words_without_credentials(line), line);
}

TEST(Credentials, AVersionOfAPackageIsNone) {
  for (const char* line :
       {"pip install oauthlib==3.2.2 tokenizers==0.13.3; tokenizers!=0.11.3,<0.14 tokenizers~=0.13",
        "apt-get install libsecret-1-0=0.21.4 libpam-google-authenticator=20191231-2",
        "apt-get install python3-oauthlib=1:3.2.2-1", "google-auth==2.23.0",
        "symbol lookup: libfoo.so:bar@GLIBC_2.34 libfoo.so:bar@@GLIBCXX_3.4.30",
        "x:y@CXXABI_1.3.9 b:c@libcudart.so b:c@libcudart.so.12"})
    EXPECT_EQ(words_without_credentials(line), line);
  EXPECT_EQ(words_without_credentials("API_TOKEN==1.2.3 API_TOKEN=1.2.3 password=1.2.3 x.vncpassword=4-5"),
            "API_TOKEN=withheld API_TOKEN=withheld password=withheld x.vncpassword=withheld");
  EXPECT_EQ(words_without_credentials("--my-token=1.2.3 tokenizers=abc auth=1.2.3 password==abc"),
            "--my-token=withheld tokenizers=withheld auth=withheld password=withheld");
  EXPECT_EQ(words_without_credentials("bob:pa55@GLIBC.example bob:pa55@so.example"),
            "withheld@GLIBC.example withheld@so.example");
}

TEST(Credentials, AreKnownByOneListOfNames) {
  for (const char* name : {"NVIDIA_API_KEY", "NVIDIA_KEYRING", "NVIDIA_PROXY_PASS", "TF_PWD", "pass",
                           "X-Amz-Signature", "sig", "JAX_PASSPHRASE", "rd.luks.key", "inst.vncpassword"})
    EXPECT_TRUE(may_be_secret(name)) << name;
  for (const char* name :
       {"NCCL_DEBUG", "rd.vconsole.keymap", "TF_BYPASS", "module.sig_enforce", "--xla_dump_hlo_pass_re"})
    EXPECT_FALSE(may_be_secret(name)) << name;
}

TEST(Credentials, AreInNoFactOfTheEnvironment) {
  const Environment variables{{"NVIDIA_PROXY", "http://alice:hun,ter2@proxy.example:3128"},
                              {"NVIDIA_API_KEY", "hunter2"},
                              {"NVIDIA_PROXY_PASS", "hunter2"},
                              {"CUDA_X", "bob:pa55@proxy.example:3128"},
                              {"NCCL_X", "a=1,TOKEN=b"}};
  for (const result::Facts& facts : {environment_facts(variables), environment_of_stack(variables)}) {
    EXPECT_EQ(facts.at("env.NVIDIA_PROXY"), "http://withheld@proxy.example:3128");
    EXPECT_EQ(facts.at("env.NVIDIA_API_KEY"), "set, value withheld");
    EXPECT_EQ(facts.at("env.NVIDIA_PROXY_PASS"), "set, value withheld");
    EXPECT_EQ(facts.at("env.CUDA_X"), "withheld@proxy.example:3128");
    EXPECT_EQ(facts.at("env.NCCL_X"), "a=1,TOKEN=withheld");
  }
}

TEST(Credentials, TakeLinearTimeOnHostileText) {
  for (const char* piece : {"://", "a://b?token=c&", "?&", "://@", "a://,", "a:b@", "a=", ":", "@,"}) {
    std::string text = "a://";
    for (int i = 0; i < 50000; ++i) text += piece;
    EXPECT_FALSE(without_credentials(text).empty());
    EXPECT_FALSE(words_without_credentials(text).empty());
  }
}

}  // namespace
}  // namespace gpugauge::stack
