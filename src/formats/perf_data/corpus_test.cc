// SPDX-License-Identifier: Apache-2.0
// Real recordings of many kernels and machines, compared with the results of other readers.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "formats/perf_data/layout.h"
#include "formats/perf_data/pb_text_testing.h"
#include "formats/perf_data/perf_data.h"
#include "stream/sinks.h"
#include "tests/support/files.h"

namespace wick::perf_data {
namespace {

using wick::testing::corpus_path;
using wick::testing::PbNode;

// quipper sets the highest bit of addresses outside all maps.
constexpr uint64_t kWithoutMark = ~(uint64_t{1} << 63);

std::string without_marks(std::span<const uint64_t> addresses) {
  std::string text;
  for (uint64_t address : addresses) {
    text += fmt::format("{}{:x}", text.empty() ? "" : " ", address & kWithoutMark);
  }
  return text;
}

// Every event as one line with the fields that quipper's texts also have.
class Lines : public IgnoringSink {
 public:
  std::vector<std::string> lines;
  std::map<std::string, std::string, std::less<>> facts;
  std::multiset<std::string> build_ids;
  std::vector<std::string> kinds;
  std::vector<SampleEvent> samples;  // without borrowed data
  std::vector<std::vector<uint64_t>> chains;
  uint64_t symbols = 0;
  uint64_t traced_bytes = 0;
  uint64_t stack_bytes = 0;
  uint64_t branches = 0;
  std::string losses;

  void on_sample(const SampleEvent& event) override {
    samples.push_back(event);
    chains.emplace_back(event.kernel_chain.begin(), event.kernel_chain.end());
    chains.back().insert(chains.back().end(), event.user_chain.begin(), event.user_chain.end());
    branches += event.branches.size();
    stack_bytes += event.user_stack.size();
    std::string branch_text;
    for (const BranchEntry& entry : event.branches) {
      branch_text += fmt::format(" {:x}>{:x}/{}", entry.from, entry.to, entry.flags & 0xFFFFF);
    }
    lines.push_back(fmt::format("{} sample {}/{} {:x} weight {} cpu {} kernel {} user {}{} raw {}",
                                event.at.time_ns,
                                event.at.pid,
                                event.at.tid,
                                event.address,
                                event.weight,
                                event.at.cpu,
                                without_marks(event.kernel_chain),
                                without_marks(event.user_chain),
                                branch_text,
                                event.raw.size()));
  }
  void on_map(const MapEvent& event) override {
    lines.push_back(fmt::format("{} map {}/{} {:x}+{:x} at {:x} {}",
                                event.at.time_ns,
                                event.at.pid,
                                event.at.tid,
                                event.start,
                                event.size,
                                event.file_offset,
                                event.path));
  }
  void on_comm(const CommEvent& event) override {
    lines.push_back(
        fmt::format("{} comm {}/{} {}", event.at.time_ns, event.at.pid, event.at.tid, event.name));
  }
  void on_fork(const ForkEvent& event) override {
    lines.push_back(fmt::format("{} fork {}/{} from {}/{}",
                                event.at.time_ns,
                                event.at.pid,
                                event.at.tid,
                                event.parent_pid,
                                event.parent_tid));
  }
  void on_exit(const ExitEvent& event) override {
    lines.push_back(fmt::format("{} exit {}/{}", event.at.time_ns, event.at.pid, event.at.tid));
  }
  void on_switch(const SwitchEvent& event) override {
    lines.push_back(fmt::format("{} switch {}", event.at.time_ns, event.leaves ? "out" : "in"));
  }
  void on_kernel_symbol(const KernelSymbolEvent& event) override {
    lines.push_back(fmt::format(
        "{} ksymbol {:x}+{:x} {}", event.at.time_ns, event.start, event.size, event.name));
  }
  void on_lost(const LostEvent& event) override {
    losses += fmt::format("{} {}: {}\n", event.count, event.what, event.reason);
    if (event.at.time_ns != 0) {
      lines.push_back(fmt::format("{} lost {}", event.at.time_ns, event.count));
    }
  }
  void on_build_id(const BuildIdEvent& event) override {
    std::string hex;
    for (char byte : event.build_id) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    build_ids.insert(fmt::format("{} {}", hex, event.path));
  }
  void on_event_kind(const EventKind& kind) override { kinds.emplace_back(kind.name); }
  void on_symbol(const SymbolEvent& /*event*/) override { ++symbols; }
  void on_aux(const AuxEvent& event) override { traced_bytes += event.data.size(); }
  void on_fact(std::string_view key, std::string_view value) override { facts.emplace(key, value); }

