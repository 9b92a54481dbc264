// SPDX-License-Identifier: Apache-2.0
// Java Flight Recorder files, as the JDK (11 and later) and async-profiler write them.
//
// A file is a sequence of chunks. Each is complete in itself:
//
//     header       68 bytes, big-endian: "FLR\0", version (2 and 2), size 8, offset of the last
//                  checkpoint 8, of the metadata 8, start in ns since 1970 8, duration 8, start in
//                  ticks 8, ticks per second 8, features 4 (bit 0: integers are compressed)
//     events       size, type, and the fields that the metadata lists for the type
//         type 0   metadata: strings, then a tree of elements with attributes. An element "class"
//                  is a type, its elements "field" are the fields (metadata.h)
//         type 1   checkpoint: constant pools. A pool has the values of one type by their keys;
//                  fields refer to them (pools.h)
//         others   ids of types of the metadata
//
// Compressed integers have 7 bits in each byte, least significant first, and 8 in the ninth; short,
// char, int and long are written so, and all are big-endian otherwise. A text starts with a byte: 0
// null, 1 empty, 2 key of a constant, 3 UTF-8, 4 UTF-16 as char values, 5 Latin-1, each with its
// length.
//
//     event -> stack trace -> frames -> method -> class -> name
//           -> thread                          -> name
//
// These references have a fixed depth. Other references (class loaders, thread groups) can form
// cycles; wick does not follow them.
//
// events.cc lists the events that become samples. Each type is an event of the profile, and its
// name is the type's name. Their states and classes are labels.
#pragma once

#include "formats/formats.h"

namespace wick::jfr {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);

}  // namespace wick::jfr
