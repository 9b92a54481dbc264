// SPDX-License-Identifier: Apache-2.0
#include "formats/native/native.h"

#include <memory>

#include <zstd.h>

#include "base/check.h"
#include "base/escape.h"
#include "formats/native/account.h"
#include "formats/native/assembly.h"
#include "formats/native/chunk_scanner.h"
#include "formats/native/repair.h"
#include "formats/native/writer.h"
#include "profile/validate.h"

namespace wick::native {
namespace {

// Unpacks payloads into one buffer that is reused.
class Unpacker {
 public:
  Unpacker() : zstd_(ZSTD_createDCtx()) { CHECK(zstd_ != nullptr); }

  // The result is valid until the next call. An error is a clause that says what is wrong with the
  // payload.
  Result<Bytes> unpack(const ChunkHeader& header, Bytes stored) {
    if (header.compression == Compression::kNone) {
      if (header.plain_bytes != header.stored_bytes) {
        return fail("its sizes contradict each other");
      }
      return stored;
    }
    // Checked before anything is allocated: a compression bomb either states its size or is
    // refused.
    if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != header.plain_bytes) {
      return fail("it does not unpack to the size it claims");
    }
    if (plain_.size() < header.plain_bytes) {
      plain_.resize(header.plain_bytes);
    }
    size_t size = ZSTD_decompressDCtx(
        zstd_.get(), plain_.data(), header.plain_bytes, stored.data(), stored.size());
    if (ZSTD_isError(size) != 0 || size != header.plain_bytes) {
      return fail("it does not unpack");
    }
    return as_bytes(std::string_view(plain_).substr(0, size));
  }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, FreeContext> zstd_;
  std::string plain_;
};

class Reader {
 public:
  explicit Reader(Input& input) : input_(input), scanner_(input) {}

  Result<Profile> run() {
    TRY(scanner_.open());
    uint64_t chunks = 0;
    while (!account_.ended()) {
      std::optional<ScannedChunk> chunk = scanner_.next();
      if (!chunk) {
        break;
      }
      ++chunks;
      take(*chunk);
    }
    if (chunks == 0 && scanner_.header_damaged()) {
      return fail("{} is not a .wick file, or is damaged beyond recovery.",
                  terminal_text(input_.name()));
    }
    account_.set_bytes_after_end(scanner_.drain());
    account_.count_lost_rows(assembly_);
    Repaired repaired = repair(std::move(assembly_));
    if (is_version0_) {
      version0::upgrade_facts(repaired.profile);
    }
    account_.report(scanner_, repaired);
    if (Result<> valid = validate(repaired.profile); !valid) {
      return fail("Cannot use {}. {}", terminal_text(input_.name()), valid.error().message);
    }
    return std::move(repaired.profile);
  }

 private:
  void take(const ScannedChunk& chunk) {
    const ChunkHeader& header = chunk.header;
    is_version0_ = is_version0_ || header.version == 0;
    if (!account_.expects(chunk)) {
      return;
    }
    std::optional<ProfileTable> table = table_of_type(header.type);
    if (table) {
      account_.expect_rows(*table, header);
    }
    if (!chunk.damage.empty()) {
      account_.lost_chunk(chunk, chunk.damage);
    } else if (!table && header.type != kSumsType && header.type != kEndType) {
      account_.unknown_chunk(chunk);
    } else if (Result<> taken = take_payload(chunk, table); !taken) {
      account_.lost_chunk(chunk, taken.error().message);
    }
  }

  Result<> take_payload(const ScannedChunk& chunk, std::optional<ProfileTable> table) {
    const ChunkHeader& header = chunk.header;
    if (header.version > kVersion || header.compression > Compression::kZstd) {
      return fail("it can only be read by a newer wick");
    }
    Bytes plain = TRY(unpacker_.unpack(header, chunk.stored));
    PayloadReader payload = TRY(PayloadReader::open(plain, header.rows));
    if (table) {
      TRY(assembly_.add(*table,
                        header,
                        payload,
                        {.file_bytes = scanner_.offset(), .lost_chunks = account_.lost_chunks()}));
    } else if (header.first_row != 0) {
      return fail("sums have no row numbers");
    } else {
      std::vector<SumRow> sums = TRY(decode_rows<SumRow>(payload, header.rows));
      account_.take_sums(header, sums, assembly_);
    }
    for (uint16_t column : payload.unread()) {
      account_.unknown_column(chunk, column);
    }
    return {};
  }

  Input& input_;
  ChunkScanner scanner_;
  Unpacker unpacker_;
  Assembly assembly_;
  Account account_;
  bool is_version0_ = false;
};

}  // namespace

bool sniff(Bytes head) {
  // After a damaged file header there is still a chunk.
  return as_text(head).starts_with(kMagic) ||
         (head.size() > kFileHeaderBytes && decode_chunk_header(head.subspan(kFileHeaderBytes)));
}

Result<Profile> read(Input& input, const FlagValues&) {
  return Reader(input).run();
}

Result<> write(const Profile& profile, const FlagValues&, Output& out) {
  return NativeWriter(out).finish(profile);
}

}  // namespace wick::native