  uint64_t records(std::string_view name) const {
    auto found = facts.find(fmt::format("records {}", name));
    return found == facts.end()
               ? 0
               : parse_number<uint64_t>(
                     std::string_view(found->second).substr(0, found->second.find(',')))
                     .value_or(0);
  }
  // "SAMPLE:7 MMAP2:4", for all record kinds present.
  std::string counts() const {
    std::string text;
    for (std::string_view name : {"SAMPLE", "MMAP", "MMAP2", "COMM", "FORK", "EXIT", "LOST"}) {
      if (records(name) != 0) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, records(name));
      }
    }
    return text;
  }
};

void read_into(const std::string& path, Lines& lines) {
  Result<Input> input = Input::open(path, nullptr);
  ASSERT_TRUE(input) << path;
  Result<> result = read(*input, FlagValues(), lines);
  ASSERT_TRUE(result) << path << ": " << result.error().message;
}

std::string read_text(const std::string& path) {
  Result<Input> input = Input::open(path, nullptr);
  std::string text;
  while (input) {
    Result<Bytes> block = input->next();
    if (!block || block->empty()) {
      break;
    }
    text += as_text(*block);
  }
  return text;
}

// qCompress: the size in 4 bytes, then zlib.
std::string unpack_qt(const std::string& path) {
  std::string packed = wick::testing::read_file(path);
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size = size << 8 | static_cast<unsigned char>(packed[i]);
  }
  std::string plain(size, '\0');
  uLongf got = size;
  EXPECT_EQ(::uncompress(reinterpret_cast<Bytef*>(plain.data()),
                         &got,
                         reinterpret_cast<const Bytef*>(packed.data() + 4),
                         packed.size() - 4),
            Z_OK);
  return plain;
}

uint64_t time_of(const PbNode& node) {
  const PbNode* info = node.child("sample_info");
  return info == nullptr ? 0 : info->number("sample_time_ns");
}

std::string line_of_sample(const PbNode& event, const PbNode& sample, uint64_t default_weight) {
  std::vector<uint64_t> kernel;
  std::vector<uint64_t> user;
  bool in_kernel = (event.child("header")->number("misc") & kMiscModeMask) == 1;
  std::string branches;
  for (const PbNode& field : sample.children) {
    if (field.name == "callchain") {
      uint64_t entry = parse_number<uint64_t>(field.value).value_or(0);
      if (entry >= kFirstChainMarker) {
        in_kernel = entry == kChainKernel;
      } else {
        (in_kernel ? kernel : user).push_back(entry & kWithoutMark);
      }
    } else if (field.name == "branch_stack") {
      auto bit = [&](std::string_view name) { return field.text(name) == "true" ? 1U : 0U; };
      branches +=
          fmt::format(" {:x}>{:x}/{}",
                      field.number("from_ip"),
                      field.number("to_ip"),
                      bit("mispredicted") | bit("predicted") << 1 | bit("in_transaction") << 2 |
                          bit("abort") << 3 | field.number("cycles") << 4);
    }
  }
  return fmt::format("{} sample {}/{} {:x} weight {} cpu {} kernel {} user {}{} raw {}",
                     sample.number("sample_time_ns"),
                     sample.id("pid"),
                     sample.id("tid"),
                     sample.number("ip"),
                     sample.has("period") ? sample.number("period") : default_weight,
                     sample.has("cpu") ? sample.id("cpu") : -1,
                     without_marks(kernel),
                     without_marks(user),
                     branches,
                     sample.number("raw_size"));
}

std::string line_of_map(const PbNode& map) {
  return fmt::format("{} map {}/{} {:x}+{:x} at {:x} {}",
                     time_of(map),
                     map.id("pid"),
                     map.id("tid"),
                     map.number("start"),
                     map.number("len"),
                     map.number("pgoff"),
                     map.text("filename"));
}

std::string line_of_fork(const PbNode& fork) {
  return fmt::format("{} fork {}/{} from {}/{}",
                     time_of(fork),
                     fork.id("pid"),
                     fork.id("tid"),
                     fork.id("ppid"),
                     fork.id("ptid"));
}

std::string line_of_kernel_symbol(const PbNode& symbol) {
  return fmt::format("{} ksymbol {:x}+{:x} {}",
                     time_of(symbol),
                     symbol.number("addr"),
                     symbol.number("len"),
                     symbol.text("name"));
}

