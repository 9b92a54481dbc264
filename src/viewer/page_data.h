// SPDX-License-Identifier: Apache-2.0
// The data of a viewer page: the profile's own columns, small and quick to unpack in a browser.
//
//     page data = gzip parts, each unpacked by itself and then joined
//
//      0  8  "WICKPAGE"
//      8  4  version
//     12  4  bytes of the header
//     16     header: JSON with the words of the C++ side (page_words.h), what is known of each run
//            (title, facts, loss, notes, sums), how names say which source they are from, the
//            schema of all tables (page_tables.h), and for each column where and how it is stored
//            zeros up to a multiple of 8
//            columns (column_packer.h)
//
// Two runs (before, after) are merged first: they share all tables, so that a call path has one id
// in both.
//
// All text is terminal_text(): the page shows no control character or direction override, because
// none reaches it. Browsers have no zstd, hence gzip; parts bound what one string of the page
// holds, and are packed side by side. web/src/model/page_data.ts is the reader.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "viewer/packed_code.h"
#include "viewer/page_reports.h"

namespace wick {

inline constexpr uint32_t kPageVersion = 4;
// Of unpacked data; what is packed is smaller. Strings of browsers end near 512 MB.
inline constexpr size_t kPagePartBytes = 32 * 1024 * 1024;

// One recording and what the page says about it.
struct PageRun {
  Profile profile;
  std::string title;               // the file's name
  std::vector<std::string> notes;  // whole sentences
  std::vector<PageCode> code = {};
};

// Consumes one run, or two: before and after. An Error when they do not fit together.
Result<std::vector<std::string>> pack_page(std::vector<PageRun> runs,
                                           const std::vector<PageReport>& reports = {});

// The same before it is cut and compressed, for tests.
Result<std::string> page_bytes(std::vector<PageRun> runs,
                               const std::vector<PageReport>& reports = {});

}  // namespace wick
