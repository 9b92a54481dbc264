// SPDX-License-Identifier: Apache-2.0
#include "profile/polled_tasks.h"

#include <map>

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/validate.h"

namespace wick {
namespace {

std::string task_of(std::string_view function) {
  return polled_name(function).task;
}

TEST(PolledTasks, NamesOfFuturesAndCoroutines) {
  EXPECT_EQ(task_of("<app::Pool<T> as core::future::future::Future>::poll"), "app::Pool<T>");
  EXPECT_EQ(task_of("<app::Pool as core::future::future::Future>::poll::h0123456789abcdef"),
            "app::Pool");
  EXPECT_EQ(task_of("<core::pin::Pin<P> as core::future::future::Future>::poll"), "");
  EXPECT_EQ(task_of("<&mut tokio::time::Sleep as core::future::future::Future>::poll"), "");
  EXPECT_EQ(task_of("app::serve::{{closure}}::{{closure}}::h0123456789abcdef"), "app::serve");
  EXPECT_EQ(task_of("app::serve::{closure#0}"), "app::serve");
  EXPECT_EQ(task_of("app::serve::{async_fn#0}"), "app::serve");
  EXPECT_EQ(task_of("app::serve"), "");
  EXPECT_EQ(task_of("serve(serve(int)::_Z5servei.Frame*) [clone .actor]"), "serve");
  EXPECT_EQ(task_of("app::Server<int>::run(long) [clone .resume]"), "app::Server<int>::run");
  EXPECT_EQ(task_of("thread.resume"), "");
  EXPECT_EQ(task_of(""), "");
  EXPECT_TRUE(polled_name("tokio::runtime::task::raw::poll").polls);
}

TEST(PolledTasks, TheOutermostIsTheTaskOfASample) {
  Profile profile = folded::from_text(
      "main;tokio::runtime::task::raw::poll;app::serve::{{closure}};"
      "<app::Read as core::future::future::Future>::poll;read 3\n"
      "main;tokio::runtime::task::raw::poll;tokio::runtime::coop::budget 1\n"
      "main;sort;app::compare::{{closure}} 1\n"
      "main;serve(serve(int)::_Z5servei.Frame*) [clone .actor];send 2\n");
  name_polled_tasks(profile);
  ASSERT_TRUE(validate(profile));
  std::map<std::string, int64_t> weights;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    LabelSetId set = profile.samples.labels[row];
    std::string task =
        set == kNoLabels
            ? ""
            : std::string(profile.strings[profile.labels[profile.label_sets.label(set)].text]);
    weights[task] += profile.samples.weight[row];
  }
  std::map<std::string, int64_t> expected = {{"", 2}, {"app::serve", 3}, {"serve", 2}};
  EXPECT_EQ(weights, expected);
}

}  // namespace
}  // namespace wick