// One of quipper's events as Lines would write it; empty for events that the stream does not have.
std::string line_of(const PbNode& event, uint64_t default_weight) {
  for (const PbNode& node : event.children) {
    if (node.name == "sample_event") {
      return line_of_sample(event, node, default_weight);
    }
    if (node.name == "mmap_event") {
      return line_of_map(node);
    }
    if (node.name == "comm_event") {
      return fmt::format(
          "{} comm {}/{} {}", time_of(node), node.id("pid"), node.id("tid"), node.text("comm"));
    }
    if (node.name == "fork_event") {
      return line_of_fork(node);
    }
    if (node.name == "exit_event") {
      return fmt::format("{} exit {}/{}", time_of(node), node.id("pid"), node.id("tid"));
    }
    if (node.name == "lost_samples_event") {
      return fmt::format("{} lost {}", time_of(node), node.number("num_lost"));
    }
    if (node.name == "throttle_event") {
      bool starts = event.child("header")->number("type") == kThrottle;
      return starts ? fmt::format("{} lost 1", time_of(node)) : "";
    }
    if (node.name == "context_switch_event") {
      return fmt::format(
          "{} switch {}", time_of(node), node.text("is_out") == "true" ? "out" : "in");
    }
    if (node.name == "ksymbol_event") {
      return line_of_kernel_symbol(node);
    }
  }
  return "";
}

// Chrome moves its text into huge pages, and so maps anonymous memory over the end of its own file.
// quipper undoes this by joining the two maps. This function does the same where quipper did.
void join_anonymous_maps(std::vector<std::string>& lines, const std::vector<std::string>& wanted) {
  std::multiset<std::string> expected(wanted.begin(), wanted.end());
  std::erase_if(lines, [&](const std::string& line) {
    bool surplus = line.ends_with(" at 0 //anon") && !expected.contains(line);
    return surplus;
  });
  std::multiset<std::string> unmatched = expected;
  for (const std::string& line : lines) {
    if (auto found = unmatched.find(line); found != unmatched.end()) {
      unmatched.erase(found);
    }
  }
  for (std::string& line : lines) {
    size_t size_at = line.find('+');
    size_t rest_at = line.find(" at ");
    if (line.find(" map ") == std::string::npos || expected.contains(line)) {
      continue;
    }
    for (const std::string& other : unmatched) {
      if (other.starts_with(line.substr(0, size_at + 1)) && other.ends_with(line.substr(rest_at))) {
        line = other;
        unmatched.erase(unmatched.find(other));
        break;
      }
    }
  }
}

TEST(Corpus, QuipperSeesTheSameRecords) {
  std::string folder = corpus_path("perf_data_converter");
  SKIP_WITHOUT_CORPUS(folder);
  int compared = 0;
  for (std::string_view name : {"branch-4.14",
                                "branch_stack_hw_index",
                                "branch_stack_spec",
                                "callgraph-3.4",
                                "callgraph-3.8",
                                "group_desc-4.14",
                                "hw_and_sw-3.4",
                                "i686-3.4",
                                "intel_pt-4.14",
                                "lost_samples-4.4",
                                "piped.hw_and_sw-3.4",
                                "proc.map.timeout-3.18",
                                "raw-3.4",
                                "raw_callgraph_branch-3.4",
                                "remmap-3.2",
                                "singleprocess-3.4",
                                "singleprocess-3.8"}) {
    SCOPED_TRACE(name);
    std::string data = fmt::format("{}/perf.data.{}", folder, name);
    std::string path = fmt::format("{}.pb_text", data);
    std::string text = read_text(path);
    if (text.empty()) {
      text = read_text(fmt::format("{}.gz", path));
    }
    ASSERT_FALSE(text.empty());
    Lines lines;
    read_into(data, lines);
    PbNode expected = wick::testing::parse_pb_text(text);
    const PbNode* attrs = expected.child("file_attrs");
    ASSERT_NE(attrs, nullptr);
    uint64_t default_weight = attrs->child("attr")->number("sample_period");
    std::vector<std::string> wanted;
    std::multiset<std::string> wanted_ids;
    for (const PbNode& node : expected.children) {
      if (node.name == "events") {
        if (std::string line = line_of(node, default_weight); !line.empty()) {
          wanted.push_back(std::move(line));
        }
      } else if (node.name == "build_ids") {
        std::string hex;
        for (char byte : node.text("build_id_hash")) {
          hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        }
        wanted_ids.insert(fmt::format("{} {}", hex, node.text("filename")));
      }
    }
    // quipper retains the order of the file, wick sorts by time.
    join_anonymous_maps(lines.lines, wanted);
    std::ranges::sort(wanted);
    std::ranges::sort(lines.lines);
    ASSERT_EQ(lines.lines.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(lines.lines[i], wanted[i]);
    }
    EXPECT_EQ(lines.build_ids, wanted_ids);
    ++compared;
  }
  EXPECT_EQ(compared, 17);
}

