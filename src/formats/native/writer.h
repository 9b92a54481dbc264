// SPDX-License-Identifier: Apache-2.0
// NativeWriter: writes a profile that is still growing, flush by flush.
//
// Tables only grow, so append() writes the rows that were added since the last call, as chunks of
// at most 65,536 rows. finish() does the same and marks a clean end. Rows of processes, threads and
// similar tables may change while a recording runs; changed rows are written again. Losses and
// facts are small, and are written as a whole when they differ from the last time. Written bytes
// are never changed: between two calls the file is complete up to that point. The caller flushes
// the Output.
//
// finish() writes the samples in a few parts, and before each the rows that it refers to. So a
// finished file that was cut has the samples of the parts before the cut.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <zstd.h>

#include "base/output.h"
#include "base/result.h"
#include "formats/native/columns.h"
#include "formats/native/layout.h"
#include "profile/profile.h"

namespace wick::native {

class NativeWriter {
 public:
  // Writes the file header. `out` must outlive the writer.
  explicit NativeWriter(Output& out);

  // The profile must be valid, and the same one each time, with rows added. Fails only if a name is
  // too long for the format; Output::finish() reports disk errors.
  Result<> append(const Profile& profile);
  // The last append. Nothing may follow.
  Result<> finish(const Profile& profile);

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  // For each table, the number of its rows up to which something applies.
  using RowCounts = std::array<uint64_t, kTableCount>;

  // Makes `needed_` contain every row that the first `samples` refer to.
  void need_rows_of(const Profile& profile, size_t samples);
  Result<> write_tables(const Profile& profile, const RowCounts& ends);
  Result<> write_strings(const StringTable& strings, uint64_t end);
  template <typename Rows>
  void write_table(ProfileTable table, const Rows& rows, uint64_t end);
  void write_table(ProfileTable table, const SampleColumns& samples, uint64_t end);
  template <typename Rows>
  void write_rows(ProfileTable table, const Rows& rows, size_t begin, size_t end);
  template <typename Rows>
  void write_changed(ProfileTable table, const Rows& rows, uint64_t end);
  void write_sums(const Profile& profile, uint32_t type);
  void write_chunk(ChunkHeader header, const PayloadWriter& payload);
  uint64_t& written(ProfileTable table) { return written_[static_cast<size_t>(table)]; }

  Output& out_;
  uint32_t sequence_ = 0;
  uint32_t sums_sequence_ = 0;  // the value of sequence_ after the last chunk of sums
  RowCounts written_ = {};
  RowCounts needed_ = {};
  RowCounts followed_ = {};  // rows of needed_ whose references are in it, too
  std::vector<Cost> sums_;   // by event, of all samples written
  // Rows as they were written, for tables whose rows may change.
  std::tuple<std::vector<Source>,
             std::vector<Process>,
             std::vector<Thread>,
             std::vector<Event>,
             std::vector<Loss>,
             std::vector<Fact>>
      last_rows_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd_;
  std::string packed_;
};

}  // namespace wick::native
