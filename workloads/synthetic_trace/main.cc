// SPDX-License-Identifier: Apache-2.0
// generate_trace: a recording with branch stacks and the truth about it, on a machine that has no
// branch stacks.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "common/options.h"
#include "synthetic_trace/recording.h"

namespace {

void write_file(const workloads::Options& options,
                const std::string& path,
                const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) {
    options.fail_world("Cannot write " + path + ".");
  }
}

}  // namespace

int main(int argc, char** argv) {
  workloads::RecordingShape shape;
  std::string output = "perf.data";
  std::string truth;
  uint64_t skip = 0;
  uint64_t most = 1'000'000;
  bool no_cycles = false;
  bool no_types = false;
  std::string processor = "intel";
  double duplicates = 0;
  double lost = 0;
  workloads::Options options(
      "generate_trace",
      "Runs a program instruction by instruction, and writes a perf.data with the branch stacks "
      "that "
      "a\nprocessor would have recorded, on an invented clock, and every branch as text. The "
      "program "
      "and its\narguments follow --:\n\n    generate_trace --depth 16 --output perf.data --truth "
      "branches.txt -- ./program argument");
  options.text("output", output, "FILE", "the recording");
  options.text("truth", truth, "FILE", "every branch that was taken, a line each");
  options.number("depth", shape.depth, 2, 1024, "entries of a stack: 8, 16 or 32 in processors");
  options.number("period", shape.period, 1, 1'000'000'000, "branches from sample to sample");
  options.flag("tile", shape.tiles, "each block in one stack exactly (period: depth - 1)");
  options.number("skip", skip, 0, 1'000'000'000'000, "instructions to leave out at the begin");
  options.number("most", most, 1, 1'000'000'000'000, "instructions to run after those");
  options.choice("processor", processor, {"intel", "amd"}, "amd: no cycles, but speculation");
  options.flag("no-cycles", no_cycles, "branches without cycles");
  options.flag("no-types", no_types, "branches without their types");
  options.choice("filter",
                 shape.filter,
                 {"any", "conditional", "call", "return"},
                 "the branches that are recorded");
  options.real("duplicates", duplicates, 0, 100, "percent of stacks with the newest entry twice");
  options.real("lost", lost, 0, 100, "percent of entries that are missing");
  options.number("seed", shape.seed, 0, INT64_MAX, "of the two above");
  int words = 1;
  while (words < argc && std::strcmp(argv[words], "--") != 0) {
    ++words;
  }
  options.parse(words, argv);
  if (words + 1 >= argc) {
    options.fail_usage("There is no program: write it after --.");
  }
  shape.has_cycles = !no_cycles;
  shape.has_types = !no_types;
  shape.is_amd = processor == "amd";
  shape.duplicates = duplicates / 100;
  shape.lost = lost / 100;
  std::vector<std::string> command(argv + words + 1, argv + argc);
  workloads::Stepped program = workloads::step_program(command, skip, most);
  if (!program.problem.empty()) {
    options.fail_world(program.problem + ".");
  }
  if (program.branches.empty()) {
    options.fail_world(command[0] + " took no branch" + (skip > 0 ? " after --skip." : "."));
  }
  write_file(options, output, make_recording(program, shape));
  if (!truth.empty()) {
    write_file(options, truth, make_truth(program));
  }
  std::printf("{\"instructions\": %llu, \"branches\": %zu}\n",
              static_cast<unsigned long long>(program.instructions),
              program.branches.size());
  return 0;
}
