// SPDX-License-Identifier: Apache-2.0
// Marks and spans arranged for drawing: tracks of threads, of CPUs, and by kind.
//
// A drawing looks up the next mark or span after each pixel, so its cost depends on the width, not on their number. For
// that, spans are in levels: within a level they do not overlap, so begins and ends both increase. The last level takes
// all that do not fit into the others; there an end is at least the one before it.

import type { ProfileInfo } from '../model/interface.ts';

export interface MarkTrack {
  label: string; // the kind; empty when unknown
  rows: Int32Array; // of ProfileInfo.marks, in the order of time
  times: Float64Array;
}

export interface SpanLevel {
  rows: Int32Array; // of ProfileInfo.spans
  begin: Float64Array;
  end: Float64Array;
}
export interface SpanTrack {
  label: string;
  count: number;
  levels: SpanLevel[];
}

export interface Moments {
  marks: MarkTrack[];
  spans: SpanTrack[]; // of no thread, by kind
  marksOf: (by: 'thread' | 'cpu', id: number) => Float64Array;
  spansOfThread: (thread: number) => SpanTrack | null;
}

const MOST_LEVELS = 3;
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
    times = Float64Array.from(marks, ({ time }) => time),
    timed = Int32Array.from(marks.keys()).filter((row) => !Number.isNaN(times[row]));
  const isSorted = timed.every((row, i) => i === 0 || times[timed[i - 1]] <= times[row]);
  if (!isSorted) timed.sort((a, b) => times[a] - times[b] || a - b);
  const inOrder = (at: number): number => timed[at];
  const lazily = <T>(make: () => T): (() => T) => {
    let made: T | undefined;
    return () => (made ??= make());
  };
  const marksBy = {
    thread: lazily(() => rowsByKey(timed.length, (at) => positive(marks[inOrder(at)].thread))),
    cpu: lazily(() => rowsByKey(timed.length, (at) => positive(marks[inOrder(at)].cpu))),
  };
  const spansBy = lazily(() => rowsByKey(count, (row) => positive(spans.thread[row])));
  const tracks = new Map<number, SpanTrack | null>();
  return {
    marks: markTracks(info, timed, times),
    spans: [...rowsByKey(count, (row) => (spans.thread[row] < 0 ? spans.kind[row] : null)).values()].map((rows) =>
      spanTrack(info, rows),
    ),
    marksOf: (by, id) => Float64Array.from(marksBy[by]().get(id) ?? [], (at) => times[inOrder(at)]),
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
  const byKind = [...rowsByKey(timed.length, (at) => marks[timed[at]].kind)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const track = (label: string, at: number[]): MarkTrack => ({
    label,
    rows: Int32Array.from(at, (i) => timed[i]),
    times: Float64Array.from(at, (i) => times[timed[i]]),
  });
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
  return { label: (isOneName && names[name[rows[0]]]) || ofKinds, count: rows.length, levels: inLevels(info, rows) };
}

function inLevels({ spans }: ProfileInfo, rows: number[]): SpanLevel[] {
  const parts: { rows: number[]; ends: number[] }[] = [];
  for (const row of rows) {
    const begin = spans.begin[row];
    if (Number.isNaN(begin)) continue;
    const end = spans.end[row] >= begin ? spans.end[row] : begin,
      free = parts.findIndex(({ ends }) => ends[ends.length - 1] <= begin);
    let level = free >= 0 ? free : Math.min(parts.length, MOST_LEVELS - 1);
    if (level === parts.length) parts.push({ rows: [], ends: [] });
    else if (free < 0) level = MOST_LEVELS - 1;
    const { rows: own, ends } = parts[level];
    own.push(row);
    ends.push(Math.max(end, ends[ends.length - 1] ?? end));
  }
  return parts.map(({ rows: own, ends }) => ({
    rows: Int32Array.from(own),
    begin: Float64Array.from(own, (row) => spans.begin[row]),
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
