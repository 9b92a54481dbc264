// SPDX-License-Identifier: Apache-2.0
// Reads the data of a page: wick's columns, packed by src/viewer/page_data.cc, which describes the layout.
//
//     gzip parts, unpacked and joined:
//      0  8  "WICKPAGE"
//      8  4  version
//     12  4  bytes of the header
//     16     header, JSON; then the columns, each at a multiple of 8 from the start
//
// gzip's checksum detects damage; a newer version is refused with a sentence. tables.ts lists the columns that are
// read.
import { Columns, damaged } from './columns.ts';
import type { ColumnHeader, TableSchema } from './columns.ts';
import { LoadError } from './interface.ts';
import type {
  CounterInfo,
  EventInfo,
  LossMomentColumns,
  MarkColumns,
  ModuleInfo,
  ProcessInfo,
  ProfileInfo,
  ReportTracks,
  SecondClock,
  SourceInfo,
  SpanColumns,
  ThreadGroup,
  ThreadInfo,
} from './interface.ts';
import type { AnalysisReport, AnnotationText, Profile, ReportColumn, Run } from './profile.ts';
import {
  readCode,
  readEvents,
  readLabels,
  readLabelSets,
  readLossMoments,
  readMarks,
  readModules,
  readNames,
  readPoints,
  readProcesses,
  readSamples,
  readSeries,
  readSources,
  readSpans,
  readStacks,
  readThreads,
  rowsOf,
} from './tables.ts';
import type { EventRow, PointColumns, SeriesInfo } from './tables.ts';
import { commonName } from './pool_names.ts';
import { adviceKey } from './quality.ts';
import { nativeCodeFrame } from './shown_frames.ts';
import { readTracks } from './tracks.ts';
import type { Words } from './words.ts';

export const VERSION = 4;
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
  repeats: number; // how many runs its samples are from
  start_ns: number;
  duration_ns: number;
  after_first_ns: number; // its start, relative to that of the first run
}
interface Header {
  wick: string;
  words: Words;
  schema: Record<string, TableSchema>;
  cautions?: string[];
  advice?: { module: string; end: number; text: string }[]; // instead of that in the words
  runs: RunHeader[];
  columns: Record<string, ColumnHeader>;
  source_suffixes?: string[]; // by source
  annotations?: AnnotationText[];
  report_texts: string[];
  reports: {
    name: string;
    event: number;
    notes: string[];
    sections: {
      name: string;
      shape: string;
      rows: number;
      columns: { name: string; kind: 'text' | 'number' | 'interval'; role: string }[];
    }[];
  }[];
}

async function unpack(parts: Uint8Array[]): Promise<Uint8Array> {
  if (parts.length === 0) throw new LoadError('This page has no profile. Write one with: wick view FILE -o page.html');
  try {
    const pieces = await Promise.all(
      parts.map(async (part) => {
        const stream = new Blob([part as Uint8Array<ArrayBuffer>])
          .stream()
          .pipeThrough(new DecompressionStream('gzip'));
        return new Uint8Array(await new Response(stream).arrayBuffer());
      }),
    );
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
    throw new LoadError(
      `The data in this page has version ${version}, but the page's script reads version ${VERSION}: ` +
        'they are from two releases of wick. Write the page again.',
    );
  }
  try {
    const end = 16 + view.getUint32(12, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(16, end))) as Header;
    return { header, columns: new Columns(bytes.subarray(Math.ceil(end / 8) * 8), header.columns, header.schema) };
  } catch {
    throw damaged();
  }
}

// "worker-1" and "worker-22" are both "worker-#"; "io-2-worker-1" and "io-2-worker-2" are "io-2-worker-#". Numbers of a
// pool are at the end of the name, or not next to a letter ("kworker/0:1-events"); the digit of "cc1plus" is a part of
// the name.
const POOL_NUMBER = /#?(?<![\p{L}\d])\d+(?![\p{L}\d])|\d+(?=[)\]]?$)/gu;
const threadPattern = (name: string): string => name.replace(POOL_NUMBER, '#');

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
  // "python3" is the name of many threads, not one thread of the pool "python#".
  for (const group of groups)
    group.label =
      commonName([...new Set(group.threads.map((thread) => names[thread]))]).replaceAll('##', '#') || '[no name]';
  return { groups, groupOf };
}

