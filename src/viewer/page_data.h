// SPDX-License-Identifier: Apache-2.0
// The data of a viewer page: the columns of a profile, small and fast to unpack in a browser.
//
//     page data = gzip parts; the reader unpacks each of them and joins the results
//
//      0  8  "WICKPAGE"
//      8  4  version
//     12  4  bytes of the header
//     16     header: JSON with
//              words and constants of the C++ side     page_words.h
//              cautions: sentences to read first
//              title, facts, loss, notes, sums         page_runs.h, for each run
//              the suffixes of sources in names
//              the schema of all tables                page_tables.h
//              reports                                 page_reports.h
//              source and assembly                     packed_code.h
//              offset and encoding of each column      column_packer.h
//            zeros up to a multiple of 8
//            columns: the profile's, those of reports, and the forms of names (page_ladders.h)
//
// wick first merges two runs (before, after). They share all tables, so a call path has one id in
// both.
//
// All text is terminal_text(), so no control character and no direction override reaches the page.
// Browsers cannot unpack zstd, so the parts are gzip. Parts limit the length of a string in the
// page, and wick packs them in parallel. web/src/model/page_data.ts is the reader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "viewer/packed_code.h"
#include "viewer/page_reports.h"

namespace wick {

inline constexpr uint32_t kPageVersion = 4;
// Before compression. Browsers limit a string to about 512 MB.
inline constexpr size_t kPagePartBytes = 32 * 1024 * 1024;

// One recording, or one side of a comparison, and the texts that the page shows about it.
struct PageRun {
  Profile profile;                 // of a side with several runs: all of them together
  std::string title;               // the file's name
  std::vector<std::string> notes;  // whole sentences
  std::vector<PageCode> code = {};
  std::vector<Profile> repeats = {};  // the single runs of a side, if there are several
};

// Consumes one run, or two: before and after. An Error if wick cannot merge them.
Result<std::vector<std::string>> pack_page(std::vector<PageRun> runs,
                                           const std::vector<PageReport>& reports = {});

// The data before they are split and compressed, for tests.
Result<std::string> page_bytes(std::vector<PageRun> runs,
                               const std::vector<PageReport>& reports = {});

}  // namespace wick
