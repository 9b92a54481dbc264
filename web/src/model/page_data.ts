// The data of a page: wick's columns, packed by src/viewer/page_data.cc (the layout is described there).
//
//     gzip parts, unpacked and joined:
//      0  8  "WICKPAGE"
//      8  4  version
//     12  4  bytes of the header
//     16     header, JSON; then the columns, each at a multiple of 8 from the start
//
// gzip's own checksum finds damage; a newer version is refused with a sentence.
import { Columns, damaged } from './columns.ts';
import type { ColumnHeader, TableSchema } from './columns.ts';
import { LoadError } from './interface.ts';
import type { CounterInfo, EventInfo, LossMomentColumns, MarkInfo, ModuleInfo, ProcessInfo, ProfileInfo, SecondClock, SpanColumns, ThreadGroup,
  ThreadInfo } from './interface.ts';
import { baseName } from './profile.ts';
import type { AnalysisReport, AnnotationText, Profile, ReportColumn, Run } from './profile.ts';

export const VERSION = 3;
const MAGIC = 'WICKPAGE';

interface RunHeader {
  title: string;
  rows: Record<string, number>; // by table
  facts: [string, string][];
  losses: { reason: string; what: string; detail: string; count: number; data_loss: boolean }[];
  notes: string[];
  events: { weight: number; samples: number }[];
  cpus: number[];
  has_time: boolean;
  start_ns: number;
  duration_ns: number;
  after_first_ns: number; // its start since that of the first run
}
interface Header {
  wick: string;
  schema: Record<string, TableSchema>;
  runs: RunHeader[];
  columns: Record<string, ColumnHeader>;
  annotations?: AnnotationText[];
  report_texts: string[];
  reports: {
    name: string;
    event: number;
    notes: string[];
    sections: { name: string; rows: number; columns: { name: string; kind: 'text' | 'number' | 'interval' }[] }[];
  }[];
}

async function unpack(parts: Uint8Array[]): Promise<Uint8Array> {
  if (parts.length === 0) throw new LoadError('This page holds no profile. Write one with: wick view FILE -o page.html');
  try {
    const pieces = await Promise.all(parts.map(async (part) => {
      const stream = new Blob([part as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('gzip'));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    }));
    if (pieces.length === 1) return pieces[0];
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  } catch {
    throw damaged();
  }
}

interface Contents {
  header: Header;
  columns: Columns;
}
function readContents(bytes: Uint8Array): Contents {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) throw damaged();
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new LoadError(`The data inside this page are of version ${version}, and this page's script reads version ${VERSION}: ` +
      'they come from two releases of wick. Write the page again with one of them.');
  }
  try {
    const end = 16 + view.getUint32(12, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, end))) as Header;
    return { header, columns: new Columns(bytes.subarray(Math.ceil(end / 8) * 8), header.columns, header.schema) };
  } catch {
    throw damaged();
  }
}

// "worker-1" and "worker-22" are both "worker-#".
export const threadPattern = (name: string): string => name.replace(/\d+/g, '#');

export function groupThreads(names: string[]): { groups: ThreadGroup[]; groupOf: number[] } {
  const groups: ThreadGroup[] = [];
  const known = new Map<string, number>();
  const groupOf = names.map((name, thread) => {
    const label = threadPattern(name);
    let group = known.get(label);
    if (group === undefined) {
      known.set(label, (group = groups.length));
      groups.push({ label, threads: [] });
    }
    groups[group].threads.push(thread);
    return group;
  });
  for (const group of groups) if (group.threads.length === 1) group.label = names[group.threads[0]];
  return { groups, groupOf };
}

// The second clock from marks that carry a value: those that rise with time.
export function secondClock(marks: Pick<MarkInfo, 'time' | 'value'>[]): SecondClock | null {
  const time: number[] = [];
  const value: number[] = [];
  for (const mark of marks) {
    const last = time.length - 1;
    if (mark.value === null || !Number.isFinite(mark.value) || Number.isNaN(mark.time)) continue;
    if (last >= 0 && (mark.time <= time[last] || mark.value <= value[last])) continue;
    time.push(mark.time);
    value.push(mark.value);
  }
  return time.length < 2 ? null : { time: Float64Array.from(time), value: Float64Array.from(value) };
}

// "name number", as the command line labels threads and processes.
function numbered(name: string, number: number): string {
  if (number < 0) return name;
  return name === '' ? String(number) : `${name} ${number}`;
}

