// SPDX-License-Identifier: Apache-2.0
#include "symbolize/debuginfod.h"

#include <algorithm>
#include <chrono>
#include <csignal>
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
    Descriptor write_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      pid_ = -1;
      return start();
    }
    return true;
  }

  enum class State { kRuns, kFound, kFailed };
  State poll() {
    int status = 0;
    pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0) {
      return State::kRuns;
    }
    pid_ = -1;
    if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && take_result()) {
      return State::kFound;
    }
    return start() ? State::kRuns : State::kFailed;
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

 private:
  // debuginfod-find prints the path of the file; curl gets it as an argument.
  bool take_result() {
    if (!file_.empty()) {
      return ::rename((file_ + ".part").c_str(), file_.c_str()) == 0;
    }
    std::string path(4096, '\0');
    ssize_t got = ::read(output_.get(), path.data(), path.size());
    path.resize(got > 0 ? static_cast<size_t>(got) : 0);
    path.erase(std::min(path.find('\n'), path.size()));
    file_ = path;
    return path.starts_with('/');
  }

  std::string build_id_;
  std::vector<std::vector<std::string>> tries_;  // commands, tried one after the other
  size_t next_ = 0;
  std::string file_;  // output file of curl
  pid_t pid_ = -1;
  Descriptor output_;
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
        ++fetched.missing;
      }
    }
    for (size_t i = running.size(); i-- > 0;) {
      Fetch::State state = running[i].poll();
      if (state == Fetch::State::kRuns) {
        continue;
      }
      if (state == Fetch::State::kFound) {
        fetched.files[running[i].build_id()] = running[i].file();
      } else {
        ++fetched.missing;
      }
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
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