// The second clock, from the marks with a value that increases over time.
export function secondClock(marks: { time: ArrayLike<number>; value: ArrayLike<number> }): SecondClock | null {
  const time: number[] = [];
  const value: number[] = [];
  for (let row = 0; row < marks.time.length; ++row) {
    const [at, shown] = [marks.time[row], marks.value[row]];
    const last = time.length - 1;
    if (!Number.isFinite(shown) || Number.isNaN(at)) continue;
    if (last >= 0 && (at <= time[last] || shown <= value[last])) continue;
    time.push(at);
    value.push(shown);
  }
  return time.length < 2 ? null : { time: Float64Array.from(time), value: Float64Array.from(value) };
}

type ReportHeader = Header['reports'][number];

function readColumn(
  columns: Columns,
  texts: string[],
  at: string,
  kind: ReportHeader['sections'][number]['columns'][number]['kind'],
): ReportColumn {
  const none = new Float64Array(0);
  if (kind === 'text')
    return { text: Array.from(columns.u32(at), (id) => texts[id] ?? ''), number: none, low: none, high: none };
  const hasInterval = kind === 'interval';
  return {
    text: [],
    number: columns.f64(at),
    low: hasInterval ? columns.f64(`${at}.low`) : none,
    high: hasInterval ? columns.f64(`${at}.high`) : none,
  };
}

// The tracks of all reports.
function readReportTracks({ reports, report_texts: texts }: Header, columns: Columns): ReportTracks[] {
  return reports.flatMap(({ sections }, report) =>
    sections.some(({ shape }) => shape === 'tracks')
      ? readTracks(
          sections.map((section) => ({
            shape: section.shape,
            rows: section.rows,
            columns: section.columns.map(({ name, kind, role }) => ({
              role,
              ...readColumn(columns, texts, `report.${report}.${section.name}.${name}`, kind),
            })),
          })),
        )
      : [],
  );
}

function readReports({ reports, report_texts: texts }: Header, columns: Columns): AnalysisReport[] {
  const tablesOf = ({ sections }: ReportHeader, report: number): AnalysisReport['sections'] =>
    Object.fromEntries(
      sections
        .filter(({ shape }) => shape === 'table')
        .map((section) => [
          section.name,
          Object.fromEntries(
            section.columns.map(({ name, kind }) => [
              name,
              readColumn(columns, texts, `report.${report}.${section.name}.${name}`, kind),
            ]),
          ),
        ]),
    );
  return reports.map((report, at) => ({
    name: report.name,
    event: report.event,
    notes: report.notes,
    sections: tablesOf(report, at),
  }));
}

// The distinct ids of a column, ascending, without -1.
const idsIn = (column: Int32Array): number[] => [...new Set(column)].filter((id) => id >= 0).sort((a, b) => a - b);

interface Shared {
  sources: SourceInfo[];
  processes: ProcessInfo[];
  threads: ThreadInfo[];
  threadGroups: ThreadGroup[];
}
function readShared(columns: Columns, suffixes: string[]): Shared {
  const sources = readSources(columns, suffixes);
  const processes = readProcesses(columns, sources);
  const threads = readThreads(columns, sources, processes);
  const { groups, groupOf } = groupThreads(threads.map(({ name }) => name));
  return {
    sources,
    processes,
    threads: threads.map((thread, row) => ({ ...thread, group: groupOf[row] })),
    threadGroups: groups,
  };
}

// The machines of some sources, each once.
function hostsOf(sources: SourceInfo[], used: Set<number>): string[] {
  const hosts = sources.filter(({ guestOf }, id) => used.has(id) && guestOf < 0).map(({ host }) => host);
  return [...new Set(hosts)].filter((host) => host !== '');
}

// Tables that are cut into runs.
interface RunTables {
  marks: MarkColumns;
  spans: SpanColumns;
  series: LabelledSeries[];
  points: PointColumns;
  lossMoments: LossMomentColumns;
}

