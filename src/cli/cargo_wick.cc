#include "cli/cargo_wick.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/path.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/recording.h"

namespace wick {
namespace {

constexpr std::string_view kHelp =
    "cargo wick: build a program, record it, print a report and write the viewer page\n\n"
    "  cargo wick [FLAGS] [-- ARGUMENTS OF THE PROGRAM]\n\n"
    "FLAGS are flags of `cargo build` (--bin, --example, --features, --profile, ...) and flags of\n"
    "`wick run` by their long names (--frequency, --duration, --output, ...). Without a profile\n"
    "flag this is a release build with line tables (CARGO_PROFILE_RELEASE_DEBUG=1 unless it\n"
    "is set).\n";

const Flag* find_wick_flag(std::string_view word) {
  if (!word.starts_with("--")) {
    return nullptr;
  }
  std::string_view name = word.substr(2, word.find('=') - 2);
  // Both have --quiet: it is cargo's, as in all its commands.
  if (name == "quiet" || name == "build") {
    return nullptr;
  }
  const Command* run = find_command("run");
  auto flag = std::ranges::find(run->flags, name, &Flag::name);
  return flag != run->flags.end() ? &*flag : nullptr;
}

bool chooses_profile(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "-r" || word == "--release" || word == "--profile" ||
           word.starts_with("--profile=");
  });
}

// A string of JSON behind its opening quote; `text` goes on behind the closing one. Only what paths
// hold: cargo escapes quotes, backslashes and control characters.
std::string take_json_string(std::string_view& text) {
  std::string out;
  while (!text.empty() && text[0] != '"') {
    bool escaped = text[0] == '\\' && text.size() > 1;
    out += text[escaped ? 1 : 0];
    text.remove_prefix(escaped ? 2 : 1);
  }
  text.remove_prefix(std::min<size_t>(1, text.size()));
  return out;
}

// Runs cargo and reads what it says; its own messages for people go to stderr.
int build(const std::vector<std::string>& words, std::vector<std::string>& programs) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe(ends.data()) != 0) {
    return kOwnFailure;
  }
  pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("CARGO_PROFILE_RELEASE_DEBUG", "1", 0);
    const char* cargo = std::getenv("CARGO");  // cargo tells its own path
    std::vector<std::string> copies = words;
    std::string name = cargo != nullptr ? cargo : "cargo";
    std::vector<char*> arguments = {name.data()};
    for (std::string& word : copies) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "wick: cannot run cargo: %s.\n", std::strerror(errno));
    ::_exit(kNotFound);
  }
  ::close(ends[1]);
  std::FILE* said = ::fdopen(ends[0], "r");
  char* line = nullptr;
  size_t room = 0;
  ssize_t size = 0;
  while (said != nullptr && (size = ::getline(&line, &room, said)) > 0) {
    std::optional<std::string> program = built_program({line, static_cast<size_t>(size)});
    if (program && std::ranges::find(programs, *program) == programs.end()) {
      programs.push_back(*program);
    }
  }
  std::free(line);
  if (said != nullptr) {
    std::fclose(said);
  }
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
    return kOwnFailure;
  }
  return WEXITSTATUS(status);
}

}  // namespace

bool is_cargo_wick(std::string_view program) {
  return file_name_of(program) == "cargo-wick";
}

CargoCall split_cargo_words(const std::vector<std::string>& words) {
  CargoCall call;
  auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (*word == "--help" || *word == "-h") {
      call.asks_for_help = true;
    }
    const Flag* flag = find_wick_flag(*word);
    if (flag == nullptr) {
      call.cargo.push_back(*word);
      continue;
    }
    call.wick.push_back(*word);
    bool has_value = flag->kind != FlagKind::kSwitch && flag->kind != FlagKind::kOptional &&
                     word->find('=') == std::string::npos;
    if (has_value && word + 1 != end) {
      call.wick.push_back(*++word);
    }
  }
  if (end != words.end()) {
    call.program.assign(end + 1, words.end());
  }
  std::vector<std::string> build = {"build", "--message-format=json-render-diagnostics"};
  if (!chooses_profile(call.cargo)) {
    build.emplace_back("--release");
  }
  call.cargo.insert(call.cargo.begin(), build.begin(), build.end());
  return call;
}

// {"reason":"compiler-artifact",...,"executable":"/path/of/the/program",...}; null where it is
// none.
std::optional<std::string> built_program(std::string_view json_line) {
  int depth = 0;
  std::string last;  // the last string, a key when a colon follows
  std::string key;
  std::string reason;
  std::optional<std::string> program;
  std::string_view text = json_line;
  while (!text.empty()) {
    char c = text[0];
    text.remove_prefix(1);
    if (c == '"') {
      last = take_json_string(text);
      if (depth == 1 && key == "reason") {
        reason = last;
      } else if (depth == 1 && key == "executable") {
        program = last;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
      key.clear();
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':') {
      key = last;
    } else if (c == ',') {
      key.clear();
    }
  }
  return reason == "compiler-artifact" ? program : std::nullopt;
}

int run_cargo_wick(const std::vector<std::string>& arguments) {
  // cargo puts the name of the command first.
  bool named = !arguments.empty() && arguments[0] == "wick";
  CargoCall call = split_cargo_words({arguments.begin() + (named ? 1 : 0), arguments.end()});
  if (call.asks_for_help) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return kDone;
  }
  std::vector<std::string> programs;
  if (int status = build(call.cargo, programs); status != 0) {
    std::fprintf(stderr, "wick: the build failed, so nothing was recorded.\n");
    return status;
  }
  if (programs.size() != 1) {
    std::string names;
    for (const std::string& program : programs) {
      names += names.empty() ? "" : ", ";
      names += file_name_of(program);
    }
    std::fprintf(stderr,
                 "wick: the build produced %s; choose one with --bin NAME or --example NAME.\n",
                 programs.empty() ? "no program" : terminal_text(names).c_str());
    return kWorldWrong;
  }
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), call.wick.begin(), call.wick.end());
  words.insert(words.end(), {"--", programs[0]});
  words.insert(words.end(), call.program.begin(), call.program.end());
  return run_program(words);
}

}  // namespace wick