function readReports({ reports, report_texts: texts }: Header, columns: Columns): AnalysisReport[] {
  const none = new Float64Array(0);
  return reports.map(({ name, event, notes, sections }, report) => {
    const read = (section: string, column: string, kind: string): ReportColumn => {
      const at = `report.${report}.${section}.${column}`;
      if (kind === 'text') return { text: Array.from(columns.u32(at), (id) => texts[id] ?? ''), number: none, low: none, high: none };
      const hasInterval = kind === 'interval';
      return {
        text: [], number: columns.f64(at), low: hasInterval ? columns.f64(`${at}.low`) : none,
        high: hasInterval ? columns.f64(`${at}.high`) : none,
      };
    };
    return {
      name, event, notes,
      sections: Object.fromEntries(sections.map((section) =>
        [section.name, Object.fromEntries(section.columns.map((column) => [column.name, read(section.name, column.name, column.kind)]))])),
    };
  });
}

// The different ids of a column, rising; those that are none are left out.
const idsIn = (column: Int32Array): number[] => [...new Set(column)].filter((id) => id >= 0).sort((a, b) => a - b);

// Small numbers for equal texts, in the order in which they come.
function numberTexts(column: string[]): { texts: string[]; ids: Int32Array } {
  const known = new Map<string, number>();
  const ids = Int32Array.from(column, (text) => {
    const id = known.get(text) ?? known.size;
    known.set(text, id);
    return id;
  });
  return { texts: [...known.keys()], ids };
}

// Files of functions and of frames, in one list. A frame's line is in the file of its function unless it has its own:
// a macro, a header, what was inlined.
function readCode(columns: Columns): Pick<Profile, 'functions' | 'files' | 'modules' | 'frames'> {
  const func = columns.ids('frame.function');
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
  const functionFile = Int32Array.from(columns.u32('function.file'), fileOf);
  const frameFile = Int32Array.from(columns.u32('frame.file'), fileOf);
  for (let frame = 0; frame < frameFile.length; ++frame) {
    if (frameFile[frame] < 0 && func[frame] >= 0) frameFile[frame] = functionFile[func[frame]];
  }
  const path = columns.texts('module.path');
  return {
    functions: { name: columns.texts('function.name'), file: functionFile, line: columns.u32('function.line') },
    files,
    modules: { path, name: path.map(baseName) },
    frames: {
      func, module: columns.ids('frame.module'), address: columns.u64('frame.address'), file: frameFile, line: columns.u32('frame.line'),
      mode: columns.u8('frame.mode'), found: columns.u8('frame.found'), flags: columns.u8('frame.flags'),
    },
  };
}

function readStacks(columns: Columns): Profile['stacks'] {
  const parent = columns.i32('stack.parent');
  parent[0] = -1;
  return { parent, frame: columns.ids('stack.frame') };
}

// "17 bytes", or the text.
function readLabels(columns: Columns): Pick<Profile, 'labels' | 'labelSets'> {
  const key = columns.texts('label.key');
  const text = columns.texts('label.text');
  const unit = columns.texts('label.unit');
  const number = columns.digits('label.number');
  const isNumber = columns.u8('label.is_number');
  const valueOf = (row: number): string => (isNumber[row] === 0 ? text[row] : unit[row] === '' ? number[row] : `${number[row]} ${unit[row]}`);
  return {
    labels: { key, value: key.map((_, row) => valueOf(row)) },
    labelSets: { parent: columns.i32('label_set.parent'), label: columns.ids('label_set.label') },
  };
}

function readSamples(columns: Columns): Profile['samples'] {
  return {
    time: columns.times('sample.time_ns', -1), weight: columns.f64('sample.weight'), count: columns.f64('sample.count'),
    stack: columns.i32('sample.stack'), thread: columns.ids('sample.thread'), event: columns.u32('sample.event'),
    cpu: columns.ids('sample.cpu'), ending: columns.u8('sample.ending'), labels: columns.i32('sample.labels'),
  };
}

interface Shared {
  processes: ProcessInfo[];
  threads: ThreadInfo[];
  threadGroups: ThreadGroup[];
}
function readThreads(columns: Columns): Shared {
  const hosts = columns.texts('source.host');
  const source = columns.ids('process.source');
  const pids = columns.f64('process.pid');
  const parent = columns.ids('process.parent');
  const command = columns.texts('process.command');
  const tids = columns.f64('thread.tid');
  const process = columns.ids('thread.process');
  const names = columns.texts('thread.name');
  const [begin, end] = [columns.times('thread.begin_ns'), columns.times('thread.end_ns')];
  const { groups, groupOf } = groupThreads(names);
  return {
    processes: columns.texts('process.name').map((name, row) => ({
      pid: pids[row], label: numbered(name, pids[row]), source: source[row], host: hosts[source[row]] ?? '', parent: parent[row],
      command: command[row],
    })),
    threads: names.map((name, row) => ({
      tid: tids[row], process: process[row], name, label: numbered(name, tids[row]), group: groupOf[row], begin: begin[row], end: end[row],
    })),
    threadGroups: groups,
  };
}

