// SPDX-License-Identifier: Apache-2.0
// CodeReader: the code behind the addresses of a profile, from the files on this machine.
//
// Only the recorded build will do: code of another one would put the heat on innocent instructions.
// The build id decides; where the recording has none, the function at the address must at least
// have the recorded name. What cannot be had is refused with a sentence that says what is missing:
//
//     a file that is not here, or of another build
//     the kernel, when neither its image is here nor its memory may be read
//     code made at run time, when its compiler wrote no dump of it
//
// Modules are opened once, and of a module only what is asked for is decoded: one function, and the
// units of debug information that it was compiled from.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "pipeline/code_module.h"
#include "pipeline/naming.h"
#include "profile/code.h"
#include "symbolize/disassembly.h"
#include "symbolize/kernel_symbols.h"
#include "symbolize/source_files.h"

namespace wick {

struct CodeOptions {
  AssemblySyntax syntax = AssemblySyntax::kAtt;
  std::vector<std::string> source_dirs;
};

class CodeReader : public CodeSource {
 public:
  CodeReader(NameSources sources, CodeOptions options);
  ~CodeReader() override;

  Result<FunctionCode> function_at(const Profile& profile, const Frame& frame) override;
  CodeChain locations_at(const Profile& profile, const Frame& frame) override;
  const SourceText& source(const std::string& file) override;

 private:
  Result<CodeModule*> open(const Profile& profile, const Frame& frame);
  Result<std::unique_ptr<CodeModule>> open_new(const Profile& profile,
                                               const Frame& frame,
                                               const std::string& path,
                                               const std::string& build_id);
  Result<std::unique_ptr<CodeModule>> open_kernel(const Profile& profile,
                                                  const Frame& frame,
                                                  const std::string& path,
                                                  const std::string& build_id);
  Result<std::unique_ptr<CodeModule>> open_generated(const Profile& profile,
                                                     const std::string& path);
  KernelSymbols& kernel(const Profile& profile);
  void use(const CodeModule& module);

  NameSources sources_;
  CodeOptions options_;
  std::unique_ptr<KernelSymbols> kernel_;  // when the kernel's code is asked for
  std::map<std::string, std::unique_ptr<CodeModule>> modules_;  // by path and build id
  std::map<std::string, SourceText> texts_;                     // by recorded path
  std::string binary_;                                          // the last that was asked for
  int64_t built_ = 0;                                           // when it was changed last
};

}  // namespace wick
