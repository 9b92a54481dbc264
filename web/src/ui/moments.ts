// SPDX-License-Identifier: Apache-2.0
// Marks and spans arranged for drawing: tracks of threads, of CPUs, and by kind.
//
// A drawing looks up the next mark or span after each pixel, so its cost depends on the width, not on their number. For
// that, spans are in levels: within a level they do not overlap, so begins and ends both increase. The last level takes
// all that do not fit into the others; there an end is at least the one before it.

import { markAt, SPAN_STATES } from '../model/interface.ts';
import type { ProfileInfo, ReportGaps, ReportTrack, ReportTracks, SpanColumns } from '../model/interface.ts';

export interface MarkTrack {
  label: string; // the kind; empty when unknown
  times: Float64Array; // in order
  at: (index: number) => MarkAt; // by index of times
}
export interface MarkAt {
  label: string;
  value: number | null;
  unit: string; // of the value, or the name of the second clock that it is on; empty when unknown
  thread: number; // -1: of none
}

export interface SpanLevel {
  rows: Int32Array; // of ProfileInfo.spans
  begin: Float64Array;
  end: Float64Array;
}
// What the rows of a track's levels are: spans of the profile, or those of a report.
export interface SpanSource {
  begin: Float64Array;
  end: Float64Array;
  name: Int32Array; // into names
  names: string[];
  kind: ArrayLike<number>; // into kinds
  kinds: string[];
  state: (row: number) => SpanState;
}
export type SpanState = (typeof SPAN_STATES)[number];
export interface SpanTrack {
  label: string;
  count: number;
  levels: SpanLevel[];
  source: SpanSource;
  gaps: ReportGaps;
  // Frames of the span's stack, innermost first, of a report; null: the stack is one of the profile.
  framesOf: ((row: number) => string[]) | null;
}

export interface Moments {
  marks: MarkTrack[];
  spans: SpanTrack[]; // of no thread, by kind
  marksOf: (by: 'thread' | 'cpu', id: number) => Float64Array;
  spansOfThread: (thread: number) => SpanTrack | null;
  threadsWithSpans: () => number[];
}

const MOST_LEVELS = 8;
export const NO_GAPS: ReportGaps = { begin: new Float64Array(0), end: new Float64Array(0), reason: [] };
const OFF_CPU = 'off-CPU'; // the name of the kind in wick
const MOST_KINDS = 12; // tracks of marks; others share one

const known = new WeakMap<ProfileInfo, Moments>();

export function momentsOf(info: ProfileInfo): Moments {
  let moments = known.get(info);
  if (!moments) known.set(info, (moments = arrange(info)));
  return moments;
}

// The rows of each key, in order.
function rowsByKey<K>(count: number, keyOf: (row: number) => K | null): Map<K, number[]> {
  const rows = new Map<K, number[]>();
  for (let row = 0; row < count; row++) {
    const key = keyOf(row);
    if (key === null) continue;
    const own = rows.get(key);
    if (own) own.push(row);
    else rows.set(key, [row]);
  }
  return rows;
}

function arrange(info: ProfileInfo): Moments {
  const { marks, spans } = info,
    count = spans.begin.length,
    times = marks.time,
    timed = Int32Array.from(times.keys()).filter((row) => !Number.isNaN(times[row]));
  const isSorted = timed.every((row, i) => i === 0 || times[timed[i - 1]] <= times[row]);
  if (!isSorted) timed.sort((a, b) => times[a] - times[b] || a - b);
  const inOrder = (at: number): number => timed[at];
  const lazily = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  const marksBy = {
    thread: lazily(() => rowsByKey(timed.length, (at) => positive(marks.thread[inOrder(at)]))),
    cpu: lazily(() => rowsByKey(timed.length, (at) => positive(marks.cpu[inOrder(at)]))),
  };
  const timesBy = { thread: new Map<number, Float64Array>(), cpu: new Map<number, Float64Array>() };
  const spansBy = lazily(() => rowsByKey(count, (row) => positive(spans.thread[row])));
  const tracks = new Map<number, SpanTrack | null>();
  return {
    marks: markTracks(info, timed, times),
    spans: [...rowsByKey(count, (row) => (spans.thread[row] < 0 ? spans.kind[row] : null)).values()].map((rows) =>
      spanTrack(info, rows),
    ),
    marksOf(by, id) {
      let own = timesBy[by].get(id);
      if (!own) timesBy[by].set(id, (own = Float64Array.from(marksBy[by]().get(id) ?? [], (at) => times[inOrder(at)])));
      return own;
    },
    threadsWithSpans: () => [...spansBy().keys()].sort((a, b) => a - b),
    spansOfThread(thread) {
      let track = tracks.get(thread);
      if (track === undefined) {
        const rows = spansBy().get(thread);
        tracks.set(thread, (track = rows ? spanTrack(info, rows) : null));
      }
      return track;
    },
  };
}

