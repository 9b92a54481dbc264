// SPDX-License-Identifier: Apache-2.0
// web/test/interpreted.wick has frames of an interpreter in every state. The tests of the program
// and of the page read it. A change of the profile fails this test until UPDATE_GOLDEN=1 has
// written the file again.
#include <cstdlib>

#include <gtest/gtest.h>

#include "formats/native/testing.h"
#include "profile/interpreted_testing.h"
#include "tests/support/files.h"

namespace wick::native {
namespace {

Profile interpreted() {
  testing::InterpretedText text;
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;<module>:9!;main:7!;parse:3! 20");
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;<module>:9!;main:7!;parse:4! 5");
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;@_Py_DECREF;<module>:9!;main:6! 4");
  text.add_line(
      "_start;Py_RunMain;_PyEval_Vector;@;<module>:9!;main:8!;list_sort;_PyEval_Vector;@;lib.py/"
      "key:2!;"
      "memcpy 30");
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;<module>:9!;main:8!;list_sort 10");
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;lib.py/<module>:1~ 8");
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@;dealloc;<module>:9?;main:7? 3");
  text.add_line("_PyEval_Vector;@;<module>:9?;main:7? 2", StackEnd::kNoUnwindInfo);
  text.add_line("_start;Py_RunMain;_PyEval_Vector;@ 6");
  text.add_line("_start;Py_RunMain;read_file 12");
  text.add_line("clone3;worker;compute 40");
  return text.finish();
}

TEST(Interpreted, TheFileOfOtherTestsHasEveryState) {
  std::string path = testing::source_path("web/test/interpreted.wick");
  Profile expected = interpreted();
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    testing::write_file(path, write(expected));
  }
  Result<Profile> stored = read(testing::read_file(path));
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(exact_text(*stored), exact_text(expected)) << "UPDATE_GOLDEN=1 writes it again";
}

}  // namespace
}  // namespace wick::native
