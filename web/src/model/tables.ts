// SPDX-License-Identifier: Apache-2.0
// The tables that the page uses: the one declaration of each column that it reads.
//
// A reader lists columns by the names of src/profile (columns.ts looks them up), and its return type is the type of the
// table. So a column for a view or the model needs one line here and its use: the type has it, it is cut into runs, and
// generated profiles (fake.ts) have its default. A page without the column also has that default: 0, or -1 for ids.
//
// There are two layouts: columns for many rows (samples, frames, spans, marks), objects for few rows (processes).
import type { Columns } from './columns.ts';

export type RowOf<T> = { [Name in keyof T]: T[Name] extends ArrayLike<infer Value> ? Value : never };

// One object for each row of columns with equal lengths.
export function rowsOf<T extends Record<string, ArrayLike<unknown>>>(columns: T): RowOf<T>[] {
  const names = Object.keys(columns) as (keyof T)[];
  return Array.from(columns[names[0]], (_, row) => {
    const object = {} as RowOf<T>;
    for (const name of names) object[name] = columns[name][row] as RowOf<T>[keyof T];
    return object;
  });
}

// "name number (host)", as the command line labels threads and processes.
function numbered(names: string[], numbers: Float64Array, suffixes: string[]): string[] {
  const separator = (row: number): string => (names[row] === '' || numbers[row] < 0 ? '' : ' ');
  return names.map((name, row) => `${name}${separator(row)}${numbers[row] < 0 ? '' : numbers[row]}${suffixes[row]}`);
}

// ---- The origin of rows ----------------------------------------------------------------------------------

// `suffixes`, by source, are from the page's header.
export const readSources = (columns: Columns, suffixes: string[]) => {
  const host = columns.texts('source.host');
  return rowsOf({
    host, // the machine's name, empty when unknown
    guestOf: columns.ids('source.guest_of'), // the machine that runs this one; -1: it is not a guest
    suffix: host.map((_, row) => suffixes[row] ?? ''), // of names: " (host)" if there are several hosts, else empty
  });
};
export type SourceInfo = ReturnType<typeof readSources>[number];

const suffixesOf = (sources: SourceInfo[], rows: Int32Array): string[] =>
  Array.from(rows, (source) => sources[source]?.suffix ?? '');

export const readProcesses = (columns: Columns, sources: SourceInfo[]) => {
  const pid = columns.f64('process.pid');
  const name = columns.texts('process.name');
  const source = columns.ids('process.source');
  return rowsOf({
    pid, // -1 when unknown
    name,
    label: numbered(name, pid, suffixesOf(sources, source)), // "name pid"
    source, // which machine, boot and run it is from; -1 when unknown
    parent: columns.ids('process.parent'), // -1 when unknown
    command: columns.texts('process.command'), // with its arguments, empty when unknown
  });
};
export type ProcessInfo = ReturnType<typeof readProcesses>[number];

// Times are those of the first run.
export const readThreads = (columns: Columns, sources: SourceInfo[], processes: ProcessInfo[]) => {
  const tid = columns.f64('thread.tid');
  const name = columns.texts('thread.name');
  const process = columns.ids('thread.process');
  return rowsOf({
    tid, // -1 when unknown
    process, // -1 when unknown
    name,
    label: numbered(
      name,
      tid,
      suffixesOf(
        sources,
        process.map((id) => processes[id]?.source ?? -1),
      ),
    ), // "name tid"
    begin: columns.times('thread.begin_ns'), // NaN when unknown
    end: columns.times('thread.end_ns'),
  });
};
export type ThreadRow = ReturnType<typeof readThreads>[number];

// ---- Code --------------------------------------------------------------------------------------------------

// The part of a path after the last slash; the whole path if it ends in one.
export function baseName(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 || slash + 1 === path.length ? path : path.slice(slash + 1);
}

export const readModules = (columns: Columns) => {
  const path = columns.texts('module.path');
  return {
    path,
    name: path.map(baseName), // the file name
    buildId: columns.texts('module.build_id'),
    kind: new Uint8Array(path.length), // of its frames, if it is a source file (src/viewer/page_frames.h); else 0
  };
};
export type ModuleColumns = ReturnType<typeof readModules>;

// The files of functions and of frames, in one list. A frame's line is in the file of its function, unless the frame
// has its own file: for a macro, a header or inlined code.
function readFiles(columns: Columns): { files: string[]; ofFunction: Int32Array; ofFrame: Int32Array } {
  const strings = columns.allStrings();
  const files: string[] = [];
  const known = new Map<number, number>();
  const fileOf = (id: number): number => {
    if ((strings[id] ?? '') === '') return -1;
    let file = known.get(id);
    if (file === undefined) {
      known.set(id, (file = files.length));
      files.push(strings[id]);
    }
    return file;
  };
  const func = columns.ids('frame.function');
  const ofFunction = Int32Array.from(columns.u32('function.file'), fileOf);
  const ofFrame = Int32Array.from(columns.u32('frame.file'), fileOf);
  for (let frame = 0; frame < ofFrame.length; ++frame) {
    if (ofFrame[frame] < 0 && func[frame] >= 0) ofFrame[frame] = ofFunction[func[frame]];
  }
  return { files, ofFunction, ofFrame };
}

