// SPDX-License-Identifier: Apache-2.0
// The rows of the table of tracks, and their order: CPUs; or processes or groups by cost, with the threads of those that
// are open and the spans of each thread below it. Threads that are not drawn alone share a row.

import type { ProfileInfo, Timeline } from '../model/interface.ts';
import type { LaneRow } from './lane_painter.ts';
import { spanRows } from './moment_rows.ts';
import { momentsOf } from './moments.ts';
import { processLabels, threadLabels } from './profile_words.ts';
import { plural, visible } from './text.ts';

const MOST_SPAN_THREADS = 200; // without samples

type GroupRow = Extract<LaneRow, { kind: 'group' }>;

export interface LaneAnswer {
  lanes: Timeline; // of threads or CPUs
  parents: Timeline | null; // of processes or groups
}

export interface ListedAs {
  parents: GroupRow['of'];
  withNumbers: boolean;
  isOpen: (group: GroupRow) => boolean;
}

export function cpuRows({ lanes, weight }: Timeline): LaneRow[] {
  return Array.from(lanes, (cpu, lane) => ({
    kind: 'lane',
    id: cpu,
    lane,
    label: cpu < 0 ? '[unknown]' : `CPU ${cpu}`,
    weight: weight[lane],
    level: 1,
  }));
}

// Processes or groups by cost; their threads are in the order of the answer, which is also by cost.
export function threadRows(info: ProfileInfo, { lanes, parents }: LaneAnswer, as: ListedAs): LaneRow[] {
  const rows: LaneRow[] = [],
    ofParent = lanesByParent(info, lanes, as.parents),
    alone: number[] = []; // threads without a group or a row
  parents?.lanes.forEach((id, lane) => {
    const own = ofParent.get(id) ?? [],
      drawn = own.filter((i) => lanes.detail[i] >= 0),
      others = own.filter((i) => lanes.detail[i] < 0);
    if (own.length <= 1) {
      for (const i of drawn) rows.push(...threadAndSpans(info, lanes, i, null, as.withNumbers));
      alone.push(...others);
      return;
    }
    const label = as.parents === 'process' ? processLabels(info)[id] : info.threadGroups[id]?.label;
    const group: GroupRow = {
      kind: 'group',
      id,
      of: as.parents,
      lane,
      ids: own.map((i) => lanes.lanes[i]),
      label: visible(label ?? '[unknown]'),
      weight: parents.weight[lane],
    };
    rows.push(group);
    if (!as.isOpen(group)) return;
    for (const i of drawn) rows.push(...threadAndSpans(info, lanes, i, group, as.withNumbers));
    if (others.length > 0) rows.push(moreThreads(lanes, others, 2));
  });
  if (alone.length > 0) rows.push(moreThreads(lanes, alone, 1));
  return [...rows, ...spansOfOthers(info, as.withNumbers)];
}

function lanesByParent(info: ProfileInfo, { lanes }: Timeline, parents: GroupRow['of']): Map<number, number[]> {
  const ofParent = new Map<number, number[]>();
  lanes.forEach((thread, lane) => {
    const parent = thread < 0 ? -1 : parents === 'process' ? info.threads[thread].process : info.threads[thread].group,
      own = ofParent.get(parent);
    if (own) own.push(lane);
    else ofParent.set(parent, [lane]);
  });
  return ofParent;
}

function threadAndSpans(
  info: ProfileInfo,
  { lanes, weight }: Timeline,
  lane: number,
  group: GroupRow | null,
  withNumbers: boolean,
): LaneRow[] {
  const thread = lanes[lane],
    level = group ? 2 : 1,
    label = group?.of === 'process' ? labelBelow(info, group, thread) : labelOf(info, thread),
    row: LaneRow = { kind: 'lane', id: thread, lane, label, weight: weight[lane], level },
    spans = thread < 0 ? null : momentsOf(info).spansOfThread(thread);
  return spans ? [row, ...spanRows(spans, level + 1, withNumbers, threadLabels(info)[thread])] : [row];
}

function moreThreads({ weight }: Timeline, lanes: number[], level: number): LaneRow {
  return {
    kind: 'more',
    label: `${plural(lanes.length, 'more thread')}, less busy`,
    weight: lanes.reduce((sum, lane) => sum + weight[lane], 0),
    level,
  };
}

// A thread that only waits, or that a trace did not sample, has no activity.
function spansOfOthers(info: ProfileInfo, withNumbers: boolean): LaneRow[] {
  const rows: LaneRow[] = [],
    sampled = new Set(info.ownThreads),
    moments = momentsOf(info),
    others = moments.threadsWithSpans().filter((thread) => !sampled.has(thread));
  for (const thread of others.slice(0, MOST_SPAN_THREADS)) {
    const spans = moments.spansOfThread(thread);
    if (spans) rows.push(...spanRows(spans, 1, withNumbers, threadLabels(info)[thread]));
  }
  const hidden = others.length - MOST_SPAN_THREADS;
  if (hidden > 0)
    rows.push({ kind: 'more', label: `${plural(hidden, 'more thread')} with spans`, weight: null, level: 1 });
  return rows;
}

function labelOf(info: ProfileInfo, thread: number): string {
  return thread < 0 ? '[unknown]' : threadLabels(info)[thread];
}

// Below its process, the main thread would have the same label.
function labelBelow(info: ProfileInfo, process: GroupRow, thread: number): string {
  const label = labelOf(info, thread);
  return label === process.label && info.threads[thread].tid >= 0 ? `${label} (main thread)` : label;
}
