// SPDX-License-Identifier: Apache-2.0
#include "answer/built_programs.h"

#include "analyze/builds.h"
#include "base/program_path.h"
#include "symbolize/program_build.h"

namespace wick {
namespace {

BuiltProgram built_program(const FileSearch& search,
                           const std::string& name,
                           const std::string& path) {
  CodeBuild build = build_of_program(search, path);
  return {.name = name, .build = {std::move(build.text), build.kind}};
}

}  // namespace

std::vector<std::string> cautions_about_commands(std::span<const std::string> words) {
  std::vector<BuiltProgram> programs;
  for (const std::string& word : words) {
    programs.push_back(built_program(default_file_search(), word, program_path(word)));
  }
  return program_cautions(programs);
}

std::vector<std::string> cautions_about_files(FileSearch search,
                                              std::span<const std::string> paths) {
  search.symfs.clear();  // it is for recorded paths
  std::vector<BuiltProgram> programs;
  for (const std::string& path : paths) {
    programs.push_back(built_program(search, path, path));
  }
  return program_cautions(programs);
}

}  // namespace wick