export const readCode = (columns: Columns) => {
  const { files, ofFunction, ofFrame } = readFiles(columns);
  return {
    files,
    ladders: columns.lines('ladder.bytes'), // the forms of names (src/viewer/page_ladders.h); the first is empty
    functions: {
      name: columns.texts('function.name'),
      ladder: columns.u32('function.ladder'), // into ladders
      file: ofFunction,
      line: columns.u32('function.line'),
    },
    frames: {
      func: columns.ids('frame.function'),
      module: columns.ids('frame.module'),
      address: columns.u64('frame.address'),
      file: ofFrame, // of its line; into files, -1 when unknown
      line: columns.u32('frame.line'),
      mode: columns.u8('frame.mode'), // into names.modes
      origin: columns.u8('frame.origin'), // into names.origins
      flags: columns.u8('frame.flags'),
      language: columns.u8('frame.language'), // into words.language_kinds
    },
  };
};
export type Code = ReturnType<typeof readCode>;

export const readStacks = (columns: Columns) => {
  const parent = columns.i32('stack.parent');
  parent[0] = -1;
  return { parent, frame: columns.ids('stack.frame') };
};
export type StackColumns = ReturnType<typeof readStacks>;

// ---- Samples -----------------------------------------------------------------------------------------------

export const readSamples = (columns: Columns) => ({
  time: columns.times('sample.time_ns', -1), // since the run's first sample; -1 when unknown
  weight: columns.f64('sample.weight'),
  count: columns.f64('sample.count'),
  stack: columns.i32('sample.stack'),
  thread: columns.ids('sample.thread'),
  event: columns.u32('sample.event'),
  cpu: columns.ids('sample.cpu'), // -1 when unknown
  stackEnd: columns.u8('sample.ending'), // into names.stackEnds
  labels: columns.i32('sample.labels'), // a set
});
export type SampleColumns = ReturnType<typeof readSamples>;

export const readEvents = (columns: Columns) => {
  const quantities = columns.names('event.kind');
  return rowsOf({
    name: columns.texts('event.name'), // "cpu-clock"
    unit: columns.texts('event.unit'), // "nanoseconds", "samples", "bytes" ...
    scale: columns.f64('event.scale').map((scale) => scale || 1), // weight / scale is in `unit`
    quantity: Array.from(columns.u8('event.kind'), (kind) => quantities[kind] ?? ''), // "wall time"
  });
};
export type EventRow = ReturnType<typeof readEvents>[number];

// A value is "17 bytes", or the text.
export const readLabels = (columns: Columns) => {
  const text = columns.texts('label.text');
  const unit = columns.texts('label.unit');
  const number = columns.digits('label.number');
  const isNumber = columns.u8('label.is_number');
  const valueOf = (row: number): string =>
    isNumber[row] === 0 ? text[row] : unit[row] === '' ? number[row] : `${number[row]} ${unit[row]}`;
  return { key: columns.texts('label.key'), value: text.map((_, row) => valueOf(row)) };
};
export type LabelColumns = ReturnType<typeof readLabels>;

// A tree: the parent's set and one more label; 0 is the empty set.
export const readLabelSets = (columns: Columns) => ({
  parent: columns.i32('label_set.parent'),
  label: columns.ids('label_set.label'),
});
export type LabelSetColumns = ReturnType<typeof readLabelSets>;

// The names of enum values.
export const readNames = (columns: Columns) => ({
  modes: columns.names('frame.mode'),
  origins: columns.names('frame.origin'),
  stackEnds: columns.names('sample.ending'),
});
export type EnumNames = ReturnType<typeof readNames>;

// ---- Over time ---------------------------------------------------------------------------------------------

// Gives equal texts equal small numbers, in order of appearance.
export function numberTexts(column: string[]): { texts: string[]; ids: Int32Array } {
  const known = new Map<string, number>();
  const ids = Int32Array.from(column, (text) => {
    const id = known.get(text) ?? known.size;
    known.set(text, id);
    return id;
  });
  return { texts: [...known.keys()], ids };
}

