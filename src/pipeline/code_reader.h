// SPDX-License-Identifier: Apache-2.0
// CodeReader: the code at the addresses of a profile, from the files on this machine.
//
// Only the recorded build is correct: with the code of another build, samples would appear at the
// wrong instructions. The build id decides. If the recording has none, the function at the address
// must at least have the recorded name. If the code is not available, the Error says what is
// missing:
//
//     a file that does not exist on this machine, or is of another build
//     the kernel, if its image does not exist and its memory is not readable
//     the kernel or a program of another system, if --symbols does not name its file
//     code generated at run time, if its compiler wrote no dump
//
// CodeReader opens each module once, and decodes only the requested part: one function, and the
// units of debug information that it was compiled from.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "isa/instruction.h"
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
  // Asked before a source file is opened; empty: every file may be shown.
  std::function<bool(const std::string& path)> may_show_source = {};
};

class CodeReader : public CodeSource {
 public:
  CodeReader(NameOptions sources, CodeOptions options);
  ~CodeReader() override;

  Result<FunctionCode> function_at(const Profile& profile, const Frame& frame) override;
  CodeChain locations_at(const Profile& profile, const Frame& frame) override;
  const SourceText& source(const std::string& file) override;

  // Up to `size` bytes of code from the frame's address on, borrowed until the next call.
  struct Straight {
    isa::InstructionSet instructions;
    Bytes bytes;
  };
  Result<Straight> straight_at(const Profile& profile, const Frame& frame, uint64_t size);

 private:
  static Result<> check_name(const Profile& profile,
                             const Frame& frame,
                             const CodeModule& module,
                             const CodeRange& range);
  Result<CodeModule*> open(const Profile& profile, const Frame& frame);
  Result<std::unique_ptr<CodeModule>> open_new(const Profile& profile,
                                               const Frame& frame,
                                               const std::string& path,
                                               const std::string& build_id);
  Result<std::unique_ptr<CodeModule>> open_kernel(const Profile& profile,
                                                  const Frame& frame,
                                                  const std::string& path,
                                                  const std::string& build_id);
  Result<std::unique_ptr<CodeModule>> open_foreign(const std::string& path);
  Result<std::unique_ptr<CodeModule>> open_generated(const Profile& profile,
                                                     const std::string& path);
  KernelSymbols& kernel(const Profile& profile);
  void use(const CodeModule& module);

  NameOptions sources_;
  CodeOptions options_;
  std::unique_ptr<KernelSymbols> kernel_;                       // opened for the first kernel frame
  std::map<std::string, std::unique_ptr<CodeModule>> modules_;  // by path and build id
  std::map<std::string, SourceText> texts_;                     // by recorded path
  std::string binary_;                                          // of the last request
  int64_t built_ = 0;                                           // time of its last change
};

}  // namespace wick
