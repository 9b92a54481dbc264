// SPDX-License-Identifier: Apache-2.0
// The main function of every test program. Besides running the tests it reports each skipped one
// with its reason, on standard output and in the file that $WICK_SKIPS names
// (tests/support/skips.py describes it).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace {

// Why the test was skipped, in one line. GTEST_SKIP may have been called more than once.
std::string reason_of(const testing::TestResult& result) {
  std::string reason;
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.skipped()) {
      reason += (reason.empty() ? "" : " ") + std::string(part.message());
    }
  }
  for (char& c : reason) {
    c = c == '\n' || c == '\t' ? ' ' : c;
  }
  reason.erase(reason.find_last_not_of(' ') + 1);
  return reason;
}

class SkipReporter : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Skipped()) {
      return;
    }
    std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::string reason = reason_of(*test.result());
    std::printf("SKIPPED %s: %s\n", name.c_str(), reason.c_str());
    if (const char* path = std::getenv("WICK_SKIPS"); path != nullptr) {
      std::ofstream(path, std::ios::app) << name + "\t" + reason + "\n";
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new SkipReporter);  // takes ownership
  return RUN_ALL_TESTS();
}
