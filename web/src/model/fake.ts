// SPDX-License-Identifier: Apache-2.0
// A generated profile, to work on the page without wick: a server with workers, for ten seconds. It is always the same.
//
// The tables are read from a page without columns (tables.ts), then filled where the defaults are not enough. So a new
// column of a table also exists here.
import { Columns } from './columns.ts';
import type { MarkColumns, MarkInfo, ProfileInfo } from './interface.ts';
import { groupThreads, secondClock } from './page_data.ts';
import { PathBuilder } from './paths.ts';
import type { Profile } from './profile.ts';
import type { Words } from './words.ts';
import {
  baseName,
  readCode,
  readLabelSets,
  readLossMoments,
  readMarks,
  readModules,
  readPoints,
  readProcesses,
  readSamples,
  readSeries,
  readSpans,
  readThreads,
  rowsOf,
} from './tables.ts';

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const MODULES = ['/usr/bin/server', '/usr/lib/libc.so.6', '/usr/lib/libstdc++.so.6', '[kernel.kallsyms]'];
const NAMES = [
  'main',
  'run_loop',
  'handle_request',
  'parse<std::map<std::string, std::vector<int>>>',
  'lookup',
  'hash_string',
  'encode',
  'write_reply',
  'malloc',
  'free',
  'memcpy',
  'std::vector<int>::push_back',
  'do_syscall_64',
  'tcp_sendmsg',
  'copy_user',
  'compress',
  'crc32',
  'sort_keys',
  'compare',
  'worker_main',
  'wait_for_work',
  'futex_wait',
];

// Tables with this many rows, all of them default.
function blankTables(rows: Record<string, number>): Columns {
  const schema = Object.entries(rows).map(([row, count]) => [row, { row, rows: count, columns: {} }]);
  return new Columns(new Uint8Array(0), {}, Object.fromEntries(schema));
}

// Marks as columns, from rows; what a row lacks is unknown.
export function marksOf(columns: Columns, rows: Partial<MarkInfo>[]): MarkColumns {
  const names = rows.map(({ name = '' }) => name);
  const kinds = rows.map(({ kind = '' }) => kind);
  const blank = readMarks(columns, []);
  return {
    ...blank,
    time: Float64Array.from(rows, ({ time = 0 }) => time),
    name: Int32Array.from(rows.keys()),
    names,
    label: Int32Array.from(rows.keys()),
    labelTexts: names,
    value: Float64Array.from(rows, ({ value = null }) => value ?? NaN),
    thread: Int32Array.from(rows, ({ thread = -1 }) => thread),
    cpu: Int32Array.from(rows, ({ cpu = -1 }) => cpu),
    kind: Int32Array.from(kinds, (kind) => kinds.indexOf(kind)),
    kinds,
    labels: new Int32Array(rows.length),
  };
}

const LABELS = [
  { key: 'request', value: 'GET /' },
  { key: 'request', value: 'POST /orders' },
];

// A page that wick wrote has the words of the program.
function fakeWords(): Words {
  const kinds = ['', 'user', 'kernel', 'inlined'].map((name) => ({ name, apart: name === 'kernel' }));
  return {
    stack_ends: (['unknown', 'complete', 'truncated'] as const).map((end) => ({
      class: end,
      advice: '',
    })),
    origin_meanings: [''],
    modes: [{ kernel: false }, { kernel: false }, { kernel: true }],
    kinds,
    frame_kinds: [0, 1, 2].map((kind) => [kind, 3]), // inlined is flag 1
    language_kinds: [0],
    interpreted: {
      native_code: '[native code]',
      missing: -1,
      evaluator: 8,
      evaluator_mark: 8,
      marks: [0],
      placed: 3,
      states: [{ name: '', reason: '', advice: '' }],
      state_of: [[0, 0]],
    },
    inlined: 1,
    stitched: 'stitched',
    late: {
      events: ['cpu-clock'],
      functions: { do_syscall_64: 'the entry' },
      mode: 2,
      mark: 'late',
      note: 'late: {share} of {event}.',
      function_note: 'late: {ran} of {event}.',
      least_share: 0.01,
    },
    verdicts: { none: 'none', time: ['faster', 'slower'], size: ['smaller', 'larger'], share: ['less', 'more'] },
    whole: {
      text: '{} costs {} % {}: {} before, {} after',
      same: '{} costs the same: {}',
      less: 'less',
      more: 'more',
      chance: 'chance',
    },
    level: 0.05,
    confidence: '95 %',
    deviate: 1.96,
    least_samples: 10,
  };
}

