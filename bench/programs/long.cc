// SPDX-License-Identifier: Apache-2.0
// A program to record: stacks of about 125 frames of half a kilobyte each, 62 KB in all, so that
// they just fit into the largest stack copy the kernel makes (65,528 bytes). Parsers of nested text
// have such stacks.
//
// Every frame has a buffer that is written and read again, or the compiler would remove it. Almost
// all time is spent in the last few frames, as in a real parser of a document that is deep
// everywhere.
//
// Usage: long SECONDS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace parser {

constexpr int kDepth = 122;
constexpr int kBuffer = 440;

struct Input {
  std::uint64_t state = 1;
  std::uint32_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33);
  }
};

std::uint32_t parse_value(Input& input, int depth);

std::uint32_t parse_leaf(Input& input) {
  std::uint32_t sum = 0;
  for (int i = 0; i < 2000; i++) {
    sum += input.next() >> 7;
  }
  return sum;
}

template <int kKind>
__attribute__((noinline)) std::uint32_t parse_nested(Input& input, int depth) {
  volatile char buffer[kBuffer];
  buffer[depth] = static_cast<char>(input.next());
  const std::uint32_t inner = parse_value(input, depth + 1);
  return inner + static_cast<unsigned char>(buffer[depth]) + kKind;
}

// The last forty frames are left and entered again for every leaf: stacks of all lengths, most of
// them long.
__attribute__((noinline)) std::uint32_t parse_value(Input& input, int depth) {
  if (depth >= kDepth) {
    return parse_leaf(input);
  }
  const std::uint32_t kind = input.next();
  std::uint32_t sum = 0;
  for (std::uint32_t child = 0; child < (depth == kDepth - 40 ? 200u : 1u); child++) {
    switch (kind % 3) {
      case 0:
        sum += parse_nested<0>(input, depth + 1);
        break;
      case 1:
        sum += parse_nested<1>(input, depth + 1);
        break;
      default:
        sum += parse_nested<2>(input, depth + 1);
        break;
    }
  }
  return sum;
}

}  // namespace parser

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  parser::Input input;
  std::uint32_t sum = 0;
  while (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < seconds) {
    sum += parser::parse_value(input, 0);
  }
  std::printf("%u\n", sum);
}
