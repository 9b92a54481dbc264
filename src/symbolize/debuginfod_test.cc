// SPDX-License-Identifier: Apache-2.0
// Debug files from servers; scripts take the role of the programs that download them.
#include "symbolize/debuginfod.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "elf/dwarf_testing.h"
#include "symbolize/debian_package.h"
#include "tests/support/files.h"

namespace wick {
namespace {

// The build id is raw.
std::string debug_file(const std::string& build_id) {
  testing::DwarfParts parts = testing::inlined_program(4);
  parts.build_id = build_id;
  return parts.elf();
}

class Debuginfod : public ::testing::Test {
 protected:
  Debuginfod() : path_(std::getenv("PATH")) {}
  ~Debuginfod() override { ::setenv("PATH", path_.c_str(), 1); }

  // Puts a program of this name first in PATH.
  void program(const std::string& name, const std::string& script) {
    testing::write_file(scratch_.file(name), "#!/bin/sh\n" + script);
    ::chmod(scratch_.file(name).c_str(), 0755);
    ::setenv("PATH", (directory() + ":" + path_).c_str(), 1);
  }
  std::string directory() const {
    return std::filesystem::path(scratch_.file("x")).parent_path().string();
  }

  testing::ScratchDir scratch_;
  std::string path_;
};

TEST_F(Debuginfod, TakesWhatComesInTime) {
  testing::write_file(scratch_.file("debuginfo-aa"), debug_file("\xaa"));
  program("debuginfod-find",
          "case $2 in aa) echo warning >&2; echo ${0%/*}/$1-$2;;"
          " bb) echo 'Server query failed: No such file or directory' >&2; exit 1;;"
          " *) exec sleep 30;; esac\n");
  size_t last_done = 0;
  std::vector<std::string> ids = {"aa", "bb", "cc", "dd", "ee", "ff"};
  DebuginfodFetched fetched =
      fetch_debug_files(ids,
                        {.urls = "http://localhost",
                         .directory = directory(),
                         .patience = std::chrono::milliseconds(1500),
                         .at_once = 3,
                         .on_progress = [&](size_t done) { last_done = done; }});
  EXPECT_EQ(fetched.files,
            (std::map<std::string, std::string>{{"aa", scratch_.file("debuginfo-aa")}}));
  EXPECT_EQ(fetched.missing, 1U);
  EXPECT_EQ(fetched.unfinished, 4U);
  EXPECT_EQ(fetched.unreachable, 0U);
  EXPECT_TRUE(fetched.problem.empty());
  EXPECT_EQ(last_done, 2U);
}

TEST_F(Debuginfod, AServerThatDoesNotAnswerIsNotOneWithoutFiles) {
  program("debuginfod-find", "echo 'Server query failed: Connection refused' >&2; exit 1\n");
  std::vector<std::string> ids = {"aa", "bb"};
  DebuginfodFetched fetched =
      fetch_debug_files(ids, {.urls = "http://localhost:1", .directory = directory()});
  EXPECT_EQ(fetched.missing, 0U);
  EXPECT_EQ(fetched.unreachable, 2U);
  EXPECT_EQ(fetched.connection_problem, "Connection refused");
}

TEST_F(Debuginfod, CurlTriesEachServer) {
  if (::access("/usr/bin/curl", X_OK) != 0) {
    GTEST_SKIP() << "there is no curl here";
  }
  ::setenv("PATH", "/usr/bin:/bin", 1);
  if (::access("/usr/bin/debuginfod-find", X_OK) == 0) {
    GTEST_SKIP() << "debuginfod-find is installed, so curl is not tested";
  }
  std::filesystem::create_directories(scratch_.file("two/buildid/aa"));
  testing::write_file(scratch_.file("two/buildid/aa/debuginfo"), debug_file("\xaa"));
  std::vector<std::string> ids = {"bb", "aa"};
  DebuginfodOptions options{
      .urls = "file://" + scratch_.file("one") + " file://" + scratch_.file("two"),
      .directory = directory()};
  for (int again = 0; again < 2; ++again) {
    DebuginfodFetched fetched = fetch_debug_files(ids, options);
    ASSERT_EQ(fetched.files.size(), 1U);
    EXPECT_EQ(testing::read_file(fetched.files["aa"]), debug_file("\xaa"));
    EXPECT_EQ(fetched.missing, 1U);
    std::filesystem::remove_all(scratch_.file("two"));  // already downloaded
  }
}

TEST_F(Debuginfod, CurlSaysWhyItGotNothing) {
  ::setenv("PATH", directory().c_str(), 1);
  auto fetched_with = [&](const std::string& script) {
    testing::write_file(scratch_.file("curl"), "#!/bin/sh\n" + script);
    ::chmod(scratch_.file("curl").c_str(), 0755);
    return fetch_debug_files(std::vector<std::string>{"aa"},
                             {.urls = "http://one http://two", .directory = directory()});
  };
  DebuginfodFetched none =
      fetched_with("echo 'curl: (6) Could not resolve host: one' >&2; exit 6\n");
  EXPECT_EQ(none.unreachable, 1U);
  EXPECT_EQ(none.connection_problem, "Could not resolve host: one");
  DebuginfodFetched one_answers = fetched_with("case $6 in *one*) exit 6;; esac; exit 22\n");
  EXPECT_EQ(one_answers.unreachable, 0U);
  EXPECT_EQ(one_answers.missing, 1U);
  DebuginfodFetched broken =
      fetched_with("echo 'curl: (22) The requested URL returned error: 503' >&2; exit 22\n");
  EXPECT_EQ(broken.unreachable, 1U);
  EXPECT_EQ(broken.missing, 0U);
  EXPECT_EQ(broken.connection_problem, "The requested URL returned error: 503");
}

// $5 is the output file, and $6 the address.
TEST_F(Debuginfod, AnAnswerThatIsNotTheFileIsNotCached) {
  testing::write_file(scratch_.file("other"), debug_file("\xbb"));
  testing::write_file(scratch_.file("right"), debug_file("\xaa"));
  auto fetched_with = [&](const std::string& script) {
    program("curl", script);
    ::setenv("PATH", directory().c_str(), 1);
    return fetch_debug_files(
        std::vector<std::string>{"aa"},
        {.urls = "http://one http://two", .directory = directory(), .largest_file = 100'000});
  };
  for (const std::string script :
       {"echo '<html>Welcome</html>' > $5\n",
        ": > $5\n",
        "/bin/cp ${0%/*}/other $5\n",
        "/usr/bin/head -c 200000 /dev/zero > $5; exec /bin/sleep 30\n"}) {
    DebuginfodFetched lies = fetched_with(script);
    EXPECT_TRUE(lies.files.empty()) << script;
    EXPECT_EQ(lies.wrong, 1U) << script;
    EXPECT_EQ(lies.missing + lies.unreachable + lies.unfinished, 0U) << script;
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("aa.debug"))) << script;
    EXPECT_FALSE(std::filesystem::exists(scratch_.file("aa.debug.part"))) << script;
  }
  // A wrong file that an earlier wick has cached, and a server that lies before one that does not.
  testing::write_file(scratch_.file("aa.debug"), "garbage");
  DebuginfodFetched second =
      fetched_with("case $6 in *one*) echo lie > $5;; *) /bin/cp ${0%/*}/right $5;; esac\n");
  EXPECT_EQ(second.files.size(), 1U);
  EXPECT_EQ(second.wrong, 0U);
  EXPECT_EQ(testing::read_file(scratch_.file("aa.debug")), debug_file("\xaa"));
}

TEST_F(Debuginfod, SaysWhyNothingWasAsked) {
  EXPECT_FALSE(fetch_debug_files({}, {.urls = " "}).problem.empty());
}

TEST(DebianPackage, IsFoundByTheFileUnderEitherName) {
  testing::ScratchDir scratch;
  std::filesystem::create_directories(scratch.file("info"));
  testing::write_file(scratch.file("info/libx1:amd64.list"), "/.\n/lib/libx.so.1\n");
  testing::write_file(scratch.file("info/libxy.list"), "/usr/lib/libx.so.1.2\n/usr/lib/liby.so");
  std::string info = scratch.file("info");
  EXPECT_EQ(debian_package_of("/usr/lib/libx.so.1", info), "libx1");
  EXPECT_EQ(debian_package_of("/lib/liby.so", info), "libxy");
  EXPECT_EQ(debian_package_of("/lib/libz.so", info), "");
  EXPECT_EQ(debian_package_of("liby.so", info), "");
  EXPECT_EQ(debian_package_of("/lib/liby.so", scratch.file("nowhere")), "");
  EXPECT_EQ(debian_debug_package("libxy"), "libxy-dbgsym");
  EXPECT_EQ(debian_debug_package("libc6"), "libc6-dbg");
  EXPECT_EQ(debian_debug_package(""), "");
}

class DebianAdvice : public ::testing::Test {
 protected:
  DebianAdvice() {
    std::filesystem::create_directories(scratch_.file("etc/apt/sources.list.d"));
    write("etc/os-release", "NAME=x\nVERSION_CODENAME=bookworm\nID=debian\n");
    write("etc/apt/sources.list.d/debian.sources",
          "Types: deb\n# http://deb.debian.org/debian-debug\nURIs: http://deb.debian.org/debian\n");
  }
  void write(const std::string& path, const std::string& text) {
    testing::write_file(scratch_.file(path), text);
  }
  std::string advice(const std::string& package) {
    return debian_debug_advice(package, scratch_.file(""));
  }

