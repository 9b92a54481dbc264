// SPDX-License-Identifier: Apache-2.0
// The ids of the profile's tables. An id is the number of a row. Each table has its own type, so
// the compiler rejects an id of the wrong table (base/id.h).
#pragma once

#include "base/id.h"

namespace wick {

using SourceId = Id<struct SourceTag>;
using ModuleId = Id<struct ModuleTag>;
using FunctionId = Id<struct FunctionTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;
using ProcessId = Id<struct ProcessTag>;
using ThreadId = Id<struct ThreadTag>;
using EventId = Id<struct EventTag>;
using LabelId = Id<struct LabelTag>;
using LabelSetId = Id<struct LabelSetTag>;
using EdgeId = Id<struct EdgeTag>;
using BranchSetId = Id<struct BranchSetTag>;
using SpanId = Id<struct SpanTag>;
using SeriesId = Id<struct SeriesTag>;
using BlockId = Id<struct BlockTag>;
using LossId = Id<struct LossTag>;

}  // namespace wick
