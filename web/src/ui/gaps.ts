// SPDX-License-Identifier: Apache-2.0
// Times without data of a track of lines: those that a report explains, and those at which no line has a known value,
// which is so before the first point, too. As all_gaps() of src/views/track_columns.h, so the page, pictures and the terminal
// draw the same.

import type { ReportGaps, ReportLine } from '../model/interface.ts';

const NOT_KNOWN = 'the value is not known';

// In order, until the `end` of the recording.
export function allGaps(lines: ReportLine[], gaps: ReportGaps, end: number): ReportGaps {
  const explained: [number, number][] = Array.from(gaps.begin, (begin, gap) => [begin, gaps.end[gap]]),
    all: [number, number, string][] = explained.map(([begin, until], gap) => [begin, until, gaps.reason[gap]]);
  for (const { time, value } of lines) {
    let run: [number, number] | null = null; // of points with a value
    for (let at = 0; at < time.length; at++) {
      if (Number.isNaN(value[at])) {
        run = null;
        continue;
      }
      if (run === null) explained.push((run = [time[at], 0]));
      run[1] = at + 1 < time.length ? time[at + 1] : Infinity;
    }
  }
  explained.sort(([a], [b]) => a - b);
  let until = 0;
  for (const [begin, last] of [...explained, [end, end] as const]) {
    if (Math.min(begin, end) > until) all.push([until, Math.min(begin, end), NOT_KNOWN]);
    until = Math.max(until, last);
  }
  all.sort(([a], [b]) => a - b);
  return {
    begin: Float64Array.from(all, ([begin]) => begin),
    end: Float64Array.from(all, ([, last]) => last),
    reason: all.map(([, , reason]) => reason),
  };
}