// Rows that belong to runs: all columns, and which of their rows a run has.
interface RunTables {
  marks: MarkInfo[];
  spans: SpanColumns;
  counters: { info: Omit<CounterInfo, 'time' | 'value' | 'low' | 'high'>[]; series: Int32Array } & Pick<CounterInfo, 'time' | 'value' | 'low' | 'high'>;
  lossMoments: LossMomentColumns;
}

function readMarks(columns: Columns): MarkInfo[] {
  const time = columns.times('mark.time_ns');
  const value = columns.f64('mark.value');
  const hasValue = columns.u8('mark.has_value');
  const thread = columns.ids('mark.thread');
  const cpu = columns.ids('mark.cpu');
  const kind = columns.texts('mark.kind');
  const labels = columns.i32('mark.labels');
  return columns.texts('mark.name').map((name, row) => ({
    time: time[row], name, value: hasValue[row] !== 0 && Number.isFinite(value[row]) ? value[row] : null, thread: thread[row], cpu: cpu[row],
    kind: kind[row], labels: labels[row],
  }));
}

function readSpans(columns: Columns): SpanColumns {
  const { texts, ids } = numberTexts(columns.texts('span.name'));
  return {
    begin: columns.times('span.begin_ns'), end: columns.times('span.end_ns'), thread: columns.ids('span.thread'), name: ids, names: texts,
    kind: columns.u8('span.kind'), kinds: columns.names('span.kind'), cpu: columns.ids('span.cpu'), parent: columns.ids('span.parent'),
    stack: columns.i32('span.stack'), waker: columns.ids('span.waker'), wakerStack: columns.i32('span.waker_stack'),
    labels: columns.i32('span.labels'),
  };
}

function readCounters(columns: Columns): RunTables['counters'] {
  const unit = columns.texts('series.unit');
  const kind = columns.u8('series.kind');
  const kinds = columns.names('series.kind');
  const thread = columns.ids('series.thread');
  const process = columns.ids('series.process');
  const cpu = columns.ids('series.cpu');
  return {
    info: columns.texts('series.name').map((name, row) => ({
      name, unit: unit[row], kind: kinds[kind[row]] ?? '', thread: thread[row], process: process[row], cpu: cpu[row],
    })),
    series: columns.i32('counter.series'), time: columns.times('counter.time_ns'), value: columns.f64('counter.value'),
    low: columns.f64('counter.low'), high: columns.f64('counter.high'),
  };
}

function readLossMoments(columns: Columns): LossMomentColumns {
  const what = columns.texts('loss.what');
  return {
    loss: columns.i32('loss_moment.loss'), losses: columns.texts('loss.reason').map((reason, row) => ({ reason, what: what[row] })),
    begin: columns.times('loss_moment.begin_ns'), end: columns.times('loss_moment.end_ns'), cpu: columns.ids('loss_moment.cpu'),
    thread: columns.ids('loss_moment.thread'), count: columns.f64('loss_moment.count'),
  };
}

// The rows [from, to) of columns; what is not a column of that length stays.
function cut<T extends object>(columns: T, rows: number, from: number, to: number): T {
  const entries = Object.entries(columns) as [string, unknown][];
  const isColumn = (value: unknown): value is Float64Array => ArrayBuffer.isView(value) && (value as Float64Array).length === rows;
  return Object.fromEntries(entries.map(([name, value]) => [name, isColumn(value) ? value.slice(from, to) : value])) as T;
}

function cutSpans(spans: SpanColumns, from: number, to: number): SpanColumns {
  const own = cut(spans, spans.begin.length, from, to);
  own.parent = own.parent.map((parent) => (parent < 0 ? -1 : parent - from));
  return own;
}