  testing::ScratchDir scratch_;
};

TEST_F(DebianAdvice, AptOfAFreshMachineDoesNotKnowTheDebugArchive) {
  EXPECT_EQ(advice("libxy"),
            "DEBUGINFOD_URLS=https://debuginfod.debian.net and --debuginfod; or add \"deb "
            "http://deb.debian.org/debian-debug bookworm-debug main\" to apt's sources, then apt "
            "update and apt install libxy-dbgsym");
  write("etc/os-release", "ID=ubuntu\nVERSION_CODENAME=\"noble\"\n");
  EXPECT_NE(advice("libxy").find("deb http://ddebs.ubuntu.com noble main"), std::string::npos);
}

TEST_F(DebianAdvice, PackagesThatAptKnowsNeedOneCommand) {
  EXPECT_EQ(advice("libc6"), "apt install libc6-dbg");
  EXPECT_EQ(advice(""), "");
  write("etc/apt/sources.list", "deb http://deb.debian.org/debian-debug bookworm-debug main\n");
  EXPECT_EQ(advice("libxy"), "apt install libxy-dbgsym");
  write("etc/apt/sources.list", "#deb http://deb.debian.org/debian-debug bookworm-debug main\n");
  EXPECT_NE(advice("libxy"), "apt install libxy-dbgsym");
  write("etc/apt/sources.list.d/debug.list.off", "deb http://x/debian-debug bookworm-debug main\n");
  EXPECT_NE(advice("libxy"), "apt install libxy-dbgsym");
  write("etc/apt/sources.list.d/debug.list", "deb http://x/debian-debug bookworm-debug main\n");
  EXPECT_EQ(advice("libxy"), "apt install libxy-dbgsym");
  write("etc/os-release", "ID=other\n");
  EXPECT_EQ(advice("libz"), "apt install libz-dbgsym");
}

}  // namespace
}  // namespace wick