// Files without an expected text: the numbers of records, counted by hand in the file.
TEST(Corpus, NumbersOfRecords) {
  struct Case {
    std::string_view path;
    std::string_view counts;
    std::string_view kinds;
  };
  for (const Case& c : {
           Case{"perf_data_converter/multi-event-single-process.perf.data",
                "SAMPLE:39217 MMAP:39 MMAP2:4 COMM:1 EXIT:2",
                "cpu-clock task-clock"},
           Case{"perf_data_converter/single-event-multi-process.perf.data",
                "SAMPLE:19989 MMAP:39 MMAP2:449 COMM:67 FORK:3 EXIT:2",
                "cpu-clock"},
           Case{"perf_data_converter/with-callchain.perf.data",
                "SAMPLE:48399 MMAP:39 MMAP2:4 COMM:1 EXIT:2",
                "cpu-clock"},
           Case{"perf_data_converter/perf.data.forkexit-3.4",
                "SAMPLE:15499 MMAP:4721 COMM:637 FORK:624 EXIT:1250",
                "cycles instructions cache-references cache-misses branches branch-misses"},
           Case{"perf_data_converter/perf.data.numatopology-3.2",
                "SAMPLE:175 MMAP:8631 COMM:1736 EXIT:2",
                "cycles"},
           Case{"perf_data_converter/perf.data.piped.header_features-4.16",
                "SAMPLE:2 MMAP:28 MMAP2:4 COMM:2 EXIT:1",
                "cpu-clock"},
           Case{"perf_data_converter/perf.data.piped.header_features_aligned-6.12",
                "SAMPLE:9 MMAP2:4 COMM:2 EXIT:1",
                "cycles:u"},
           Case{"perf_data_converter/perf.data.piped.header_feautres_group_desc-6.8",
                "SAMPLE:21 MMAP2:4 COMM:2 EXIT:1",
                "cycles:u instructions:u"},
           Case{"perf_data_converter/perf.data.piped.intel_pt-4.14",
                "SAMPLE:11 MMAP:56 MMAP2:10 COMM:3 EXIT:1",
                "intel_pt// cycles dummy:u dummy:u"},
           Case{"perf_data_converter/perf.data.piped.lost_samples-4.4",
                "SAMPLE:191 MMAP:39 MMAP2:6 COMM:3 EXIT:1",
                "cycles:ppH instructions:ppH branches:ppH"},
           Case{"perf_data_converter/perf.data.piped.no_attr_ids-4.14",
                "SAMPLE:7 MMAP:21 MMAP2:10 COMM:3 EXIT:1",
                "cycles"},
           Case{"simpleperf/perf_display_bitmaps.data",
                "SAMPLE:525 MMAP:31 MMAP2:1480 COMM:25 FORK:5",
                "cpu-clock"},
           Case{
               "simpleperf/perf_no_unwind.data", "SAMPLE:8 MMAP:197 COMM:14 FORK:13", "cpu-cycles"},
           Case{"simpleperf/perf_with_add_counter.data",
                "SAMPLE:12 MMAP:1 MMAP2:61 COMM:2 EXIT:1",
                "cpu-cycles instructions"},
           Case{"simpleperf/perf_with_jit_symbol.data",
                "SAMPLE:151 MMAP:1 MMAP2:1586 COMM:16",
                "cpu-cycles"},
           Case{"simpleperf/perf_with_mini_debug_info.data",
                "SAMPLE:1151 MMAP:132 COMM:1",
                "cycles:HG"},
           Case{"simpleperf/perf_with_two_event_types.data",
                "SAMPLE:10 MMAP:153 COMM:3 EXIT:2",
                "cycles:HG cpu-clock:HG"},
           Case{"perfparser/cpp-inlining/cpp-inlining.perf.data",
                "SAMPLE:539 MMAP2:13 COMM:2 EXIT:1",
                "cpu_atom/cycles:Pu/ cpu_core/cycles:Pu/ dummy:HGu"},
           Case{
               "lbr/propeller_sample_1.perfdata1", "SAMPLE:3740 MMAP2:4 COMM:2 EXIT:1", "cycles:u"},
       }) {
    std::string path = corpus_path(c.path);
    SKIP_WITHOUT_CORPUS(path);
    SCOPED_TRACE(c.path);
    Lines lines;
    read_into(path, lines);
    EXPECT_EQ(lines.counts(), c.counts);
    EXPECT_EQ(fmt::format("{}", fmt::join(lines.kinds, " ")), c.kinds);
    EXPECT_EQ(lines.losses.find("damaged"), std::string::npos) << lines.losses;
    EXPECT_EQ(lines.losses.find("do not fit"), std::string::npos) << lines.losses;
  }
}

