// SPDX-License-Identifier: Apache-2.0
// Tracks of reports (src/report/tracks.h): wick sends them as tables of several shapes, whose columns say their role.
// A section of the shape "tracks" lists the tracks; the sections after it have their rows.
import type { ReportArrows, ReportGaps, ReportLine, ReportSpans, ReportTrack, ReportTracks } from './interface.ts';
import { numberTexts, SPAN_STATES } from './tables.ts';

export interface RoleColumn {
  role: string;
  text: string[]; // one of text and number is empty
  number: Float64Array;
  low: Float64Array;
  high: Float64Array;
}
export interface ShapedSection {
  shape: string;
  rows: number;
  columns: RoleColumn[];
}

const STATES: readonly string[] = SPAN_STATES;
const NONE = new Float64Array(0);

// A table, and the rows of each track in it.
class Part {
  private readonly own: Map<number, number[]> | null = null;

  constructor(
    private readonly section: ShapedSection | undefined,
    byTrack = true,
  ) {
    if (!section || !byTrack) return;
    this.own = new Map<number, number[]>();
    this.numbers('track').forEach((track, row) => {
      const rows = this.own!.get(track);
      if (rows) rows.push(row);
      else this.own!.set(track, [row]);
    });
  }

  private find(role: string): RoleColumn | undefined {
    return this.section?.columns.find((column) => column.role === role);
  }
  rowsOf(track: number): number[] {
    return this.own?.get(track) ?? [];
  }
  numbers(role: string): Float64Array {
    return this.find(role)?.number ?? NONE;
  }
  bound(role: string, which: 'low' | 'high'): Float64Array {
    return this.find(role)?.[which] ?? NONE;
  }
  texts(role: string): string[] {
    return this.find(role)?.text ?? [];
  }
}

const pick = (numbers: Float64Array, rows: number[]): Float64Array => Float64Array.from(rows, (row) => numbers[row]);

function gapsOf(part: Part, rows: number[]): ReportGaps {
  const reasons = part.texts('reason');
  return {
    begin: pick(part.numbers('time'), rows),
    end: pick(part.numbers('until'), rows),
    reason: rows.map((row) => reasons[row]),
  };
}

// Rows of one line are next to each other.
function linesOf(part: Part, rows: number[]): ReportLine[] {
  const names = part.texts('name');
  const times = part.numbers('time');
  const lines: number[][] = [];
  for (const row of rows) {
    const last = lines[lines.length - 1];
    const before = last?.[last.length - 1];
    if (before !== undefined && names[before] === names[row] && times[before] <= times[row]) last.push(row);
    else lines.push([row]);
  }
  return lines.map((own) => {
    const low = pick(part.bound('value', 'low'), own);
    const hasBand = part.bound('value', 'low').length > 0 && low.some((value) => !Number.isNaN(value));
    return {
      name: names[own[0]],
      unit: part.texts('unit')[own[0]] ?? '',
      time: pick(times, own),
      value: pick(part.numbers('value'), own),
      low: hasBand ? low : NONE,
      high: hasBand ? pick(part.bound('value', 'high'), own) : NONE,
    };
  });
}

function spansOf(part: Part, rows: number[]): ReportSpans {
  const names = numberTexts(rows.map((row) => part.texts('name')[row]));
  const kinds = numberTexts(rows.map((row) => part.texts('category')[row]));
  const states = part.texts('state');
  return {
    begin: pick(part.numbers('time'), rows),
    end: pick(part.numbers('until'), rows),
    depth: Int32Array.from(rows, (row) => part.numbers('depth')[row]),
    state: Uint8Array.from(rows, (row) => Math.max(0, STATES.indexOf(states[row]))),
    name: names.ids,
    names: names.texts,
    kind: kinds.ids,
    kinds: kinds.texts,
    frame: Int32Array.from(rows, (row) => idOrNone(part.numbers('stack')[row])),
  };
}

// Unknown numbers are NaN.
const idOrNone = (value: number): number => (Number.isNaN(value) ? -1 : value);

function readOne(sections: ShapedSection[]): ReportTracks {
  const section = (shape: string): ShapedSection | undefined => sections.find((own) => own.shape === shape);
  const list = new Part(section('tracks'), false);
  const [points, spans, marks, gaps] = ['points', 'spans', 'marks', 'gaps'].map((shape) => new Part(section(shape)));
  const arrows = new Part(section('arrows'), false);
  const stacks = new Part(section('stacks'), false);
  const levels = list.numbers('depth');
  const tracks = list.texts('name').map((title, track): ReportTrack => {
    const marked = marks.rowsOf(track);
    return {
      title,
      level: levels[track],
      kind: list.texts('category')[track],
      lines: linesOf(points, points.rowsOf(track)),
      spans: spansOf(spans, spans.rowsOf(track)),
      marks: {
        time: pick(marks.numbers('time'), marked),
        name: marked.map((row) => marks.texts('name')[row]),
        value: pick(marks.numbers('value'), marked),
        unit: marks.texts('unit')[marked.find((row) => marks.texts('unit')[row] !== '') ?? -1] ?? '',
      },
      gaps: gapsOf(gaps, gaps.rowsOf(track)),
    };
  });
  const ids = (role: string): Int32Array => Int32Array.from(arrows.numbers(role));
  const read: ReportArrows = {
    from: ids('track'),
    to: ids('to_track'),
    begin: arrows.numbers('time'),
    end: arrows.numbers('until'),
    name: arrows.texts('name'),
    frame: Int32Array.from(arrows.numbers('stack'), idOrNone),
  };
  // A root is its own parent in wick, and unknown in the table.
  const parent = Int32Array.from(stacks.numbers('parent'), idOrNone);
  return { tracks, arrows: read, frames: { name: stacks.texts('name'), parent } };
}

export function readTracks(sections: ShapedSection[]): ReportTracks[] {
  const lists: ShapedSection[][] = [];
  for (const section of sections) {
    if (section.shape === 'tracks') lists.push([section]);
    else lists[lists.length - 1]?.push(section);
  }
  return lists.map(readOne);
}
