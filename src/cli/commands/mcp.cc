// SPDX-License-Identifier: Apache-2.0
// wick mcp: flags and words to the server of src/mcp, which answers on standard output.
#include <algorithm>
#include <array>

#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/load.h"
#include "mcp/server.h"
#include "mcp/transport.h"

namespace wick {
namespace {

constexpr std::array kMcpFlags = {
    Flag{"sources",
         '\0',
         FlagKind::kTexts,
         "DIR",
         "",
         "source files below this folder may be shown, too (repeatable)"},
};

// A server that other programs ask reads no other input, and it does not use the network.
std::vector<Flag> reading_flags() {
  std::vector<Flag> flags = input_flags();
  std::erase_if(flags,
                [](const Flag& flag) { return flag.name == "input" || flag.name == "debuginfod"; });
  return flags;
}

Result<int> run_mcp(const Invocation& call) {
  if (call.words.empty()) {
    return fail_usage(
        "Name the profiles, or folders with profiles, that the assistant may read: `wick mcp "
        "perf.data build/profiles`.");
  }
  mcp::AllowedFiles allowed = TRY(mcp::AllowedFiles::of(call.words));
  mcp::AllowedFiles sources = TRY(mcp::AllowedFiles::of(call.flags.texts("sources")));
  acquire::Options options = TRY(input_options(call.flags));
  options.progress = {};
  mcp::Server server(mcp::Questions(std::move(allowed), std::move(sources), std::move(options)));
  TRY(mcp::serve(server, STDIN_FILENO, STDOUT_FILENO));
  return kDone;
}

}  // namespace

Command mcp_command() {
  Command command{
      .name = "mcp",
      .help = "answer the questions of a coding assistant about profiles (MCP)",
      .words = "FILE|DIR...",
      .examples = {"wick mcp perf.data build/profiles", "wick mcp build/profiles --sources src"},
      .run = run_mcp,
      .family = VerbFamily::kFiles};
  append_flags(command.flags, kMcpFlags);
  append_flags(command.flags, reading_flags());
  return command;
}

}  // namespace wick
