// SPDX-License-Identifier: Apache-2.0
// A Fetch is one file: it starts a program for it, with curl one after the other for each server,
// and reads from the program's output where the file is, or why there is none. fetch_debug_files()
// runs a few of them at once until all have ended or the time is up.
//
//     kFound        the file is of the requested build
//     kWrong        a server sent another build, no ELF file, or too much
//     kMissing      a server said that it lacks the file
//     kUnreachable  no server answered, or each reported an error of its own
#include "symbolize/debuginfod.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
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
#include "symbolize/module_files.h"

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

// `build_id` is in hexadecimal digits. Recordings pad short ones with zeros, and cut long ones.
bool is_of_build(const std::string& path, const std::string& build_id) {
  std::unique_ptr<OpenedFile> file = open_elf(path);
  if (file == nullptr) {
    return false;
  }
  std::string found = hex_digits(as_text(file->image.build_id()));
  return !found.empty() && (build_id.starts_with(found) || found.starts_with(build_id));
}

// A program that downloads one file.
class Fetch {
 public:
  Fetch(std::string build_id,
        std::vector<std::vector<std::string>> tries,
        std::string file,
        uint64_t largest_file)
      : build_id_(std::move(build_id)),
        tries_(std::move(tries)),
        file_(std::move(file)),
        largest_file_(largest_file) {}

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

  enum class State { kRuns, kFound, kWrong, kMissing, kUnreachable };
  State poll() {
    int status = 0;
    pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    read_text();
    if (ended == 0 && !is_too_large()) {
      return State::kRuns;
    }
    if (ended == 0) {
      stop();
      was_wrong_ = true;
    } else {
      pid_ = -1;
      if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && take_result()) {
        return State::kFound;
      }
      if (ended > 0 && WIFEXITED(status)) {
        take_problem(WEXITSTATUS(status));
      }
    }
    return start()       ? State::kRuns
           : was_wrong_  ? State::kWrong
           : has_answer_ ? State::kMissing
                         : State::kUnreachable;
  }

  void stop() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
      if (is_curl()) {
        ::unlink(part().c_str());
      }
    }
  }

  const std::string& build_id() const { return build_id_; }
  const std::string& file() const { return file_; }
  const std::string& problem() const { return problem_; }

 private:
  bool is_curl() const { return !file_.empty(); }
  // curl writes to this file first.
  std::string part() const { return file_ + ".part"; }

  bool is_too_large() const {
    struct stat info{};
    return is_curl() && ::stat(part().c_str(), &info) == 0 &&
           static_cast<uint64_t>(info.st_size) > largest_file_;
  }

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
  //     curl: (22) The requested URL returned error: 404
  //
  // curl's status is 22 for an error that a server reported, also one of its own (500), and 37 for
  // a file that does not exist.
  void take_problem(int status) {
    bool is_server_error = text_.find("error: 5") != std::string::npos;
    bool is_missing = is_curl() ? (status == 22 && !is_server_error) || status == 37
                                : text_.find(std::strerror(ENOENT)) != std::string::npos;
    has_answer_ = has_answer_ || is_missing;
    std::string_view line = text_;
    line = line.substr(0, line.find_last_not_of('\n') + 1);
    line.remove_prefix(line.rfind('\n') == std::string_view::npos ? 0 : line.rfind('\n') + 1);
    std::string_view prefix = is_curl() ? ") " : "failed: ";
    size_t end = line.find(prefix);
    problem_ = end == std::string_view::npos ? line : line.substr(end + prefix.size());
  }

  // debuginfod-find prints the path of the file; curl gets it as an argument.
  bool take_result() {
    if (is_curl()) {
      was_wrong_ = !is_of_build(part(), build_id_);
      if (was_wrong_) {
        ::unlink(part().c_str());
      }
      return !was_wrong_ && ::rename(part().c_str(), file_.c_str()) == 0;
    }
    size_t begin = text_.starts_with('/') ? 0 : text_.find("\n/") + 1;  // after warnings
    std::string path = text_.substr(begin, text_.find('\n', begin) - begin);
    was_wrong_ = !is_of_build(path, build_id_);
    file_ = was_wrong_ ? "" : path;
    return !was_wrong_;
  }

  std::string build_id_;
  std::vector<std::vector<std::string>> tries_;  // commands, tried one after the other
  size_t next_ = 0;
  std::string file_;  // output file of curl
  uint64_t largest_file_;
  pid_t pid_ = -1;
  Descriptor output_;
  std::string text_;         // the output, and the messages
  std::string problem_;      // of the last attempt
  bool has_answer_ = false;  // a server has said that it lacks the file
  bool was_wrong_ = false;   // a server has sent something else
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
    return Fetch(build_id, {{finder_, "debuginfo", build_id}}, "", options_.largest_file);
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
  return Fetch(build_id, std::move(tries), file, options_.largest_file);
}

void Downloads::start(const std::string& build_id) {
  std::string known = path_of(build_id);
  if (finder_.empty() && is_of_build(known, build_id)) {
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
    } else if (state == Fetch::State::kWrong) {
      ++fetched_.wrong;
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