const positive = (id: number): number | null => (id >= 0 ? id : null);

function markTracks({ marks }: ProfileInfo, timed: Int32Array, times: Float64Array): MarkTrack[] {
  const byKind = [...rowsByKey(timed.length, (at) => marks.kinds[marks.kind[timed[at]]])].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const track = (label: string, own: number[]): MarkTrack => {
    const rows = Int32Array.from(own, (i) => timed[i]);
    return {
      label,
      times: Float64Array.from(own, (i) => times[timed[i]]),
      at: (index) => ({ ...markAt(marks, rows[index]), unit: '' }),
    };
  };
  const own = byKind.slice(0, MOST_KINDS),
    others = byKind.slice(MOST_KINDS).flatMap(([, at]) => at);
  others.sort((a, b) => a - b);
  return [...own.map(([kind, at]) => track(kind, at)), ...(others.length > 0 ? [track('other marks', others)] : [])];
}

// Named after its spans if they have one name, else after their kinds.
function spanTrack(info: ProfileInfo, rows: number[]): SpanTrack {
  const { name, names, kind, kinds } = info.spans,
    used = new Set<number>();
  let isOneName = true;
  for (const row of rows) {
    used.add(kind[row]);
    isOneName &&= name[row] === name[rows[0]];
  }
  const ofKinds = [...used].map((id) => kinds[id] || 'spans').join(', ');
  return {
    label: (isOneName && names[name[rows[0]]]) || ofKinds,
    count: rows.length,
    levels: inLevels(info.spans, rows, nesting(info.spans)),
    source: { ...info.spans, state: (row) => (kinds[kind[row]] === OFF_CPU ? 'blocked' : 'work') },
    gaps: NO_GAPS,
    framesOf: null,
  };
}

export function reportSpanTrack({ frames }: ReportTracks, { title, spans, gaps }: ReportTrack): SpanTrack {
  const rows = Array.from(spans.begin.keys());
  return {
    label: title,
    count: rows.length,
    levels: inLevels(spans, rows, (row) => spans.depth[row]),
    source: { ...spans, state: (row) => SPAN_STATES[spans.state[row]] },
    gaps,
    framesOf(row) {
      const path: string[] = [];
      for (let at = spans.frame[row]; at >= 0; at = frames.parent[at]) path.push(frames.name[at]);
      return path;
    },
  };
}

export function reportMarkTrack({ title, marks }: ReportTrack): MarkTrack {
  return {
    label: title,
    times: marks.time,
    at: (index) => ({
      label: marks.name[index],
      value: Number.isNaN(marks.value[index]) ? null : marks.value[index],
      unit: marks.unit,
      thread: -1,
    }),
  };
}

// The level of a span at least: one below its parent, which is before it.
function nesting({ parent, begin, thread }: SpanColumns): (row: number) => number {
  const depths = new Uint8Array(begin.length);
  return (row) => {
    const above = parent[row];
    const isBelow = above >= 0 && above < row && thread[above] === thread[row];
    return (depths[row] = isBelow ? Math.min(MOST_LEVELS - 1, depths[above] + 1) : 0);
  };
}

function inLevels(
  { begin: begins, end: ends_ }: Pick<SpanSource, 'begin' | 'end'>,
  rows: number[],
  least: (row: number) => number,
): SpanLevel[] {
  const parts: { rows: number[]; ends: number[] }[] = [];
  for (const row of rows) {
    const begin = begins[row];
    if (Number.isNaN(begin)) continue;
    const end = ends_[row] >= begin ? ends_[row] : begin;
    let level = Math.min(least(row), MOST_LEVELS - 1);
    while (level < MOST_LEVELS - 1 && level < parts.length && parts[level].ends[parts[level].ends.length - 1] > begin)
      level++;
    while (parts.length <= level) parts.push({ rows: [], ends: [] });
    const { rows: own, ends } = parts[level];
    own.push(row);
    ends.push(Math.max(end, ends[ends.length - 1] ?? end));
  }
  return parts.map(({ rows: own, ends }) => ({
    rows: Int32Array.from(own),
    begin: Float64Array.from(own, (row) => begins[row]),
    end: Float64Array.from(ends),
  }));
}

// The first index from `from` on whose value is at least (or with `after`, above) `time`.
export function firstFrom(values: Float64Array, time: number, from = 0, after = false): number {
  let low = from,
    high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < time || (after && values[middle] === time)) low = middle + 1;
    else high = middle;
  }
  return low;
}
