// SPDX-License-Identifier: Apache-2.0
// Which version of OTLP a file has. It does not say so, and several versions gave numbers of fields a
// new meaning, so the kinds of all fields in the whole file decide:
//
//     up to 1.7      Profile.3 is a list of numbers, not a fixed64
//     1.8 and 1.9    Sample.3 is a list (attributes), Sample.4 one number (link)
//     from 1.10 on   Sample.3 is one number (link), Sample.4 a list (values)
//
// Where no sample has field 3 or 4, field 2 is a list of values (old) or of attributes (new). It is
// values if some of its numbers is not a row of the attributes, or if a sample has no times: then it
// would have no values at all in the new version. A file that fits both cannot be decided.
#pragma once

#include "base/bytes.h"
#include "formats/otlp/message.h"

namespace wick::otlp {

enum class Version : uint8_t { kNew, kOld, kAncient, kUndecided };

// The fields of Sample that moved.
struct SampleFields {
  uint32_t attributes = 2;
  uint32_t link = 3;
  uint32_t values = 4;
};

class Shape {
 public:
  explicit Shape(const Dictionary& dictionary) : dictionary_(dictionary) {}

  void add_profile(Bytes profile);
  Version version() const;

 private:
  void add_sample(Bytes sample);

  const Dictionary& dictionary_;
  bool is_ancient_ = false;
  bool has_old_fields_ = false;
  bool has_new_fields_ = false;
  bool has_ambiguous_ = false;    // field 2, times, and neither 3 nor 4
  bool has_only_values_ = false;  // field 2 must be values
};

}  // namespace wick::otlp
