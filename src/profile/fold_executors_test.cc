// SPDX-License-Identifier: Apache-2.0
#include "profile/fold_executors.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/names.h"
#include "profile/stack_costs.h"
#include "profile/validate.h"

namespace wick {
namespace {

// The stacks after folding, root first.
std::vector<std::string> folded_stacks(std::string_view text, std::string_view more = {}) {
  Profile profile = folded::from_text(text);
  Result<FoldRules> rules = fold_rules(more, more.empty() ? "" : "more.txt");
  EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
  fold_executors(profile, *rules);
  EXPECT_TRUE(validate(profile));
  std::vector<std::string> lines;
  StackCosts costs(profile);
  for (StackId stack : costs.stacks()) {
    std::string line;
    for (StackId at = stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
      line = fmt::format(
          "{}{}{}", frame_name(profile, profile.stacks.frame(at)), line.empty() ? "" : " > ", line);
    }
    lines.push_back(fmt::format("{} {}", line, costs.self(stack).weight));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(FoldExecutors, ARunOfFramesBecomesOne) {
  EXPECT_EQ(
      folded_stacks("main;tokio::runtime::runtime::Runtime::block_on;tokio::runtime::park::"
                    "CachedParkThread::block_on;std::thread::local::LocalKey<T>::with;app::serve::"
                    "{{closure}};<core::pin::Pin<P> as core::future::future::Future>::poll;tokio::"
                    "runtime::task::raw::poll;std::panicking::try;app::handle::{{closure}} 7\n"),
      Lines{"main > [tokio] > app::serve::{{closure}} > [std::future] > app::handle::{{closure}} "
            "7"});
  EXPECT_EQ(folded_stacks("main;boost::asio::io_context::run();boost::asio::detail::scheduler::"
                          "do_run_one(x);std::function<void ()>::operator()() const;on_read 3\n"),
            Lines{"main > [boost.asio] > on_read 3"});
  EXPECT_EQ(folded_stacks("main;uv_run;uv__io_poll;uv__stream_io;on_read 3\n"),
            Lines{"main > [libuv] > on_read 3"});
}

TEST(FoldExecutors, TheCostOfExecutorsStays) {
  EXPECT_EQ(folded_stacks("main;tokio::runtime::a;tokio::runtime::b 2\nmain;tokio::runtime::c 3\n"),
            Lines{"main > [tokio] 5"});
}

TEST(FoldExecutors, OwnFuturesAndGlueElsewhereStay) {
  Lines lines = {
      "main > std::panicking::try > <app::Request as "
      "core::future::future::Future>::poll > tokio::net::TcpStream::read 1"};
  EXPECT_EQ(folded_stacks("main;std::panicking::try;<app::Request as core::future::future::Future>"
                          "::poll;tokio::net::TcpStream::read 1\n"),
            lines);
  EXPECT_EQ(folded_stacks("main;runtime;uv_tcp_init;std::function<void ()>::operator()() 1\n"),
            Lines{"main > runtime > uv_tcp_init > std::function<void ()>::operator()() 1"});
}

TEST(FoldExecutors, AFileExtendsTheList) {
  EXPECT_EQ(folded_stacks("main;loop_once;dispatch;handler 1\n", "ours = ^(loop_|dispatch$)\n"),
            Lines{"main > [ours] > handler 1"});
  EXPECT_EQ(folded_stacks("main;uv_run;x 1\n", "node = ^uv_\n"), Lines{"main > [node] > x 1"})
      << "rules of the file come first";
  EXPECT_FALSE(fold_rules("broken\n", "more.txt"));
}

}  // namespace
}  // namespace wick
