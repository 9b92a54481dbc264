// The data of a page: wick's columns, packed by src/viewer/page_data.cc (the layout is described there).
//
//     gzip parts, unpacked and joined:
//      0  8  "WICKPAGE"
//      8  4  version
//     12  4  bytes of the header
//     16     header, JSON; then the columns, each at a multiple of 8 from the start
//
// gzip's own checksum finds damage; a newer version is refused with a sentence.
import { LoadError } from './interface.ts';
import type { EventInfo, LossInfo, MarkInfo, ProfileInfo, SecondClock, ThreadGroup } from './interface.ts';
import { baseName } from './profile.ts';
import type { AnalysisReport, AnnotationText, Profile, ReportColumn } from './profile.ts';

export const VERSION = 2;
const MAGIC = 'WICKPAGE';

interface ColumnHeader {
  encoding: 'raw' | 'varint' | 'delta' | 'constant';
  rows: number;
  offset: number;
  bytes: number;
  value?: number; // of constants
}
interface RunHeader {
  title: string;
  rows: number;
  facts: [string, string][];
  losses: { reason: string; what: string; detail: string; count: number; data_loss: boolean }[];
  notes: string[];
  events: { weight: number; samples: number }[];
  cpus: number[];
  has_time: boolean;
  start_ns: number;
  duration_ns: number;
  marks: { time: number; name: string; value: number | null }[];
  counters: { name: string; unit: string; points: number }[];
  spans: number;
}
interface Header {
  wick: string;
  events: { name: string; unit: string; scale: number }[];
  span_names: string[];
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

const damaged = (): LoadError =>
  new LoadError('The data inside this page are damaged. Write the page again: wick view FILE -o page.html');

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

function readHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 16 || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) throw damaged();
  const version = view.getUint32(8, true);
  if (version !== VERSION) {
    throw new LoadError(`The data inside this page are of version ${version}, and this page's script reads version ${VERSION}: ` +
      'they come from two releases of wick. Write the page again with one of them.');
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + view.getUint32(12, true)))) as Header;
  } catch {
    throw damaged();
  }
}

// Columns by name. Numbers of varints are below 2^53.
class Columns {
  private readonly bytes: Uint8Array;
  private readonly headers: Record<string, ColumnHeader>;

  constructor(bytes: Uint8Array, headers: Record<string, ColumnHeader>) {
    this.bytes = bytes;
    this.headers = headers;
  }

  private header(name: string): ColumnHeader {
    const header = this.headers[name];
    if (header === undefined || header.offset + header.bytes > this.bytes.length) throw damaged();
    return header;
  }

  // Into an array of the given kind.
  private fill<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(name: string, make: (rows: number) => T): T {
    const header = this.header(name);
    const result = make(header.rows);
    if (header.encoding === 'constant') return result.fill(header.value as number) as T;
    const { bytes } = this;
    let at = header.offset;
    const end = at + header.bytes;
    const isDelta = header.encoding === 'delta';
    let last = 0;
    for (let row = 0; row < header.rows; ++row) {
      let byte = bytes[at++];
      let value = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        value |= (byte & 127) << 7;
        let factor = 1 << 14;
        while (byte > 127 && at < end) {
          byte = bytes[at++];
          value += (byte & 127) * factor;
          factor *= 128;
        }
      }
      if (isDelta) last = value = last + (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
      result[row] = value;
    }
    if (at !== end) throw damaged();
    return result;
  }

  f64(name: string): Float64Array {
    return this.fill(name, (rows) => new Float64Array(rows));
  }
  i32(name: string): Int32Array {
    return this.fill(name, (rows) => new Int32Array(rows));
  }
  u32(name: string): Uint32Array {
    return this.fill(name, (rows) => new Uint32Array(rows));
  }
  u8(name: string): Uint8Array {
    return this.fill(name, (rows) => new Uint8Array(rows));
  }
  // Ids are stored one higher, so that "none" is 0.
  ids(name: string): Int32Array {
    const ids = this.i32(name);
    for (let row = 0; row < ids.length; ++row) --ids[row];
    return ids;
  }
  raw(name: string): Uint8Array {
    const { offset, bytes } = this.header(name);
    return this.bytes.subarray(offset, offset + bytes);
  }
  u64(name: string): BigUint64Array {
    const copy = this.raw(name).slice();
    return new BigUint64Array(copy.buffer, 0, copy.length / 8);
  }
  raw64(name: string): Float64Array {
    const copy = this.raw(name).slice();
    return new Float64Array(copy.buffer, 0, copy.length / 8);
  }
}

