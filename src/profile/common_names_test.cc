// SPDX-License-Identifier: Apache-2.0
#include "profile/common_names.h"

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/names.h"

namespace wick {
namespace {

TEST(CommonNames, PathsOfGeneratedCodeDoNotNameTheirProcess) {
  std::set<int64_t> pids = {27768};
  EXPECT_EQ(common_module_path("/tmp/perf-12.map", pids), "/tmp/perf-PID.map");
  EXPECT_EQ(common_module_path("/tmp/jit-27768.dump", pids), "/tmp/jit-PID.dump");
  EXPECT_EQ(common_module_path("/srv/.debug/jit/java.Xa1/jitted-9-417.so", pids),
            "jitted-PID-N.so");
  EXPECT_EQ(common_module_path("/dev/shm/cache-27768.1", pids), "/dev/shm/cache-PID.1");
  EXPECT_EQ(common_module_path("/memfd:code-27768 (deleted)", pids), "/memfd:code-PID (deleted)");
  EXPECT_EQ(common_module_path("[anon:heap 27768]", pids), "[anon:heap PID]");
  EXPECT_EQ(common_module_path("/proc/27768/root/usr/bin/app", pids), "/proc/PID/root/usr/bin/app");
}

TEST(CommonNames, OtherPathsStay) {
  std::set<int64_t> pids = {72, 6};
  for (std::string_view path : {"/usr/lib/libicu.so.72",
                                "/lib/libc.so.6",
                                "/tmp/build-7200/app",
                                "/opt/perf-3.map/app",
                                "/tmp/perf-.map",
                                "/tmp/jitted-1.so",
                                "[kernel.kallsyms]",
                                ""}) {
    EXPECT_EQ(common_module_path(path, pids), path);
  }
}

TEST(CommonNames, GeneratedCodeWithoutNamesIsOneFunctionPerModule) {
  ProfileBuilder builder;
  builder.process({.pid = 5});
  ModuleId map = builder.module({.path = builder.string("/tmp/perf-5.map")});
  ModuleId app = builder.module({.path = builder.string("/usr/bin/app")});
  FunctionId named = builder.function({.name = builder.string("py::f"), .module = map});
  FrameId a = builder.frame({.module = map, .address = 0x10});
  FrameId b = builder.frame({.module = map, .address = 0x20});
  FrameId c = builder.frame({.function = named, .module = map, .address = 0x30});
  FrameId d = builder.frame({.module = app, .address = 0x40});
  Profile profile = builder.finish();
  use_common_names(profile);
  EXPECT_EQ(frame_name(profile, a), "perf-PID.map [no name]");
  EXPECT_EQ(frame_name(profile, b), "perf-PID.map [no name]");
  EXPECT_FALSE(has_symbol(profile, profile.frames[a]));
  EXPECT_EQ(frame_name(profile, c), "py::f");
  EXPECT_EQ(frame_name(profile, d), "app+0x40");
}

}  // namespace
}  // namespace wick
