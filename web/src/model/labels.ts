// SPDX-License-Identifier: Apache-2.0
// Groups of frames: what the rows of a table and the boxes of a graph represent (src/analyze/groups.h).
//
// Besides the frames of the profile there are artificial ones: one per module (for collapse-library), and one per
// process and thread (root_levels.ts) with one more each for samples that have none. They are numbered after the real
// ones:
//
//     0 .. F-1 frames, M modules, P processes, no process, T threads, no thread
//
// A grouping maps all of them to rows of Labels. By function, frames that differ only in address or line are one row.
// Frames with equal names are two rows if their modules differ, or if one is in the kernel and the other is not. If two
// runs are compared, each name is one row, as in `wick diff`: a new build often has another file name.
import type { GroupBy, Labels } from './interface.ts';
import { poolNames } from './pool_names.ts';
import { frameName } from './profile.ts';
import type { Profile, Run } from './profile.ts';
import { frameKind, kindNames, pageKind, ranBefore } from './words.ts';

export interface Grouping {
  by: GroupBy;
  ofFrame: Int32Array; // by frame, artificial ones included
  size: number;
  empty: number; // the row of "[empty stack]"
  labels: Labels;
  ranks: Uint32Array; // position of each row in the order of names
}

export const moduleFrame = (profile: Profile, module: number): number => profile.frames.func.length + module;
export const processFrame = (profile: Profile, process: number): number =>
  moduleFrame(profile, profile.modules.path.length) + (process < 0 ? profile.processes.label.length : process);
export const threadFrame = (profile: Profile, thread: number): number =>
  processFrame(profile, -1) + 1 + (thread < 0 ? profile.threads.label.length : thread);
export const frameCountOf = (profile: Profile): number => threadFrame(profile, -1) + 1; // artificial ones included
export const isRootFrame = (profile: Profile, frame: number): boolean => frame >= processFrame(profile, 0);

// The name of a frame's group.
function groupName(profile: Profile, frame: number, by: GroupBy): string {
  const { frames, modules, files } = profile;
  if (by === 'function') return frameName(profile, frame);
  if (by === 'module') return modules.name[frames.module[frame]] || '[unknown]';
  const file = files[frames.file[frame]] ?? '';
  if (by === 'file') return file === '' ? '[no file]' : file;
  const line = frames.line[frame];
  return file === '' || line === 0 ? `${frameName(profile, frame)} [no line]` : `${file}:${line}`;
}

class Rows {
  readonly name: string[] = [];
  readonly module: number[] = [];
  readonly kind: number[] = [];
  readonly file: number[] = [];
  readonly line: number[] = [];
  readonly late: boolean[] = [];
  readonly ladder: number[] = [];

  add(name: string, module: number, kind: number, file: number, line: number, ladder = 0): number {
    this.name.push(name);
    this.ladder.push(ladder);
    this.module.push(module);
    this.kind.push(kind);
    this.file.push(file);
    this.line.push(line);
    this.late.push(false);
    return this.name.length - 1;
  }
}

// Gives equal texts equal small numbers.
class Interner {
  private readonly known = new Map<string, number>();
  of(text: string): number {
    let id = this.known.get(text);
    if (id === undefined) this.known.set(text, (id = this.known.size));
    return id;
  }
}

// The names of processes or threads as roots; the last one is that of samples without. Those of one name share a root.
// Names of compared runs that differ in the numbers of a pool are one, as in `wick diff --by thread`.
function rootNames(
  profile: Profile,
  tasks: { name: string; label: string }[],
  ofRun: (run: Run) => number[],
): string[] {
  const unknown = '[unknown]';
  if (profile.runs.length < 2) return [...tasks.map(({ name, label }) => name || label), unknown];
  const names = tasks.map(({ name }) => name || unknown);
  const pools = poolNames(profile.runs.map((run) => new Set(ofRun(run).map((id) => names[id] ?? unknown))));
  return [...names.map((name) => pools.get(name) ?? name), unknown];
}