TEST(Corpus, TimesAscend) {
  for (std::string_view name :
       {"perf_data_converter/multi-event-single-process.perf.data",
        "perf_data_converter/perf.data.forkexit-3.4",
        "perf_data_converter/with-callchain.perf.data",
        "mstange-linux-perf-data/tests/fixtures/fibo.compressed2.pipe.data"}) {
    std::string path = corpus_path(name);
    SKIP_WITHOUT_CORPUS(path);
    Lines lines;
    read_into(path, lines);
    EXPECT_TRUE(std::ranges::is_sorted(lines.samples, {}, [](const SampleEvent& event) {
      return event.at.time_ns;
    })) << name;
  }
}

TEST(Corpus, CompressedFilesHoldTheSameKindsOfRecords) {
  std::string folder = corpus_path("mstange-linux-perf-data/tests/fixtures");
  SKIP_WITHOUT_CORPUS(folder);
  Lines plain;
  read_into(folder + "/sleep.data", plain);
  EXPECT_EQ(plain.counts(), "SAMPLE:7 MMAP2:4 COMM:2 EXIT:1");
  Lines packed;
  read_into(folder + "/sleep.compressed2.data", packed);
  EXPECT_EQ(packed.counts(), plain.counts());
  EXPECT_EQ(packed.losses, "");
  Lines older;
  read_into(folder + "/sleep.compressed.data", older);
  EXPECT_EQ(older.counts(), "SAMPLE:8 MMAP:45 MMAP2:4 COMM:2 EXIT:1");
  Lines older_pipe;
  read_into(folder + "/sleep.compressed.pipe.data", older_pipe);
  EXPECT_EQ(older_pipe.counts(), older.counts());
}

// 146 pieces, and records that start in one and end in the next.
TEST(Corpus, CompressedPiecesAreOneStream) {
  std::string path =
      corpus_path("mstange-linux-perf-data/tests/fixtures/fibo.compressed2.pipe.data");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_EQ(lines.counts(), "SAMPLE:547 MMAP:165 MMAP2:814 COMM:23 FORK:19 EXIT:17");
  EXPECT_EQ(lines.records("COMPRESSED2"), 146U);
  EXPECT_GT(lines.stack_bytes, 1'000'000U);
  EXPECT_EQ(lines.losses, "");
}

TEST(Corpus, PerfsMessagesAtTheEndOfAPipe) {
  std::string path =
      corpus_path("mstange-linux-perf-data/tests/fixtures/sleep.compressed2.pipe.data");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_EQ(lines.counts(), "SAMPLE:7 MMAP:165 MMAP2:4 COMM:2 EXIT:1");
  EXPECT_EQ(lines.losses, "143 bytes: perf's own messages are at the end of the file\n");
}

// One record of size 0 in the middle: one of the 228 samples of the undamaged file is missing.
TEST(Corpus, BehindARecordOfSizeZeroTheRestIsRead) {
  std::string path =
      corpus_path("perf_data_converter/perf.data.piped.corrupted.zero_size_sample-3.2");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_EQ(lines.counts(), "SAMPLE:227 MMAP:472 COMM:101 EXIT:2");
  EXPECT_NE(lines.losses.find("48 bytes: a part of the file is damaged"), std::string::npos);
}

TEST(Corpus, HardwareTracesAreHandedOn) {
  std::string path = corpus_path("pt-real/perf.data.intel_pt-4.14");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_EQ(lines.traced_bytes, 12240U + 137728U);
  EXPECT_EQ(lines.records("SWITCH_CPU_WIDE"), 152U);
}