// The points of each series that has some, by the name of the series.
function cutCounters({ info, series, ...points }: RunTables['counters'], from: number, to: number): CounterInfo[] {
  const rows: number[][] = info.map(() => []);
  for (let row = from; row < to; ++row) rows[series[row]]?.push(row);
  const pick = (column: Float64Array, of: number[]): Float64Array => Float64Array.from(of, (row) => column[row]);
  const lines = info.map((line, id) => ({
    ...line, time: pick(points.time, rows[id]), value: pick(points.value, rows[id]), low: pick(points.low, rows[id]), high: pick(points.high, rows[id]),
  }));
  return lines.filter(({ time }) => time.length > 0).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

// Lifetimes in the time of a run; they are stored in that of the first.
const shifted = (rows: ThreadInfo[], by: number): ThreadInfo[] =>
  by === 0 ? rows : rows.map((row) => ({ ...row, begin: row.begin - by, end: row.end - by }));

// The labels of the sets that rows name. A page may have a million of them, and a list to choose from has room for few.
const MOST_LABELS = 2000;
function labelsIn({ labels, labelSets }: Pick<Profile, 'labels' | 'labelSets'>, sets: Int32Array): Pick<ProfileInfo, 'labelKeys' | 'labels'> {
  const { parent, label } = labelSets;
  const used = new Uint8Array(parent.length);
  for (const set of sets) used[set] = 1;
  const found = new Set<number>();
  for (let set = parent.length - 1; set > 0; --set) {
    if (used[set] === 0) continue;
    used[parent[set]] = 1;
    found.add(label[set]);
  }
  const rows = [...found].sort((a, b) => a - b);
  return {
    labelKeys: [...new Set(rows.map((row) => labels.key[row]))],
    labels: rows.slice(0, MOST_LABELS).map((row) => ({ key: labels.key[row], value: labels.value[row] })),
  };
}

// Everything that the runs share, and the tables that are cut into runs.
interface AllRuns {
  profile: Omit<Profile, 'runs'>;
  shared: Shared;
  events: Pick<EventInfo, 'name' | 'unit' | 'scale'>[];
  modules: ModuleInfo[];
  tables: RunTables;
}

function readAll({ header, columns }: Contents): AllRuns {
  const code = readCode(columns);
  const shared = readThreads(columns);
  const buildIds = columns.texts('module.build_id');
  const units = columns.texts('event.unit');
  const scales = columns.f64('event.scale');
  return {
    profile: {
      columns, ...code, stacks: readStacks(columns), ...readLabels(columns), samples: readSamples(columns),
      threads: { label: shared.threads.map(({ label }) => label), process: columns.ids('thread.process') },
      processes: { label: shared.processes.map(({ label }) => label) },
      names: { modes: columns.names('frame.mode'), found: columns.names('frame.found'), endings: columns.names('sample.ending') },
      annotations: header.annotations ?? [],
      reports: readReports(header, columns),
    },
    shared,
    events: columns.texts('event.name').map((name, row) => ({ name, unit: units[row], scale: scales[row] || 1 })),
    modules: code.modules.path.map((path, row) => ({ path, name: code.modules.name[row], buildId: buildIds[row] })),
    tables: { marks: readMarks(columns), spans: readSpans(columns), counters: readCounters(columns), lossMoments: readLossMoments(columns) },
  };
}

// `rowsIn` says which rows of a table are the run's.
function readRun(all: AllRuns, run: RunHeader, rowsIn: (table: string) => [number, number]): Run {
  const { tables, shared, modules } = all;
  const { frames, samples, stacks, threads } = all.profile;
  const [begin, end] = rowsIn('samples');
  const events: EventInfo[] = all.events.map((event, i) => ({ ...event, ...run.events[i] }));
  const ownThreads = idsIn(samples.thread.subarray(begin, end));
  const marks = tables.marks.slice(...rowsIn('marks'));
  const info: ProfileInfo = {
    title: run.title, facts: run.facts.map(([key, value]) => ({ key, value })),
    losses: run.losses.map(({ data_loss, ...loss }) => ({ ...loss, dataLoss: data_loss })), notes: run.notes, events, modules,
    processes: shared.processes, threads: shifted(shared.threads, run.after_first_ns),
    threadGroups: shared.threadGroups, ownThreads, ownProcesses: idsIn(Int32Array.from(ownThreads, (id) => threads.process[id])),
    ...labelsIn(all.profile, samples.labels.subarray(begin, end)), cpus: run.cpus,
    samples: events.reduce((sum, event) => sum + event.samples, 0), rows: end - begin, stacks: stacks.parent.length,
    hasTime: run.has_time, hasThreads: ownThreads.length > 0, hasModules: modules.length > 0,
    hasModes: frames.mode.some((mode) => mode !== 0), hasLines: frames.line.some((line) => line !== 0),
    hasAddresses: frames.address.some((address) => address !== 0n), startTime: run.start_ns, duration: run.duration_ns, marks,
    counters: cutCounters(tables.counters, ...rowsIn('counters')), spans: cutSpans(tables.spans, ...rowsIn('spans')),
    lossMoments: cut(tables.lossMoments, tables.lossMoments.begin.length, ...rowsIn('loss_moments')),
    secondClock: secondClock(marks), annotated: [],
  };
  return { begin, end, info };
}

export function buildProfile(bytes: Uint8Array): Profile {
  const contents = readContents(bytes);
  const all = readAll(contents);
  const ends = new Map<string, number>(); // by table: after the rows of the runs so far
  const runs = contents.header.runs.map((run) => readRun(all, run, (table) => {
    const from = ends.get(table) ?? 0;
    const to = from + (run.rows[table] ?? 0);
    ends.set(table, to);
    return [from, to];
  }));
  return { runs, ...all.profile };
}

export async function readPage(parts: Uint8Array[]): Promise<Profile> {
  return buildProfile(await unpack(parts));
}