// Columns: a million marks are ordinary.
export const readMarks = (columns: Columns, sources: SourceInfo[]) => {
  const text = columns.texts('mark.name');
  const suffixes = suffixesOf(sources, columns.ids('mark.source'));
  const names = numberTexts(text);
  const labels = suffixes.every((suffix) => suffix === '')
    ? names
    : numberTexts(text.map((own, row) => own + suffixes[row]));
  const kinds = numberTexts(columns.texts('mark.kind'));
  const hasValue = columns.u8('mark.has_value');
  return {
    time: columns.times('mark.time_ns'), // NaN when unknown
    name: names.ids, // into names
    names: names.texts,
    label: labels.ids, // into labelTexts: "name (host)"
    labelTexts: labels.texts,
    // On the second clock; NaN: none.
    value: columns.f64('mark.value').map((value, row) => (hasValue[row] !== 0 && Number.isFinite(value) ? value : NaN)),
    thread: columns.ids('mark.thread'), // -1: of the whole recording
    cpu: columns.ids('mark.cpu'), // -1 when unknown
    kind: kinds.ids, // into kinds; marks of one kind are on one line
    kinds: kinds.texts, // may be empty
    labels: columns.i32('mark.labels'), // a set of labels
  };
};
export type MarkColumns = ReturnType<typeof readMarks>;

// One mark.
export interface MarkInfo {
  time: number;
  name: string;
  label: string;
  value: number | null;
  thread: number;
  cpu: number;
  kind: string;
}
export const markAt = (marks: MarkColumns, row: number): MarkInfo => ({
  time: marks.time[row],
  name: marks.names[marks.name[row]],
  label: marks.labelTexts[marks.label[row]],
  value: Number.isNaN(marks.value[row]) ? null : marks.value[row],
  thread: marks.thread[row],
  cpu: marks.cpu[row],
  kind: marks.kinds[marks.kind[row]],
});

// What a thread does during a span of a report (src/report/tracks.cc).
export const SPAN_STATES = ['work', 'running', 'ready', 'blocked'] as const;

// Intervals on threads: off the CPU, inside a call, a region of the program. Sorted by begin.
export const readSpans = (columns: Columns) => {
  const { texts, ids } = numberTexts(columns.texts('span.name'));
  return {
    begin: columns.times('span.begin_ns'),
    end: columns.times('span.end_ns'),
    thread: columns.ids('span.thread'), // -1 when unknown
    name: ids, // into names
    names: texts,
    kind: columns.u8('span.kind'), // into kinds
    kinds: columns.names('span.kind'), // "region", "off-CPU", "call", "request"
    cpu: columns.ids('span.cpu'), // -1 when unknown
    parent: columns.ids('span.parent'), // the span that contains this one; -1: none
    stack: columns.i32('span.stack'), // of the thread; 0: unknown
    waker: columns.ids('span.waker'), // the thread that ended a wait; -1: unknown
    wakerStack: columns.i32('span.waker_stack'),
    labels: columns.i32('span.labels'), // a set of labels
  };
};
export type SpanColumns = ReturnType<typeof readSpans>;

// A quantity over time: of a thread, a process or a CPU; of a whole machine if all of these are -1.
export const readSeries = (columns: Columns) => {
  const kinds = columns.names('series.kind');
  return rowsOf({
    name: columns.texts('series.name'),
    unit: columns.texts('series.unit'),
    kind: Array.from(columns.u8('series.kind'), (kind) => kinds[kind] ?? ''), // "gauge", "rate", "cumulative"
    thread: columns.ids('series.thread'),
    process: columns.ids('series.process'),
    cpu: columns.ids('series.cpu'),
    source: columns.ids('series.source'), // -1 when unknown
  });
};
export type SeriesInfo = ReturnType<typeof readSeries>[number];

export const readPoints = (columns: Columns) => ({
  series: columns.i32('counter.series'),
  time: columns.times('counter.time_ns'),
  value: columns.f64('counter.value'),
  low: columns.f64('counter.low'), // bounds of the value; NaN if it is exact
  high: columns.f64('counter.high'),
});
export type PointColumns = ReturnType<typeof readPoints>;

// The time and the location of a part of a loss.
export const readLossMoments = (columns: Columns) => ({
  loss: columns.i32('loss_moment.loss'), // into losses
  losses: rowsOf({ reason: columns.texts('loss.reason'), what: columns.texts('loss.what') }),
  begin: columns.times('loss_moment.begin_ns'), // NaN when unknown
  end: columns.times('loss_moment.end_ns'),
  cpu: columns.ids('loss_moment.cpu'), // -1 when unknown
  thread: columns.ids('loss_moment.thread'), // -1 when unknown
  count: columns.f64('loss_moment.count'), // of lost samples, lines, ...
  source: columns.ids('loss_moment.source'), // -1 when unknown
});
export type LossMomentColumns = ReturnType<typeof readLossMoments>;
