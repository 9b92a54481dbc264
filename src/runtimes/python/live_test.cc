// SPDX-License-Identifier: Apache-2.0
// Reads the frames of real interpreters, as many as there are, and compares them with what the
// program itself says: testdata/known_stack.py runs into a known stack, prints it, and waits.
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <glob.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "runtimes/frame_list_copy.h"
#include "runtimes/runtimes.h"
#include "tests/support/files.h"

namespace wick::python {
namespace {

using FrameList = StackFindings::FrameList;

class RunningMemory : public InterpreterMemory {
 public:
  explicit RunningMemory(pid_t pid) : pid_(pid) {}
  size_t read_some(uint64_t address, std::span<std::byte> out) override {
    iovec here = {out.data(), out.size()};
    iovec there = {reinterpret_cast<void*>(address), out.size()};
    ssize_t got = ::process_vm_readv(pid_, &here, 1, &there, 1, 0);
    return got > 0 ? static_cast<size_t>(got) : 0;
  }

 private:
  pid_t pid_;
};

// A child with pipes, ended with the object.
class Child {
 public:
  Child(const std::string& program, const std::string& script) {
    std::array<int, 2> in = {};
    std::array<int, 2> out = {};
    EXPECT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
      ::setenv("PYTHONIOENCODING", "utf-8", 1);
      ::unsetenv("PYTHONHOME");
      ::execl(program.c_str(), program.c_str(), script.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~Child() {
    ::close(in_);
    ::close(out_);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void go_on() const { EXPECT_EQ(::write(in_, "\n", 1), 1); }
  // The lines up to "ready"; fewer if the program has ended.
  std::vector<std::string> lines_until_ready() {
    constexpr int kMilliseconds = 60'000;
    while (true) {
      if (size_t end = text_.find("ready\n"); end != std::string::npos) {
        std::istringstream stream(text_.substr(0, end));
        text_.erase(0, end + std::string_view("ready\n").size());
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);) {
          lines.push_back(line);
        }
        return lines;
      }
      pollfd waited = {out_, POLLIN, 0};
      std::array<char, 4096> part = {};
      ssize_t got =
          ::poll(&waited, 1, kMilliseconds) == 1 ? ::read(out_, part.data(), part.size()) : 0;
      if (got <= 0) {
        ADD_FAILURE() << "the program ended early, or hangs; it printed:\n" << text_;
        return {};
      }
      text_.append(part.data(), static_cast<size_t>(got));
    }
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string text_;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

uint64_t number_in(std::string_view digits, int base) {
  uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}
uint64_t hex(std::string_view digits) {
  return number_in(digits, 16);
}
int32_t tid_in(const std::string& row) {
  return static_cast<int32_t>(number_in(split(row, '\t')[1], 10));
}

// The interpreter in a process, as the files that it has mapped show.
struct Attached {
  MappedFile file;
  std::unique_ptr<InterpreterImage> image;
  std::unique_ptr<InterpreterProcess> process;
  std::string error;
};

Attached attach_to(pid_t pid, RunningMemory& memory) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::string range;
    std::string access;
    std::string offset;
    std::string device;
    std::string inode;
    std::string path;
    fields >> range >> access >> offset >> device >> inode >> path;
    if (!path.starts_with('/') || access.find('x') == std::string::npos) {
      continue;
    }
    Attached found;
    found.file = *MappedFile::open(path);
    Result<ElfImage> elf = ElfImage::parse(found.file.bytes());
    found.image = elf ? interpreters().front().find(*elf, path) : nullptr;
    if (!found.image) {
      continue;
    }
    uint64_t start = hex(range);
    uint64_t size = hex(std::string_view(range).substr(range.find('-') + 1)) - start;
    uint64_t bias = elf->load_bias({start, size, hex(offset), true}).value_or(0);
    auto process = found.image->attach(memory, bias);
    if (process) {
      found.process = std::move(*process);
    } else {
      found.error = process.error().message;
    }
    return found;
  }
  return {};
}

// "ready" is printed before the program waits.
void wait_until_asleep(pid_t pid) {
  constexpr int kAttempts = 2000;
  for (int attempt = 0, asleep = 0; attempt < kAttempts && asleep < 3; ++attempt) {
    std::string stat = wick::testing::read_file("/proc/" + std::to_string(pid) + "/stat");
    size_t name_end = stat.rfind(')');
    bool is_asleep = name_end != std::string::npos && stat.substr(name_end).starts_with(") S");
    asleep = is_asleep ? asleep + 1 : 0;
    ::usleep(2000);
  }
}

// As the program prints a frame.
std::string frame_row(int32_t tid, const InterpretedCode& code, const InterpreterFrame& frame) {
  std::ostringstream row;
  row << "frame\t" << tid << '\t' << code.name << '\t' << code.file << '\t'
      << code.line_at(frame.position) << '\t' << (frame.is_entry ? 1 : 0);
  return row.str();
}

struct Seen {
  std::map<int32_t, std::vector<std::string>> rows;  // by thread
  std::map<std::string, InterpretedCode> codes;      // by name, file and first line
};

Seen see(InterpreterProcess& process, RunningMemory& memory) {
  constexpr size_t kMaxFrames = 1000;
  Seen seen;
  for (const FrameList& list : process.threads()) {
    FrameListCopy copy = copy_frame_list(memory, list, kMaxFrames);
    EXPECT_EQ(process.lock_use(list, copy.list()), LockUse::kFree);  // all wait
    EXPECT_TRUE(copy.is_known && !copy.is_cut);
    for (const InterpreterFrame& frame : process.frames(copy.list())) {
      std::optional<InterpretedCode> code = process.code(frame);
      EXPECT_TRUE(code);
      if (code) {
        seen.rows[list.tid].push_back(frame_row(list.tid, *code, frame));
        seen.codes[code->name + "\t" + code->file + "\t" + std::to_string(code->first_line)] =
            *code;
      }
    }
  }
  return seen;
}

// Before 3.11, code has no qualified name, and neither has what the program prints.
void expect_rows(const std::vector<std::string>& printed, const Seen& seen) {
  std::map<int32_t, std::vector<std::string>> expected;
  for (const std::string& line : printed) {
    expected[tid_in(line)].push_back(line);
  }
  EXPECT_EQ(expected, seen.rows);
}

// `lines`: "0-4=12,4-8=0": bytes of code, line.
void expect_lines(const InterpretedCode& code, const std::string& lines) {
  for (const std::string& row : split(lines, ',')) {
    unsigned begin = 0;
    unsigned end = 0;
    unsigned line = 0;
    ASSERT_EQ(std::sscanf(row.c_str(), "%u-%u=%u", &begin, &end, &line), 3) << row;
    for (unsigned position = begin; position < end; position += 2) {
      ASSERT_EQ(code.line_at(position), line) << code.name << " at " << position;
    }
  }
}

void expect_all_lines(const std::vector<std::string>& printed, const Seen& seen) {
  size_t compared = 0;
  for (const std::string& line : printed) {
    std::vector<std::string> fields = split(line, '\t');
    if (auto code = seen.codes.find(fields[1] + "\t" + fields[2] + "\t" + fields[3]);
        fields[0] == "lines" && code != seen.codes.end()) {
      expect_lines(code->second, fields.size() > 4 ? fields[4] : "");
      ++compared;
    }
  }
  EXPECT_GE(compared, 20U);
}

void check_interpreter(const std::string& program) {
  SCOPED_TRACE(program);
  Child child(program, wick::testing::source_path("src/runtimes/python/testdata/known_stack.py"));
  std::vector<std::string> printed = child.lines_until_ready();
  ASSERT_GT(printed.size(), 200U);
  wait_until_asleep(child.pid());
  RunningMemory memory(child.pid());
  Attached attached = attach_to(child.pid(), memory);
  ASSERT_TRUE(attached.process) << attached.error;
  Seen seen = see(*attached.process, memory);
  expect_rows(printed, seen);

  child.go_on();  // it forks
  printed = child.lines_until_ready();
  ASSERT_FALSE(printed.empty());
  pid_t forked = tid_in(printed[0]);
  wait_until_asleep(forked);
  RunningMemory forked_memory(forked);
  Attached again = attach_to(forked, forked_memory);
  ASSERT_TRUE(again.process) << again.error;
  expect_rows(printed, see(*again.process, forked_memory));

  child.go_on();
  expect_all_lines(child.lines_until_ready(), seen);
}

// Programs called python3.N, without repeats: on the PATH, of pyenv, and in WICK_PYTHONS.
std::set<std::string> programs_of(uint32_t minor) {
  auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  std::string name = "python3." + std::to_string(minor);
  std::vector<std::string> paths = split(variable("WICK_PYTHONS"), ':');
  for (const std::string& directory : split(variable("PATH"), ':')) {
    paths.push_back(std::filesystem::path(directory) / name);
  }
  std::string pyenv = variable("PYENV_ROOT");
  std::string pattern =
      (pyenv.empty() ? variable("HOME") + "/.pyenv" : pyenv) + "/versions/*/bin/" + name;
  glob_t found = {};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.insert(paths.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  std::set<std::string> programs;
  for (const std::string& path : paths) {
    std::error_code error;
    std::filesystem::path real = std::filesystem::canonical(path, error);
    bool is_elf = !error && wick::testing::read_file(real).starts_with(
                                "\x7f"
                                "ELF");
    if (is_elf && (real.filename() == name || path.ends_with("/" + name))) {
      programs.insert(real);
    }
  }
  return programs;
}

class LivePython : public ::testing::TestWithParam<uint32_t> {};

TEST_P(LivePython, ReadsWhatTheProgramPrints) {
  std::set<std::string> programs = programs_of(GetParam());
  if (programs.empty()) {
    GTEST_SKIP() << "CPython 3." << GetParam() << " is not installed; WICK_PYTHONS may name one";
  }
  for (const std::string& program : programs) {
    check_interpreter(program);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, LivePython, ::testing::Range(8U, 15U));

}  // namespace
}  // namespace wick::python