type LabelledSeries = SeriesInfo & Pick<CounterInfo, 'label'>;
// The label of a series has its name, its thread, process or CPU, and its machine if there are several.
function labelSeries(series: SeriesInfo[], { sources, processes, threads }: Shared): LabelledSeries[] {
  return series.map((line) => {
    const suffix = sources[line.source]?.suffix ?? '';
    const owner = threads[line.thread]?.label ?? processes[line.process]?.label; // these labels include their machine
    const scope = owner ?? (line.cpu >= 0 ? `CPU ${line.cpu}${suffix}` : '');
    return { ...line, label: scope === '' ? line.name + suffix : `${line.name} of ${scope}` };
  });
}

// The rows [from, to) of columns; other values are unchanged.
function cut<T extends object>(columns: T, rows: number, from: number, to: number): T {
  const entries = Object.entries(columns) as [string, unknown][];
  const isColumn = (value: unknown): value is Float64Array =>
    ArrayBuffer.isView(value) && (value as Float64Array).length === rows;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isColumn(value) ? value.slice(from, to) : value]),
  ) as T;
}

function cutSpans(spans: SpanColumns, from: number, to: number): SpanColumns {
  const own = cut(spans, spans.begin.length, from, to);
  own.parent = own.parent.map((parent) => (parent < 0 ? -1 : parent - from));
  return own;
}

// These rows of columns.
function pick<T extends object>(columns: T, rows: number[]): T {
  const entries = Object.entries(columns) as [string, Float64Array][];
  return Object.fromEntries(
    entries.map(([name, column]) => {
      const picked = column.slice(0, rows.length);
      rows.forEach((row, at) => {
        picked[at] = column[row];
      });
      return [name, picked];
    }),
  ) as T;
}

// The series with points, sorted by label: "worker 2" before "worker 10".
const inOrder = new Intl.Collator('en', { numeric: true });
function cutCounters({ series, points }: RunTables, from: number, to: number): CounterInfo[] {
  const rows: number[][] = series.map(() => []);
  for (let row = from; row < to; ++row) rows[points.series[row]]?.push(row);
  return series
    .map((line, id) => ({ ...line, ...pick(points, rows[id]) }))
    .filter(({ time }) => time.length > 0)
    .sort((a, b) => inOrder.compare(a.label, b.label));
}

// Lifetimes on the clock of a run; they are stored on that of the first run.
const shifted = (rows: ThreadInfo[], by: number): ThreadInfo[] =>
  by === 0 ? rows : rows.map((row) => ({ ...row, begin: row.begin - by, end: row.end - by }));

// The labels of these sets. A page may have a million of them; a list to choose from has room for few.
const MAX_LABELS = 2000;
function labelsIn(
  { labels, labelSets }: Pick<Profile, 'labels' | 'labelSets'>,
  sets: Int32Array,
): Pick<ProfileInfo, 'labelKeys' | 'labels'> {
  const { parent, label } = labelSets;
  const used = new Uint8Array(parent.length);
  for (const set of sets) used[set] = 1;
  const labelIds = new Set<number>();
  for (let set = parent.length - 1; set > 0; --set) {
    if (used[set] === 0) continue;
    used[parent[set]] = 1;
    labelIds.add(label[set]);
  }
  const rows = [...labelIds].sort((a, b) => a - b);
  return {
    labelKeys: [...new Set(rows.map((row) => labels.key[row]))],
    labels: rows.slice(0, MAX_LABELS).map((row) => ({ key: labels.key[row], value: labels.value[row] })),
  };
}

// Everything that the runs share, and the tables that are cut into runs.
interface AllRuns {
  profile: Omit<Profile, 'runs'>;
  shared: Shared;
  events: EventRow[];
  modules: ModuleInfo[];
  cautions: string[];
  tracks: ReportTracks[];
  tables: RunTables;
}

