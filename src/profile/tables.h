// SPDX-License-Identifier: Apache-2.0
// The row types of the profile: module, function, frame, thread, sample and so on, each followed by
// its columns.
//
// A repeated record is stored once, and other rows refer to it by its id. All text is a StringId
// into the profile's one string table.
//
// A field's initial value means "unknown". A reader gets it from a file without that column
// (schema.h). A reference to a row of the same table refers to an earlier row.
#pragma once

#include "profile/code_tables.h"
#include "profile/origin_tables.h"
#include "profile/sample_tables.h"
#include "profile/timeline_tables.h"