TEST(Corpus, BranchStacks) {
  std::string path = corpus_path("lbr/propeller_sample_1.perfdata1");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_EQ(lines.branches, 119424U);
}

// perfparser's own text has a line "comm<TAB>pid<TAB>tid<TAB>seconds" for each sample, followed by
// "<TAB>event: cost".
TEST(Corpus, PerfparserSeesTheSameSamples) {
  struct Case {
    std::string_view recording;
    std::string_view expected;
  };
  for (const Case& c :
       {Case{"vector_static_gcc/perf.data.zlib", "vector_static_gcc/perf.data.expected.txt.zlib"},
        Case{"vector_static_gcc/perf.data.zstd.zlib",
             "vector_static_gcc/perf.data.zstd.expected.txt.zlib"},
        Case{"vector_static_gcc/perf.lbr.data.zlib",
             "vector_static_gcc/perf.lbr.data.expected.txt.zlib"},
        Case{"fork_static_gcc/perf.data.zstd.zlib",
             "fork_static_gcc/perf.data.zstd.expected.txt.zlib"}}) {
    std::string path = corpus_path(fmt::format("perfparser/{}", c.recording));
    SKIP_WITHOUT_CORPUS(path);
    SCOPED_TRACE(c.recording);
    wick::testing::ScratchDir scratch;
    wick::testing::write_file(scratch.file("perf.data"), unpack_qt(path));
    Lines lines;
    read_into(scratch.file("perf.data"), lines);
    std::vector<std::string> got;
    for (const SampleEvent& sample : lines.samples) {
      got.push_back(fmt::format("{} {} {}.{:09} {}",
                                sample.at.pid,
                                sample.at.tid,
                                sample.at.time_ns / 1'000'000'000,
                                sample.at.time_ns % 1'000'000'000,
                                sample.weight));
    }
    std::vector<std::string> wanted;
    std::string text = unpack_qt(corpus_path(fmt::format("perfparser/{}", c.expected)));
    std::string_view rest = text;
    std::string head;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (size_t at = line.find("\tcycles: "); at == 0) {
        wanted.push_back(fmt::format("{} {}", head, line.substr(9)));
      } else if (!line.empty() && line[0] != '\t') {
        head = line.substr(line.find('\t') + 1);
        std::ranges::replace(head, '\t', ' ');
      }
    }
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(got, wanted);
  }
}

// simpleperf's script: "comm<TAB>pid/tid [cpu] seconds: weight event:", then a line for each frame.
// It leaves out the frames of the Java interpreter, so its frames are a subsequence of ours.
TEST(Corpus, SimpleperfSeesTheSameStacks) {
  std::string path = corpus_path("simpleperf/perf_display_bitmaps.data");
  SKIP_WITHOUT_CORPUS(path);
  Lines lines;
  read_into(path, lines);
  EXPECT_GT(lines.symbols, 1000U);
  EXPECT_EQ(lines.facts["simpleperf android_version"], "10");
  EXPECT_EQ(lines.facts["architecture"], "aarch64");
  std::string text = read_text(corpus_path("simpleperf/perf_display_bitmaps.perf-script.gz"));
  std::string_view rest = text;
  size_t sample = 0;
  size_t frame = 0;
  for (; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) {
      ++sample;
      frame = 0;
      continue;
    }
    ASSERT_LT(sample, lines.samples.size());
    const SampleEvent& event = lines.samples[sample];
    if (line[0] != '\t') {
      std::string head = fmt::format("\t{}/{} [{:03}] {}.{:06}: {} cpu-clock:",
                                     event.at.pid,
                                     event.at.tid,
                                     event.at.cpu,
                                     event.at.time_ns / 1'000'000'000,
                                     event.at.time_ns / 1000 % 1'000'000,
                                     event.weight);
      ASSERT_TRUE(line.ends_with(head)) << line << head;
      continue;
    }
    line.remove_prefix(line.find_first_not_of("\t "));
    std::string_view wanted = line.substr(0, line.find(' '));
    const std::vector<uint64_t>& chain = lines.chains[sample];
    while (frame < chain.size() && fmt::format("{:x}", chain[frame]) != wanted) {
      ++frame;
    }
    ASSERT_LT(frame, chain.size()) << "sample " << sample << ", " << wanted;
    ++frame;
  }
  EXPECT_EQ(sample, lines.samples.size());
}

}  // namespace
}  // namespace wick::perf_data