function readAll({ header, columns }: Contents): AllRuns {
  const shared = readShared(columns, header.source_suffixes ?? []);
  const modules = readModules(columns);
  const code = readCode(columns);
  code.frames.language.forEach((language, frame) => {
    const module = code.frames.module[frame];
    if (module >= 0) modules.kind[module] ||= header.words.language_kinds[language] ?? 0;
  });
  return {
    profile: {
      columns,
      ...code,
      modules,
      stacks: readStacks(columns),
      labels: readLabels(columns),
      labelSets: readLabelSets(columns),
      samples: readSamples(columns),
      names: readNames(columns),
      words: header.words,
      advice: new Map((header.advice ?? []).map(({ module, end, text }) => [adviceKey(module, end), text])),
      threads: { label: shared.threads.map(({ label }) => label), process: columns.ids('thread.process') },
      processes: { label: shared.processes.map(({ label }) => label) },
      annotations: header.annotations ?? [],
      reports: readReports(header, columns),
    },
    shared,
    events: readEvents(columns),
    modules: rowsOf(modules),
    cautions: header.cautions ?? [],
    tracks: readReportTracks(header, columns),
    tables: {
      marks: readMarks(columns, shared.sources),
      spans: readSpans(columns),
      series: labelSeries(readSeries(columns), shared),
      points: readPoints(columns),
      lossMoments: readLossMoments(columns),
    },
  };
}

// From the sources; if there are none, from the facts of the recording.
function runHosts(
  { sources, processes }: Shared,
  own: number[],
  counters: CounterInfo[],
  facts: [string, string][],
): string[] {
  const hosts = hostsOf(
    sources,
    new Set([...own.map((id) => processes[id].source), ...counters.map(({ source }) => source)]),
  );
  if (hosts.length > 0) return hosts;
  return [...new Set(facts.filter(([key]) => key === 'host' || key === 'hostname').map(([, value]) => value))];
}

// `rowsIn` returns the run's rows of a table.
function readRun(all: AllRuns, run: RunHeader, rowsIn: (table: string) => [number, number]): Run {
  const { tables, shared, modules } = all;
  const { frames, samples, stacks, threads } = all.profile;
  const [begin, end] = rowsIn('samples');
  const events: EventInfo[] = all.events.map((event, i) => ({ ...event, ...run.events[i] }));
  const ownThreads = idsIn(samples.thread.subarray(begin, end));
  const ownProcesses = idsIn(Int32Array.from(ownThreads, (id) => threads.process[id]));
  const marks = cut(tables.marks, tables.marks.time.length, ...rowsIn('marks'));
  const counters = cutCounters(tables, ...rowsIn('counters'));
  const info: ProfileInfo = {
    title: run.title,
    repeats: run.repeats,
    facts: run.facts.map(([key, value]) => ({ key, value })),
    losses: run.losses.map(({ data_loss, ...loss }) => ({ ...loss, dataLoss: data_loss })),
    notes: run.notes,
    cautions: all.cautions,
    events,
    modules,
    ...shared,
    threads: shifted(shared.threads, run.after_first_ns),
    ownThreads,
    ownProcesses,
    hosts: runHosts(shared, ownProcesses, counters, run.facts),
    ...labelsIn(all.profile, samples.labels.subarray(begin, end)),
    cpus: run.cpus,
    samples: events.reduce((sum, event) => sum + event.samples, 0),
    rows: end - begin,
    stacks: stacks.parent.length,
    hasTime: run.has_time,
    hasThreads: ownThreads.length > 0,
    hasModules: modules.length > 0,
    hasModes: frames.mode.some((mode) => mode !== 0),
    isInterpreted: nativeCodeFrame(all.profile) >= 0,
    hasLines: frames.line.some((line) => line !== 0),
    hasAddresses: frames.address.some((address) => address !== 0n),
    startTime: run.start_ns,
    duration: run.duration_ns,
    marks,
    counters,
    spans: cutSpans(tables.spans, ...rowsIn('spans')),
    lossMoments: cut(tables.lossMoments, tables.lossMoments.begin.length, ...rowsIn('loss_moments')),
    secondClock: secondClock(marks),
    tracks: all.tracks,
    annotated: [],
  };
  return { begin, end, info };
}

export function buildProfile(bytes: Uint8Array): Profile {
  const contents = readContents(bytes);
  const all = readAll(contents);
  const ends = new Map<string, number>(); // by table: the first row of the next run
  const runs = contents.header.runs.map((run) =>
    readRun(all, run, (table) => {
      const from = ends.get(table) ?? 0;
      const to = from + (run.rows[table] ?? 0);
      ends.set(table, to);
      return [from, to];
    }),
  );
  return { runs, ...all.profile };
}

export async function readPage(parts: Uint8Array[]): Promise<Profile> {
  return buildProfile(await unpack(parts));
}