// All strings, cut from one text; lengths count UTF-16 units.
function readStrings(columns: Columns): string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(columns.raw('string.bytes'));
  const lengths = columns.u32('string.lengths');
  const strings: string[] = new Array(lengths.length) as string[];
  let at = 0;
  for (let i = 0; i < lengths.length; ++i) {
    strings[i] = text.slice(at, at + lengths[i]);
    at += lengths[i];
  }
  return strings;
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
export function secondClock(marks: MarkInfo[]): SecondClock | null {
  const time: number[] = [];
  const value: number[] = [];
  for (const mark of marks) {
    const last = time.length - 1;
    if (mark.value === null || !Number.isFinite(mark.value)) continue;
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
        text: [], number: columns.raw64(at), low: hasInterval ? columns.raw64(`${at}.low`) : none,
        high: hasInterval ? columns.raw64(`${at}.high`) : none,
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

export function buildProfile(bytes: Uint8Array): Profile {
  const header = readHeader(bytes);
  const columns = new Columns(bytes, header.columns);
  const strings = readStrings(columns);
  const texts = (name: string): string[] => Array.from(columns.u32(name), (id) => strings[id] ?? '');
  const modulePaths = texts('module.path');
  const buildIds = texts('module.build_id');
  const fileIds = columns.u32('function.file');
  const files: string[] = [];
  const fileOf = new Map<number, number>();
  const functionFile = Int32Array.from(fileIds, (id) => {
    if (strings[id] === '') return -1;
    let file = fileOf.get(id);
    if (file === undefined) {
      fileOf.set(id, (file = files.length));
      files.push(strings[id]);
    }
    return file;
  });
  const parentSteps = columns.u32('stack.parent_step');
  const parent = new Int32Array(parentSteps.length);
  for (let stack = 0; stack < parent.length; ++stack) parent[stack] = stack - parentSteps[stack];
  parent[0] = -1;
  const threadNames = texts('thread.name');
  const tids = columns.f64('thread.tid');
  const threadProcess = columns.ids('thread.process');
  const pids = columns.f64('process.pid');
  const processLabels = texts('process.name').map((name, row) => numbered(name, pids[row]));
  const threadLabels = threadNames.map((name, row) => numbered(name, tids[row]));
  const { groups, groupOf } = groupThreads(threadNames);
  const frames: Profile['frames'] = {
    func: columns.ids('frame.function'), module: columns.ids('frame.module'), address: columns.u64('frame.address'),
    line: columns.u32('frame.line'), mode: columns.u8('frame.mode'), found: columns.u8('frame.found'),
    flags: columns.u8('frame.flags'),
  };
  const modules = modulePaths.map((path, row) => ({ path, name: baseName(path), buildId: buildIds[row] }));
  const shared = {
    modules,
    processes: processLabels.map((label, row) => ({ pid: pids[row], label })),
    threads: threadLabels.map((label, row) => ({ tid: tids[row], process: threadProcess[row], name: threadNames[row], label, group: groupOf[row] })),
    threadGroups: groups,
    stacks: parent.length,
    hasModules: modules.length > 0,
    hasModes: frames.mode.some((mode) => mode !== 0),
    hasLines: frames.line.some((line) => line !== 0),
    hasAddresses: frames.address.some((address) => address !== 0n),
  };
  let row = 0;
  let span = 0;
  let point = 0;
  const spanColumns = {
    begin: columns.f64('span.begin'), end: columns.f64('span.end'), thread: columns.ids('span.thread'), name: columns.i32('span.name'),
  };
  const points = { time: columns.f64('counter.time'), value: columns.raw64('counter.value') };
  const thread = columns.ids('sample.thread');
  const runs = header.runs.map((run) => {
    const events: EventInfo[] = header.events.map((event, i) => ({ ...event, ...run.events[i] }));
    const losses: LossInfo[] = run.losses.map(({ data_loss, ...loss }) => ({ ...loss, dataLoss: data_loss }));
    const marks: MarkInfo[] = run.marks;
    const begin = row;
    row += run.rows;
    const cut = (column: Float64Array | Int32Array): typeof column => column.slice(span, span + run.spans);
    const counters = run.counters.map(({ name, unit, points: count }) => {
      const from = point;
      point += count;
      return { name, unit, time: points.time.slice(from, point), value: points.value.slice(from, point) };
    });
    const ownThreads = idsIn(thread.subarray(begin, row));
    const info: ProfileInfo = {
      ...shared, title: run.title, facts: run.facts.map(([key, value]) => ({ key, value })), losses, notes: run.notes, events,
      cpus: run.cpus, samples: events.reduce((sum, event) => sum + event.samples, 0), rows: run.rows, hasTime: run.has_time,
      hasThreads: ownThreads.length > 0, ownThreads, ownProcesses: idsIn(Int32Array.from(ownThreads, (id) => threadProcess[id])), startTime: run.start_ns, duration: run.duration_ns, marks, counters,
      spans: {
        begin: cut(spanColumns.begin) as Float64Array, end: cut(spanColumns.end) as Float64Array,
        thread: cut(spanColumns.thread) as Int32Array, name: cut(spanColumns.name) as Int32Array, names: header.span_names,
      },
      secondClock: secondClock(marks), annotated: [],
    };
    span += run.spans;
    return { begin, end: row, info };
  });
  return {
    runs,
    functions: { name: texts('function.name'), file: functionFile, line: columns.u32('function.line') },
    files,
    modules: { path: modulePaths, name: modules.map(({ name }) => name) },
    frames,
    stacks: { parent, frame: columns.ids('stack.frame') },
    threads: { label: threadLabels, process: threadProcess },
    processes: { label: processLabels },
    samples: {
      time: columns.f64('sample.time'), weight: columns.f64('sample.weight'), count: columns.f64('sample.count'),
      stack: columns.i32('sample.stack'), thread, event: columns.u32('sample.event'), cpu: columns.ids('sample.cpu'),
      ending: columns.u8('sample.ending'),
    },
    annotations: header.annotations ?? [],
    reports: readReports(header, columns),
  };
}

export async function readPage(parts: Uint8Array[]): Promise<Profile> {
  return buildProfile(await unpack(parts));
}
