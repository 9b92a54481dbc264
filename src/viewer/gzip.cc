// SPDX-License-Identifier: Apache-2.0
#include "viewer/gzip.h"

#define ZLIB_CONST  // declares that zlib does not write its input
#include <zlib.h>

#include "base/check.h"

namespace wick {
namespace {

// Compared with level 6, pages are 5 % larger, and wick makes them in half the time.
constexpr int kLevel = 4;
constexpr int kGzipWindow = 16 + MAX_WBITS;

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream = {};
  CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  auto at = [&](size_t i) -> unsigned {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
  };
  for (size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    text.push_back(kDigits[group >> 18]);
    text.push_back(kDigits[group >> 12 & 63]);
    text.push_back(i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=');
    text.push_back(i + 2 < bytes.size() ? kDigits[group & 63] : '=');
  }
  return text;
}

}  // namespace wick