// Rows for the roots of State.levels.
function addRoots(profile: Profile, rows: Rows, ofFrame: Int32Array): void {
  const { processes, threads } = profile.runs[0].info;
  const add = (kind: 'process' | 'thread', names: string[], firstFrame: number): void => {
    const known = new Map<string, number>();
    names.forEach((name, i) => {
      let row = known.get(name);
      if (row === undefined)
        known.set(name, (row = rows.add(`${kind} ${name}`, -1, pageKind(profile.words, kind), -1, 0)));
      ofFrame[firstFrame + i] = row;
    });
  };
  add(
    'process',
    rootNames(profile, processes, ({ info }) => info.ownProcesses),
    processFrame(profile, 0),
  );
  add(
    'thread',
    rootNames(profile, threads, ({ info }) => info.ownThreads),
    threadFrame(profile, 0),
  );
}

export function makeGrouping(profile: Profile, by: GroupBy): Grouping {
  const { frames, functions, modules, files, words } = profile;
  const frameCount = frames.func.length;
  const ofFrame = new Int32Array(frameCountOf(profile));
  const rows = new Rows();
  const names = new Interner();
  const paths = new Interner();
  const nameOfFunction = new Int32Array(functions.name.length).fill(-1); // interned once, for speed
  const pathOfModule = Int32Array.from(modules.path, (path) => paths.of(path) + 1);
  const known = new Map<number, number>();
  const firstOfModule = new Int32Array(modules.path.length).fill(-1);
  for (let frame = 0; frame < frameCount; ++frame) {
    const func = frames.func[frame];
    const module = frames.module[frame];
    const kind = frameKind(words, frames.mode[frame], frames.flags[frame], frames.language[frame]);
    let nameId = by === 'function' && func >= 0 ? nameOfFunction[func] : -1;
    let name = '';
    if (nameId < 0) {
      name = groupName(profile, frame, by);
      nameId = names.of(name);
      if (by === 'function' && func >= 0) nameOfFunction[func] = nameId;
    }
    const paired = profile.runs.length > 1;
    const apart = !paired && by === 'function' && words.kinds[kind].apart ? kind : 0;
    const path = paired || module < 0 ? 0 : pathOfModule[module];
    const key = (nameId * (modules.path.length + 1) + path) * words.kinds.length + apart;
    let row = known.get(key);
    if (row === undefined) {
      const file = by === 'line' || by === 'file' ? frames.file[frame] : func < 0 ? -1 : functions.file[func];
      const line = by === 'line' ? frames.line[frame] : func < 0 ? 0 : functions.line[func];
      const ladder = by === 'function' && func >= 0 ? functions.ladder[func] : 0;
      row = rows.add(name === '' ? groupName(profile, frame, by) : name, module, kind, file, line, ladder);
      known.set(key, row);
    }
    ofFrame[frame] = row;
    // A module or file has other samples, too.
    const marks = (by === 'function' || by === 'line') && func >= 0 && frames.mode[frame] === words.late.mode;
    if (marks && ranBefore(words, frameName(profile, frame)) !== undefined) rows.late[row] = true;
    if (module >= 0 && by === 'module') firstOfModule[module] = row;
  }
  const library = pageKind(words, 'library');
  for (let module = 0; module < modules.path.length; ++module) {
    const own = rows.add(modules.name[module] || '[unknown]', module, library, -1, 0);
    ofFrame[frameCount + module] = firstOfModule[module] >= 0 ? firstOfModule[module] : own;
  }
  addRoots(profile, rows, ofFrame);
  const empty = rows.add('[empty stack]', -1, 0, -1, 0);
  const labels: Labels = {
    name: rows.name,
    ladder: Uint32Array.from(rows.ladder),
    ladders: profile.ladders,
    module: Int32Array.from(rows.module),
    kind: Uint8Array.from(rows.kind),
    kinds: kindNames(words),
    file: Int32Array.from(rows.file),
    line: Uint32Array.from(rows.line),
    files,
    late: Uint8Array.from(rows.late, Number),
  };
  return { by, ofFrame, size: rows.name.length, empty, labels, ranks: nameRanks(rows.name) };
}

function nameRanks(names: string[]): Uint32Array {
  const order = Uint32Array.from(names, (_, row) => row);
  order.sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b));
  const ranks = new Uint32Array(names.length);
  for (let rank = 0; rank < order.length; ++rank) ranks[order[rank]] = rank;
  return ranks;
}
