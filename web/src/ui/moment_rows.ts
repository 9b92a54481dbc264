// SPDX-License-Identifier: Apache-2.0
// The rows of tracks that are not activity: spans, counters, marks, the tracks of reports, and losses.

import type { CounterInfo, ProfileInfo } from '../model/interface.ts';
import { allGaps } from './gaps.ts';
import type { LaneRow, SpansRow } from './lane_painter.ts';
import { momentsOf, NO_GAPS, reportMarkTrack, reportSpanTrack, type MarkTrack, type SpanTrack } from './moments.ts';
import { plural, visible } from './text.ts';
import { secondClockName } from './time_axis.ts';

const MOST_COUNTERS = 200;

// In a table every level has a row, where names have room; elsewhere all levels share one.
export function spanRows(track: SpanTrack, level: number, isTable: boolean, thread = ''): SpansRow[] {
  const label = visible(track.label),
    { length } = track.levels,
    isNested = isTable && length > 1;
  if (!isNested) return [{ kind: 'spans', track, first: 0, last: Math.max(1, length), label, level, thread }];
  return track.levels.map((_, first) => ({
    kind: 'spans',
    track,
    first,
    last: first + 1,
    label: first === 0 ? label : `${label}, level ${first + 1}`,
    level: first === 0 ? level : level + 1,
    thread,
  }));
}

function counterRow({ label, name, unit, time, value, low, high }: CounterInfo, end: number): LaneRow {
  const hasBand = low.some((bound) => !Number.isNaN(bound)),
    none = new Float64Array(0),
    lines = [{ name, unit, time, value, low: hasBand ? low : none, high: hasBand ? high : none }];
  return {
    kind: 'series',
    lines,
    gaps: allGaps(lines, NO_GAPS, end),
    label: visible(label),
    level: 1,
  };
}

// `at` is the position of the track's first row, by report and track.
function reportRows(info: ProfileInfo, isTable: boolean, rows: LaneRow[]): number[][] {
  return info.tracks.map((report) =>
    report.tracks.map((track) => {
      const at = rows.length,
        label = visible(track.title),
        level = track.level + 1;
      if (track.kind === 'spans') rows.push(...spanRows(reportSpanTrack(report, track), level, isTable));
      else if (track.kind === 'marks') rows.push({ kind: 'marks', track: reportMarkTrack(track), label });
      else {
        const gaps = allGaps(track.lines, track.gaps, info.duration);
        rows.push({ kind: 'series', lines: track.lines, gaps, label, level });
      }
      return at;
    }),
  );
}

interface MomentRows {
  rows: LaneRow[];
  ofReports: number[][]; // by report and track: the position of its first row
}

// They do not depend on filters, so they are made once.
const known = new WeakMap<ProfileInfo, Map<boolean, MomentRows>>();

export function momentRows(info: ProfileInfo, isTable: boolean): MomentRows {
  let made = known.get(info);
  if (!made) known.set(info, (made = new Map<boolean, MomentRows>()));
  let own = made.get(isTable);
  if (!own) made.set(isTable, (own = makeRows(info, isTable)));
  return own;
}

function makeRows(info: ProfileInfo, isTable: boolean): MomentRows {
  const moments = momentsOf(info),
    rows: LaneRow[] = moments.spans.flatMap((track) => spanRows(track, 1, isTable));
  rows.push(...info.counters.slice(0, MOST_COUNTERS).map((counter) => counterRow(counter, info.duration)));
  const hidden = info.counters.length - MOST_COUNTERS;
  if (hidden > 0) rows.push({ kind: 'more', label: plural(hidden, 'more counter'), weight: null, level: 1 });
  for (const track of moments.marks)
    rows.push({
      kind: 'marks',
      track,
      label: track.label ? visible(track.label) : plural(track.times.length, 'mark'),
    });
  const ofReports = reportRows(info, isTable, rows),
    losses = info.lossMoments.begin.length;
  if (losses > 0) rows.push({ kind: 'losses', label: plural(losses, 'loss', 'losses') });
  return { rows, ofReports };
}

// The unit of a track's values: that of the first mark that has one.
export function markUnit({ times, at }: MarkTrack, info: ProfileInfo): string {
  for (let i = 0; i < Math.min(times.length, 100); i++) {
    const { value, unit } = at(i);
    if (value !== null) return unit || secondClockName(info);
  }
  return '';
}
