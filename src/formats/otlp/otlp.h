// SPDX-License-Identifier: Apache-2.0
// Profiles of OpenTelemetry (OTLP, opentelemetry/proto/profiles/v1development), as protobuf: the
// message ProfilesData, which is also the request of the collector's service. Fields, in version
// 1.11:
//
//     ProfilesData        1 resource profiles*  2 dictionary
//     ResourceProfiles    1 resource: 1 attribute* (KeyValue)  2 scope profiles*
//     ScopeProfiles       1 scope  2 profile*
//     Profile             1 value type  2 sample*  3 time (fixed64, ns)  4 duration  5 period type
//                         6 period  7 id  8 dropped attributes  9, 10 original payload
//                         11 attribute*
//     Sample              1 stack  2 attribute*  3 link  4 value*  5 time* (fixed64, ns)
//     ProfilesDictionary  1 mapping*  2 location*  3 function*  4 link*  5 string*  6 attribute*
//                         7 stack*
//     Mapping             1 start  2 limit  3 file offset  4 file name  5 attribute*
//     Location            1 mapping  2 address  3 line*, innermost first  4 attribute*
//     Line                1 function  2 line  3 column
//     Function            1 name  2 linkage name  3 file  4 line of its start
//     Stack               1 location*, leaf first
//     attribute           1 key  2 value (AnyValue)  3 unit
//     KeyValue            1 key as text  2 value (AnyValue)  3 key
//     AnyValue            1 text  2 bool  3 whole number  4 number  7 bytes  8 text as a string's number
//
// References are row numbers of the dictionary's tables; row 0 of each is empty and means "none".
//
// Versions: 1.10 gave the fields of Sample these numbers; 1.8 and 1.9 have 2 value*, 3 attribute*,
// 4 link. Up to 1.7, a sample is a range of a list of locations. The version is not in the file, so
// Shape (shape.h) looks at all of it. wick reads 1.8 to 1.11, and names older files.
//
// How this becomes a profile, and the reverse:
//
//     a profile      an event. A unit "count" is the name of what is counted
//     a sample       a row for each time; without times, one row
//     resource       process.pid and process.executable.name are the process, host.name the host;
//                    other attributes are labels
//     attributes     thread.id and thread.name are the thread, cpu.logical_number the CPU; others
//                    are labels. profile.frame.type of a location is the language, or the kernel
//     mapping        an address without a mapped start is as linked; else it becomes an offset in
//                    the file. process.executable.build_id.gnu (or .htlhash) is the build id
//     link           labels trace_id and span_id
//
// Written: version 1.11, one resource for each process. Not in the format: spans, counters, marks,
// branches, how frames were found and stacks ended. Times are written as UTC, if the recording knows
// it, and else as they are.
#pragma once

#include "formats/formats.h"

namespace wick::otlp {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

inline constexpr std::string_view kBuildId = "process.executable.build_id.gnu";
inline constexpr std::string_view kOtherBuildId = "process.executable.build_id.htlhash";
inline constexpr std::string_view kFrameType = "profile.frame.type";
inline constexpr std::string_view kProcessPid = "process.pid";
inline constexpr std::string_view kProcessName = "process.executable.name";
inline constexpr std::string_view kHostName = "host.name";
inline constexpr std::string_view kServiceName = "service.name";
inline constexpr std::string_view kUnknownService = "unknown_service";
inline constexpr std::string_view kThreadId = "thread.id";
inline constexpr std::string_view kThreadName = "thread.name";
inline constexpr std::string_view kCpu = "cpu.logical_number";

}  // namespace wick::otlp
