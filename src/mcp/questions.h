// SPDX-License-Identifier: Apache-2.0
// Answers the questions of an assistant about the allowed profiles: the tools of tools.h.
//
//     arguments -> allowed paths -> profile (from the cache) -> report (answer/) -> short JSON
//
// It reads profiles, the programs that they name, and allowed sources. It writes nothing, starts
// nothing and uses no network. An answer is never longer than kLongestAnswer: it loses rows first.
#pragma once

#include <string>
#include <vector>

#include "acquire/acquire.h"
#include "answer/answer.h"
#include "base/json.h"
#include "base/result.h"
#include "mcp/allowed_files.h"
#include "mcp/next.h"
#include "mcp/profile_cache.h"
#include "mcp/tools.h"

namespace wick::mcp {

inline constexpr size_t kLongestAnswer = 40'000;  // bytes

class Questions {
 public:
  // `sources` are folders whose source files may be shown, besides those in `allowed`.
  Questions(AllowedFiles allowed, AllowedFiles sources, acquire::Options options)
      : allowed_(std::move(allowed)), sources_(std::move(sources)), cache_(std::move(options)) {}

  // A JSON object on one line, or a sentence that says how to ask.
  Result<std::string> ask(const Tool& tool, const Json& given);

  const ProfileCache& cache() const { return cache_; }

 private:
  struct Answered {
    Report report;
    AnswerTraits traits;
  };
  struct FoundProfile {
    AllowedFiles::File file;
    const Format* format = nullptr;
  };
  struct Found {
    std::vector<FoundProfile> profiles;  // newest first; those that may be any text come last
    bool is_cut = false;                 // there are more files than wick looks at
  };
  Found find_profiles() const;
  Result<Answered> profiles() const;
  Result<Answered> about_profile(const Tool& tool, const Arguments& arguments);
  Result<Answered> about_comparison(const Tool& tool, const Arguments& arguments);

  Result<std::vector<std::string>> resolved(const std::vector<std::string>& paths) const;
  Result<std::string> newest_profile() const;

  AllowedFiles allowed_;
  AllowedFiles sources_;
  ProfileCache cache_;
};

}  // namespace wick::mcp