export function fakeProfile(rows = 40_000): Profile {
  const random = randomNumbers(7);
  const threads = ['server', 'worker-1', 'worker-2', 'worker-3', 'worker-4', 'logger'];
  const moduleOf = (name: number): number =>
    ['do_syscall_64', 'tcp_sendmsg', 'copy_user', 'futex_wait'].includes(NAMES[name])
      ? 3
      : ['malloc', 'free', 'memcpy'].includes(NAMES[name])
        ? 1
        : NAMES[name].startsWith('std::')
          ? 2
          : 0;
  const builder = new PathBuilder(1000);
  const stackOfThread = (thread: number): number => {
    let node = builder.child(0, thread === 0 ? 0 : 19);
    const depth = 2 + Math.floor(random() ** 2 * 18);
    let name = thread === 0 ? 1 : 2;
    for (let level = 0; level < depth; ++level) {
      node = builder.child(node, name);
      name = (name + 1 + Math.floor(random() ** 3 * 9)) % NAMES.length;
    }
    return node;
  };
  const duration = 10e9;
  const columns = blankTables({
    sample: rows,
    function: NAMES.length,
    frame: NAMES.length,
    module: MODULES.length,
    label_set: LABELS.length + 1,
    process: 1,
    thread: threads.length,
    mark: 5,
    series: 1,
    counter: 4,
    span: 2,
    loss_moment: 1,
  });
  const samples = readSamples(columns);
  samples.weight.fill(1e6);
  samples.count.fill(1);
  samples.stackEnd.fill(1);
  const open = threads.map((_, thread) => stackOfThread(thread));
  for (let row = 0; row < rows; ++row) {
    const thread = Math.floor(random() ** 1.6 * threads.length);
    if (random() < 0.3) open[thread] = stackOfThread(thread);
    samples.time[row] = Math.floor((row * duration) / rows);
    samples.stack[row] = open[thread];
    samples.thread[row] = thread;
    samples.cpu[row] = row % 4;
    if (random() < 0.02) samples.stackEnd[row] = 2;
    samples.labels[row] = thread === 0 ? 0 : 1 + (row % LABELS.length);
  }
  const paths = builder.finish();
  const { groups, groupOf } = groupThreads(threads);
  const marks = marksOf(
    columns,
    Array.from({ length: 5 }, (_, i) => ({ time: 2e9 * i, name: `batch ${i}`, value: 1000 * i })),
  );
  const code = readCode(columns);
  const modules = { ...readModules(columns), path: MODULES, name: MODULES.map(baseName) };
  const processes = readProcesses(columns, []).map((process) => ({
    ...process,
    pid: 4711,
    name: 'server',
    label: 'server 4711',
    command: './server --workers 4',
  }));
  const info: ProfileInfo = {
    title: 'made-up server',
    facts: [
      { key: 'command', value: './server --workers 4' },
      { key: 'host', value: 'nowhere' },
    ],
    losses: [{ reason: 'ring full', what: 'samples', detail: '', count: 12, dataLoss: true }],
    notes: ['This profile is made up.'],
    cautions: [],
    events: [
      { name: 'cpu-clock', unit: 'nanoseconds', scale: 1, quantity: 'CPU time', weight: rows * 1e6, samples: rows },
    ],
    modules: rowsOf(modules),
    sources: [],
    hosts: ['nowhere'],
    processes,
    repeats: 1,
    threads: readThreads(columns, [], processes).map((thread, i) => ({
      ...thread,
      tid: 4711 + i,
      process: 0,
      name: threads[i],
      label: `${threads[i]} ${4711 + i}`,
      group: groupOf[i],
    })),
    ownThreads: threads.map((_, id) => id),
    ownProcesses: [0],
    threadGroups: groups,
    labelKeys: ['request'],
    labels: LABELS,
    cpus: [0, 1, 2, 3],
    samples: rows,
    rows,
    stacks: paths.size,
    hasTime: true,
    hasThreads: true,
    hasModules: true,
    hasModes: true,
    isInterpreted: false,
    hasLines: true,
    hasAddresses: false,
    startTime: 0,
    duration,
    marks,
    counters: readSeries(columns).map((series) => ({
      ...series,
      ...readPoints(columns),
      name: 'requests',
      label: 'requests of server 4711',
      unit: '1/s',
      kind: 'rate',
      process: 0,
      time: Float64Array.from([0, 3e9, 6e9, 9e9]),
      value: Float64Array.from([10, 80, 60, 90]),
      low: new Float64Array(4).fill(NaN),
      high: new Float64Array(4).fill(NaN),
    })),
    spans: {
      ...readSpans(columns),
      begin: Float64Array.from([1e9, 5e9]),
      end: Float64Array.from([2e9, 6e9]),
      thread: Int32Array.from([1, 2]),
      names: ['off CPU'],
      kind: Uint8Array.from([1, 1]),
      kinds: ['region', 'off-CPU'],
    },
    lossMoments: {
      ...readLossMoments(columns),
      losses: [{ reason: 'ring full', what: 'samples' }],
      begin: Float64Array.from([7e9]),
      end: Float64Array.from([7.1e9]),
      cpu: Int32Array.from([2]),
      count: Float64Array.from([12]),
    },
    secondClock: secondClock(marks),
    tracks: [],
    annotated: [],
  };
  return {
    runs: [{ begin: 0, end: rows, info }],
    columns,
    ladders: [''],
    labels: { key: LABELS.map(({ key }) => key), value: LABELS.map(({ value }) => value) },
    labelSets: { ...readLabelSets(columns), label: Int32Array.from([-1, ...LABELS.keys()]) },
    names: {
      modes: ['unknown', 'user', 'kernel'],
      origins: ['unknown'],
      stackEnds: ['unknown', 'complete', 'the copied stack is too short'],
    },
    words: fakeWords(),
    advice: new Map(),
    functions: {
      ...code.functions,
      name: NAMES,
      file: new Int32Array(NAMES.length),
      line: Uint32Array.from(NAMES, (_, i) => 10 * i + 1),
    },
    files: ['src/server.cc'],
    modules,
    frames: {
      ...code.frames,
      func: Int32Array.from(NAMES, (_, i) => i),
      module: Int32Array.from(NAMES, (_, i) => moduleOf(i)),
      file: new Int32Array(NAMES.length),
      line: Uint32Array.from(NAMES, (_, i) => 10 * i + 3),
      mode: Uint8Array.from(NAMES, (_, i) => (moduleOf(i) === 3 ? 2 : 1)),
      flags: Uint8Array.from(NAMES, (_, i) => (i % 7 === 5 ? 1 : 0)),
    },
    stacks: { parent: paths.parent, frame: paths.label },
    threads: { label: info.threads.map(({ label }) => label), process: new Int32Array(threads.length) },
    processes: { label: processes.map(({ label }) => label) },
    samples,
    annotations: [],
    reports: [],
  };
}
