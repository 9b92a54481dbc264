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

// The fetches of one call.
class Downloads {
 public:
  explicit Downloads(const DebuginfodOptions& options)
      : options_(options),
        urls_(words_of(options.urls)),
        finder_(program_path("debuginfod-find")),
        curl_(finder_.empty() ? program_path("curl") : "") {}

  DebuginfodFetched run(std::span<const std::string> build_ids);

 private:
  // Why no server can be asked; empty if one can.
  std::string_view problem() const;
  void start(const std::string& build_id);
  Fetch fetch_of(const std::string& build_id) const;
  void take_results();
  std::string path_of(const std::string& build_id) const {
    return options_.directory + "/" + build_id + ".debug";
  }

  const DebuginfodOptions& options_;
  std::vector<std::string> urls_;
  std::string finder_;  // the paths of the programs; empty: not installed, or not needed
  std::string curl_;
  std::vector<Fetch> running_;
  DebuginfodFetched fetched_;
};

std::string_view Downloads::problem() const {
  if (urls_.empty()) {
    return "DEBUGINFOD_URLS does not name a server; Debian's is https://debuginfod.debian.net.";
  }
  if (finder_.empty() && curl_.empty()) {
    return "Neither debuginfod-find nor curl is installed: `apt install debuginfod`.";
  }
  if (finder_.empty() && options_.directory.empty()) {
    return "The cache is off, and curl needs it: `apt install debuginfod`.";
  }
  return "";
}

Fetch Downloads::fetch_of(const std::string& build_id) const {
  if (!finder_.empty()) {
    return Fetch(build_id, {{finder_, "debuginfo", build_id}}, "");
  }
  auto patience = std::chrono::ceil<std::chrono::seconds>(options_.patience);
  std::string file = path_of(build_id);
  std::vector<std::vector<std::string>> tries;
  for (const std::string& url : urls_) {
    tries.push_back(
        {curl_,
         "-fsSL",
         "--max-time",  // it ends even if wick is killed
         fmt::format("{}", patience.count()),
         "-o",
         file + ".part",
         fmt::format("{}{}buildid/{}/debuginfo", url, url.ends_with('/') ? "" : "/", build_id)});
  }
  return Fetch(build_id, std::move(tries), file);
}

void Downloads::start(const std::string& build_id) {
  std::string known = path_of(build_id);
  if (finder_.empty() && ::access(known.c_str(), R_OK) == 0) {
    fetched_.files[build_id] = known;
    return;
  }
  Fetch fetch = fetch_of(build_id);
  if (fetch.start()) {
    running_.push_back(std::move(fetch));
  } else {
    ++fetched_.unreachable;
  }
}

void Downloads::take_results() {
  std::erase_if(running_, [&](Fetch& fetch) {
    Fetch::State state = fetch.poll();
    if (state == Fetch::State::kFound) {
      fetched_.files[fetch.build_id()] = fetch.file();
    } else if (state == Fetch::State::kMissing) {
      ++fetched_.missing;
    } else if (state == Fetch::State::kUnreachable) {
      ++fetched_.unreachable;
      fetched_.connection_problem = fetch.problem();
    }
    return state != Fetch::State::kRuns;
  });
}

DebuginfodFetched Downloads::run(std::span<const std::string> build_ids) {
  fetched_.problem = problem();
  if (!fetched_.problem.empty()) {
    return std::move(fetched_);
  }
  Clock::time_point deadline = Clock::now() + options_.patience;
  size_t next = 0;
  while (next < build_ids.size() || !running_.empty()) {
    while (next < build_ids.size() && running_.size() < options_.at_once) {
      start(build_ids[next++]);
    }
    take_results();
    if (options_.on_progress) {
      options_.on_progress(next - running_.size());
    }
    if (Clock::now() >= deadline) {
      break;
    }
    if (!running_.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  fetched_.unfinished = running_.size() + (build_ids.size() - next);
  for (Fetch& fetch : running_) {
    fetch.stop();
  }
  return std::move(fetched_);
}

}  // namespace

DebuginfodFetched fetch_debug_files(std::span<const std::string> build_ids,
                                    const DebuginfodOptions& options) {
  return Downloads(options).run(build_ids);
}

}  // namespace wick
