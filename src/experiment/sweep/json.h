// SPDX-License-Identifier: Apache-2.0
// The data of a sweep's page as JSON (`wick sweep --json` prints the report instead). A number
// that is unknown, or infinite, is null.
//
//     {"plan":{"name","directory","axes":[{"name","unit","values":[..],"numeric","log"}],
//       "metrics":[{"name","unit","better":"less"|"more","hidden"}],"areas":[name..]},
//      "machine":{"cpus","facts":[{"name","value"}],"findings":[{"what","why","advice"}]},
//      "notes":[..],
//      "points":[{"id","axes":{name:value},"at":[position..],"status","why","cut",
//        "failed_checks":[..],
//        "metrics":{name:{"median","low","high","mark":"best"|"worst"|"","n","values":[..]}},
//        "profile","page",
//        "samples","weight","unit","areas":{name:{"share","low","high"}},
//        "functions":[[name,self,total]..],"least_self"}],
//      "fits":[{"metric","axis","as":"value"|"inverse"|"per N","rest":{axis:value},"verdict",
//        "summary","note":[..],"lambda":{"value","low","high"},"sigma","kappa" or "ceiling",
//        "knee":{"at","low","high"}|null,"half":..|null,"r2","curve":[[n,value,low,high]..]}],
//      "ranking":[{"fit","point","efficiency","low","high"}],
//      "other": the same for the sweep compared with, if there is one}
#pragma once

#include "base/output.h"
#include "experiment/sweep/findings.h"

namespace wick {

void write_sweep_json(const Sweep& sweep, const Sweep* other, Output& out);

}  // namespace wick
