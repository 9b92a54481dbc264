// The row types of the profile: what a module, function, frame, thread, sample ... is, each
// followed by its columns.
//
// Everything that repeats is interned: a record is stored once and named by its id from then on.
// All text is a StringId into the profile's one string table.
//
// A field's initial value means "unknown", and it is what a reader gets from a file without that
// column (schema.h). A reference to a row of the same table points to an earlier row.
#pragma once

#include "profile/code_tables.h"
#include "profile/origin_tables.h"
#include "profile/sample_tables.h"
#include "profile/timeline_tables.h"
