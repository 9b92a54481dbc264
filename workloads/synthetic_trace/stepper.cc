// SPDX-License-Identifier: Apache-2.0
#include "synthetic_trace/stepper.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <unordered_map>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "synthetic_trace/clock.h"

namespace workloads {
namespace {

constexpr size_t kLongestInstruction = 15;

void read_maps(int pid, std::vector<CodeMap>& maps) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
  for (std::string line; std::getline(file, line);) {
    CodeMap map;
    char access[5] = {};
    int path_at = 0;
    int fields = std::sscanf(line.c_str(),
                             "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n",
                             &map.begin,
                             &map.end,
                             access,
                             &map.offset,
                             &path_at);
    if (fields < 4 || access[2] != 'x') {
      continue;
    }
    map.path = line.substr(static_cast<size_t>(path_at));
    bool is_known = std::any_of(maps.begin(), maps.end(), [&](const CodeMap& known) {
      return known.begin == map.begin && known.end == map.end && known.path == map.path;
    });
    if (!is_known) {
      maps.push_back(map);
    }
  }
}

bool is_mapped(const std::vector<CodeMap>& maps, uint64_t address) {
  return std::any_of(maps.begin(), maps.end(), [&](const CodeMap& map) {
    return address >= map.begin && address < map.end;
  });
}

// The branches of a process, each decoded once.
class Code {
 public:
  explicit Code(int memory) : memory_(memory) {}
  ~Code() { ::close(memory_); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  BranchInstruction at(uint64_t address) {
    auto [known, is_new] = known_.try_emplace(address);
    if (is_new) {
      unsigned char bytes[kLongestInstruction] = {};
      ssize_t size = ::pread(memory_, bytes, sizeof bytes, static_cast<off_t>(address));
      known->second = decode_branch(bytes, size > 0 ? static_cast<size_t>(size) : 0);
    }
    return known->second;
  }

 private:
  int memory_;
  std::unordered_map<uint64_t, BranchInstruction> known_;
};

int start(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  int pid = ::fork();
  if (pid == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  return pid;
}

}  // namespace

Stepped step_program(const std::vector<std::string>& command, uint64_t skip, uint64_t most) {
  Stepped result;
  result.pid = start(command);
  int status = 0;
  if (result.pid < 0 || ::waitpid(result.pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
    result.problem = "cannot run " + command[0];
    return result;
  }
  ::ptrace(PTRACE_SETOPTIONS, result.pid, nullptr, PTRACE_O_EXITKILL);
  std::ifstream comm("/proc/" + std::to_string(result.pid) + "/comm");
  std::getline(comm, result.name);
  Code code(::open(("/proc/" + std::to_string(result.pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  Clock clock;
  TakenBranch current;
  uint64_t last = 0;
  BranchInstruction last_branch;
  int signal = 0;
  while (result.instructions < skip + most) {
    user_regs_struct registers = {};
    if (::ptrace(PTRACE_GETREGS, result.pid, nullptr, &registers) != 0) {
      break;
    }
    uint64_t pc = registers.rip;
    bool repeats = pc == last && last_branch.kind == BranchKind::kNone;  // rep
    if (!is_mapped(result.maps, pc)) {
      read_maps(result.pid, result.maps);
    }
    if (last_branch.kind != BranchKind::kNone && current.instructions > 0) {
      bool taken = last_branch.kind != BranchKind::kConditional || pc != last + last_branch.length;
      if (taken) {
        current.from = last;
        current.to = pc;
        current.kind = last_branch.kind;
        clock.finish(current);
        result.branches.push_back(current);
        current = {};
      } else {
        clock.pass(last);
      }
    }
    last = pc;
    last_branch = code.at(pc);
    if (!repeats) {
      ++result.instructions;
      current.instructions += result.instructions > skip ? 1 : 0;
    }
    bool stepped = ::ptrace(PTRACE_SINGLESTEP, result.pid, nullptr, signal) == 0 &&
                   ::waitpid(result.pid, &status, 0) == result.pid;
    if (!stepped || !WIFSTOPPED(status)) {
      return result;  // it has ended
    }
    signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  }
  ::kill(result.pid, SIGKILL);
  ::waitpid(result.pid, &status, 0);
  return result;
}

}  // namespace workloads
