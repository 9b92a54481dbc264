// SPDX-License-Identifier: Apache-2.0
// A Fetch is one file: it starts a program for it, with curl one after the other for each server,
// and reads from the program's output where the file is, or why there is none. fetch_debug_files()
// runs a few of them at once until all have ended or the time is up.
#include "symbolize/debuginfod.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/program_path.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

// A program that downloads one file.
class Fetch {
 public:
  Fetch(std::string build_id, std::vector<std::vector<std::string>> tries, std::string file)
      : build_id_(std::move(build_id)), tries_(std::move(tries)), file_(std::move(file)) {}

  // Starts the next attempt; false if there is none left.
  bool start() {
    if (next_ == tries_.size()) {
      return false;
    }
    std::vector<std::string>& words = tries_[next_++];
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return false;
    }
    output_ = Descriptor(ends[0]);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    text_.clear();
    Descriptor write_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO);
    int error = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      pid_ = -1;
      return start();
    }
    return true;
  }

  enum class State { kRuns, kFound, kMissing, kUnreachable };
  State poll() {
    int status = 0;
    pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    read_text();
    if (ended == 0) {
      return State::kRuns;
    }
    pid_ = -1;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && take_result()) {
      return State::kFound;
    }
    if (ended > 0 && WIFEXITED(status)) {
      take_problem(WEXITSTATUS(status));
    }
    return start() ? State::kRuns : has_answer_ ? State::kMissing : State::kUnreachable;
  }

  void stop() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
      if (!file_.empty()) {
        ::unlink((file_ + ".part").c_str());
      }
    }
  }

  const std::string& build_id() const { return build_id_; }
  const std::string& file() const { return file_; }
  const std::string& problem() const { return problem_; }

 private:
  // The program must not wait for a full pipe. Only the beginning matters.
  void read_text() {
    constexpr size_t kLongest = 4096;
    std::array<char, 1024> part;
    for (ssize_t got = 0; (got = ::read(output_.get(), part.data(), part.size())) > 0;) {
      text_.append(part.data(), std::min(static_cast<size_t>(got), kLongest - text_.size()));
    }
  }

  // What debuginfod-find and curl say if they fail:
  //
  //     Server query failed: No such file or directory
  //     curl: (7) Failed to connect to localhost port 8002: Connection refused
  //
  // curl's status is 22 for an answer such as "not found", and 37 for a file that does not exist.
  void take_problem(int status) {
    bool is_curl = !file_.empty();
    bool is_missing = is_curl ? status == 22 || status == 37
                              : text_.find(std::strerror(ENOENT)) != std::string::npos;
    has_answer_ = has_answer_ || is_missing;
    std::string_view line = text_;
    line = line.substr(0, line.find_last_not_of('\n') + 1);
    line.remove_prefix(line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1);
    std::string_view prefix = is_curl ? ") " : "failed: ";
    size_t end = line.find(prefix);
    problem_ = end == std::string_view::npos ? line : line.substr(end + prefix.size());
  }

  // debuginfod-find prints the path of the file; curl gets it as an argument.
  bool take_result() {
    if (!file_.empty()) {
      return ::rename((file_ + ".part").c_str(), file_.c_str()) == 0;
    }
    size_t begin = text_.starts_with('/') ? 0 : text_.find("\n/") + 1;  // after warnings
    file_ = text_.substr(begin, text_.find('\n', begin) - begin);
    return file_.starts_with('/');
  }

  std::string build_id_;
  std::vector<std::vector<std::string>> tries_;  // commands, tried one after the other
  size_t next_ = 0;
  std::string file_;  // output file of curl
  pid_t pid_ = -1;
  Descriptor output_;
  std::string text_;         // the output, and the messages
  std::string problem_;      // of the last attempt
  bool has_answer_ = false;  // a server has said that it lacks the file
};

}  // namespace

DebuginfodFetched fetch_debug_files(std::span<const std::string> build_ids,
                                    const DebuginfodOptions& options) {
  DebuginfodFetched fetched;
  std::vector<std::string> urls = words_of(options.urls);
  std::string finder = program_path("debuginfod-find");
  std::string curl = finder.empty() ? program_path("curl") : "";
  if (urls.empty()) {
    fetched.problem =
        "DEBUGINFOD_URLS does not name a server; Debian's is https://debuginfod.debian.net.";
    return fetched;
  }
  if (finder.empty() && !curl.empty() && options.directory.empty()) {
    fetched.problem = "The cache is off, and curl needs it: `apt install debuginfod`.";
    return fetched;
  }
  if (finder.empty() && curl.empty()) {
    fetched.problem = "Neither debuginfod-find nor curl is installed: `apt install debuginfod`.";
    return fetched;
  }
  Clock::time_point deadline = Clock::now() + options.patience;
  std::string most_seconds =
      fmt::format("{}", std::chrono::ceil<std::chrono::seconds>(options.patience).count());
  std::vector<Fetch> running;
  size_t next = 0;
  auto command_for = [&](const std::string& build_id) {
    if (!finder.empty()) {
      return Fetch(build_id, {{finder, "debuginfo", build_id}}, "");
    }
    std::string file = options.directory + "/" + build_id + ".debug";
    std::vector<std::vector<std::string>> tries;
    for (const std::string& url : urls) {
      std::string address = url;
      address += address.ends_with('/') ? "" : "/";
      tries.push_back({curl,
                       "-fsSL",
                       "--max-time",  // it ends even if wick is killed
                       most_seconds,
                       "-o",
                       file + ".part",
                       address + "buildid/" + build_id + "/debuginfo"});
    }
    return Fetch(build_id, std::move(tries), file);
  };
  while (next < build_ids.size() || !running.empty()) {
    while (next < build_ids.size() && running.size() < options.at_once) {
      const std::string& build_id = build_ids[next++];
      std::string known = options.directory + "/" + build_id + ".debug";
      if (finder.empty() && ::access(known.c_str(), R_OK) == 0) {
        fetched.files[build_id] = known;
        continue;
      }
      Fetch fetch = command_for(build_id);
      if (fetch.start()) {
        running.push_back(std::move(fetch));
      } else {
        ++fetched.unreachable;
      }
    }
    for (size_t i = running.size(); i-- > 0;) {
      Fetch::State state = running[i].poll();
      if (state == Fetch::State::kRuns) {
        continue;
      }
      if (state == Fetch::State::kFound) {
        fetched.files[running[i].build_id()] = running[i].file();
      } else if (state == Fetch::State::kMissing) {
        ++fetched.missing;
      } else {
        ++fetched.unreachable;
        fetched.connection_problem = running[i].problem();
      }
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    }
    if (options.on_progress) {
      options.on_progress(next - running.size());
    }
    if (Clock::now() >= deadline) {
      break;
    }
    if (!running.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  fetched.unfinished = running.size() + (build_ids.size() - next);
  for (Fetch& fetch : running) {
    fetch.stop();
  }
  return fetched;
}

}  // namespace wick
