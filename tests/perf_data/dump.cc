// SPDX-License-Identifier: Apache-2.0
// Prints the events of recordings as text, one line each. The tests in this directory compare it
// with perf's own output, and developers use it to see the content of a recording.
//
//     perf_data_dump FILE...
#include <cstdio>

#include "formats/perf_data/perf_data.h"
#include "stream/transcript.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    wick::Transcript transcript;
    wick::Result<wick::Input> input = wick::Input::open(argv[i], nullptr);
    wick::Result<> read;
    if (input) {
      read = wick::perf_data::read(*input, wick::FlagValues(), transcript);
    }
    std::fputs(transcript.text().c_str(), stdout);
    if (!input || !read) {
      std::fprintf(stderr, "%s\n", (input ? read.error() : input.error()).message.c_str());
      return 1;
    }
  }
  return 0;
}
