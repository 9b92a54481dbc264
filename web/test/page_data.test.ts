// SPDX-License-Identifier: Apache-2.0
// Pages with other columns than this script expects, and cases that only a page written by hand can have.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Columns } from '../src/model/columns.ts';
import type { ColumnHeader, TableSchema } from '../src/model/columns.ts';
import { initialState, markAt } from '../src/model/interface.ts';
import { Model } from '../src/model/model.ts';
import { readPage, VERSION } from '../src/model/page_data.ts';
import type { Profile } from '../src/model/profile.ts';
import { lossText } from '../src/ui/time_axis.ts';
import { directory, file, partsOf, perfText, wick, words } from './support.ts';

interface Header {
  schema: Record<string, TableSchema>;
  columns: Record<string, ColumnHeader>;
  [member: string]: unknown;
}

function pack(header: Header, columns: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const base = Math.ceil((16 + text.length) / 8) * 8;
  const bytes = new Uint8Array(base + columns.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('WICKPAGE'));
  view.setUint32(8, VERSION, true);
  view.setUint32(12, text.length, true);
  bytes.set(text, 16);
  bytes.set(columns, base);
  return new Uint8Array(gzipSync(bytes));
}

// The page with another header.
async function changed(part: Uint8Array, change: (header: Header) => void): Promise<Profile> {
  const bytes = gunzipSync(part);
  const end = 16 + bytes.readUInt32LE(12);
  const header = JSON.parse(bytes.toString('utf8', 16, end)) as Header;
  change(header);
  return readPage([pack(header, bytes.subarray(Math.ceil(end / 8) * 8))]);
}

function page(): Uint8Array {
  const path = join(directory, 'columns.html');
  wick('view', file('columns.perf.txt', perfText(4, 300)), '-o', path);
  return partsOf(readFileSync(path, 'utf8'))[0];
}

const tableOf = (profile: Profile): unknown => {
  const { func, self, total } = new Model(profile).functions(initialState());
  return [func, self, total];
};

test('columns and tables that the script does not know are skipped', async () => {
  const part = page();
  const profile = await changed(part, ({ schema, columns }) => {
    schema['frames'].columns['taste'] = { kind: 'enum', names: ['sweet', 'sour'] };
    columns['frame.taste'] = { encoding: 'constant', rows: schema['frames'].rows, value: 1 };
    schema['smells'] = { row: 'smell', rows: 2, columns: { strength: { kind: 'number' } } };
    columns['smell.strength'] = { encoding: 'of the future', rows: 2 } as unknown as ColumnHeader;
  });
  assert.deepEqual(tableOf(profile), tableOf(await readPage([part])));
  assert.equal(profile.columns.u8('frame.taste')[0], 1, 'and can be found by name');
  assert.deepEqual(profile.columns.names('frame.taste'), ['sweet', 'sour']);
});

test('columns that the page does not know have a neutral value', async () => {
  const part = page();
  const profile = await changed(part, ({ schema, columns }) => {
    for (const name of [
      'frames.line',
      'frames.found',
      'samples.cpu',
      'threads.begin_ns',
      'processes.source',
      'samples.labels',
    ]) {
      const [table, column] = name.split('.');
      delete schema[table].columns[column];
      delete columns[`${schema[table].row}.${column}`];
    }
    delete schema['threads'].columns['end_ns'];
    delete schema['label_sets'];
    delete schema['labels'];
  });
  assert.deepEqual(tableOf(profile), tableOf(await readPage([part])));
  assert.ok(profile.frames.line.every((line) => line === 0));
  assert.ok(profile.samples.cpu.every((cpu) => cpu === -1));
  const { info } = profile.runs[0];
  assert.ok(info.threads.length > 0 && info.threads.every(({ begin }) => Number.isNaN(begin)));
  assert.ok(info.processes.every(({ source, label }) => source === -1 && !label.includes('(')));
  assert.equal(info.lossMoments.begin.length, 0);
});

test('columns with equal rows are not in the page, and their value is known', async () => {
  const part = page();
  await changed(part, ({ schema, columns }) => {
    assert.equal(columns['sample.count'], undefined);
    assert.equal(schema['samples'].columns['count'].initial, 1);
    assert.equal(schema['threads'].columns['begin_ns'].initial, null);
    assert.equal(schema['frames'].columns['function'].to, 'functions');
    assert.ok(schema['frames'].columns['mode'].names?.includes('guest kernel'));
  });
  const { samples } = await readPage([part]);
  assert.ok(samples.count.length === 300 && samples.count.every((count) => count === 1));
});

// A page from columns as arrays: strings are texts, and every number is written with 8 bytes.
type Cells = (number | string)[];
function pageOf(
  tables: Record<string, [row: string, columns: Record<string, Cells>]>,
  runs: object[],
  more: object = {},
): Uint8Array {
  const strings = [''];
  const header: Header = { wick: 'test', words, schema: {}, columns: {}, runs, reports: [], report_texts: [], ...more };
  const numbers: number[] = [];
  const add = (name: string, cells: number[]): void => {
    header.columns[name] = {
      encoding: 'float64',
      rows: cells.length,
      offset: 8 * numbers.length,
      bytes: 8 * cells.length,
    };
    numbers.push(...cells);
  };
  for (const [table, [row, columns]] of Object.entries(tables)) {
    const rows = Object.values(columns)[0].length;
    header.schema[table] = { row, rows, columns: {} };
    for (const [column, cells] of Object.entries(columns)) {
      header.schema[table].columns[column] = { kind: typeof cells[0] === 'string' ? 'text' : 'number' };
      add(
        `${row}.${column}`,
        cells.map((cell) => (typeof cell === 'number' ? cell : strings.push(cell) - 1)),
      );
    }
  }
  header.schema['spans']?.columns['kind'] && (header.schema['spans'].columns['kind'].names = ['region', 'off-CPU']);
  add(
    'string.lengths',
    strings.map(({ length }) => length),
  );
  const text = new TextEncoder().encode(strings.join(''));
  header.columns['string.bytes'] = {
    encoding: 'raw',
    rows: text.length,
    offset: 8 * numbers.length,
    bytes: text.length,
  };
  const bytes = new Uint8Array(8 * numbers.length + text.length);
  bytes.set(new Uint8Array(Float64Array.from(numbers).buffer));
  bytes.set(text, 8 * numbers.length);
  return pack(header, bytes);
}

const run = (rows: Record<string, number>, more: object = {}): object => ({
  title: 't',
  rows,
  facts: [],
  losses: [],
  notes: [],
  events: [{ weight: 3, samples: 3 }],
  cpus: [0],
  has_time: true,
  start_ns: 0,
  duration_ns: 100,
  after_first_ns: 0,
  ...more,
});

// Two runs: three samples with labels, then one without; spans, marks, points and a moment of loss in both.
const twoRuns = (): Uint8Array =>
  pageOf(
    {
      sources: ['source', { host: ['left', 'right'] }],
      processes: ['process', { name: ['a', 'a'], pid: [7, 7], source: [0, 1], parent: [-1, 0], command: ['a -x', ''] }],
      threads: ['thread', { name: ['a', 'a'], tid: [7, 7], process: [0, 1], begin_ns: [5, 1005], end_ns: [NaN, NaN] }],
      functions: ['function', { name: ['f', 'g'], file: ['f.cc', 'g.cc'], line: [1, 2] }],
      frames: ['frame', { function: [0, 1], file: ['', 'macros.h'], line: [10, 20], module: [-1, -1], mode: [0, 0] }],
      stacks: ['stack', { parent: [0, 0, 1], frame: [-1, 0, 1] }],
      events: ['event', { name: ['cycles'], unit: ['cycles'], scale: [1] }],
      labels: [
        'label',
        {
          key: ['user', 'size', 'user'],
          text: ['ann', '', 'bob'],
          number: [0, 17, 0],
          unit: ['', 'bytes', ''],
          is_number: [0, 1, 0],
        },
      ],
      label_sets: ['label_set', { parent: [0, 0, 1, 0], label: [-1, 1, 0, 2] }],
      samples: [
        'sample',
        {
          time_ns: [0, 50, 100, 0],
          weight: [1, 1, 1, 1],
          count: [1, 1, 1, 1],
          stack: [1, 2, 2, 1],
          thread: [0, 0, 0, 1],
          event: [0, 0, 0, 0],
          cpu: [0, 0, 0, 0],
          labels: [2, 1, 3, 0],
        },
      ],
      spans: [
        'span',
        {
          begin_ns: [1, 2, 3],
          end_ns: [9, 1, 4],
          thread: [0, 0, 1],
          name: ['wait', 'read', 'wait'],
          kind: [1, 0, 1],
          parent: [-1, 0, -1],
          stack: [1, 2, 0],
          waker: [-1, 0, -1],
          labels: [1, 0, 0],
        },
      ],
      marks: [
        'mark',
        {
          time_ns: [3, NaN, 8],
          name: ['one', 'two', 'three'],
          value: [1.5, 0, 2],
          has_value: [1, 0, 1],
          thread: [0, -1, 1],
          cpu: [-1, 2, -1],
          kind: ['k', '', ''],
        },
      ],
      series: [
        'series',
        {
          name: ['heap', 'heap'],
          unit: ['bytes', 'bytes'],
          kind: [0, 0],
          thread: [-1, 0],
          process: [-1, -1],
          cpu: [-1, -1],
        },
      ],
      counters: [
        'counter',
        {
          time_ns: [1, 2, 3, 4],
          series: [0, 1, 0, 1],
          value: [5, 6, 7, 8],
          low: [4, NaN, NaN, NaN],
          high: [6, NaN, NaN, NaN],
        },
      ],
      losses: ['loss', { reason: ['ring full', 'cut'], what: ['samples', 'stacks'] }],
      loss_moments: [
        'loss_moment',
        {
          loss: [0, 1, 0],
          begin_ns: [10, NaN, 2],
          end_ns: [12, NaN, NaN],
          cpu: [3, -1, 1],
          thread: [-1, 0, -1],
          count: [12, 1, 5],
        },
      ],
    },
    [
      run({ samples: 3, spans: 2, marks: 2, counters: 3, loss_moments: 2 }),
      run(
        { samples: 1, spans: 1, marks: 1, counters: 1, loss_moments: 1 },
        { after_first_ns: 1000, events: [{ weight: 1, samples: 1 }] },
      ),
    ],
  );

test('rows of two runs go to the run that they belong to', async () => {
  const { runs } = await readPage([twoRuns()]);
  const [before, after] = runs.map(({ info }) => info);
  assert.deepEqual([runs[0].end, runs[1].begin, runs[1].end], [3, 3, 4]);
  assert.deepEqual([[...before.spans.begin], [...after.spans.begin]], [[1, 2], [3]]);
  assert.deepEqual([[...before.spans.parent], [...after.spans.parent]], [[-1, 0], [-1]]);
  assert.deepEqual(
    before.spans.names.map((name, i) => [name, before.spans.kinds[before.spans.kind[i]]]),
    [
      ['wait', 'off-CPU'],
      ['read', 'region'],
    ],
  );
  assert.deepEqual(
    [0, 1].map((row) => {
      const { name, value, thread, kind } = markAt(before.marks, row);
      return [name, value, thread, kind];
    }),
    [
      ['one', 1.5, 0, 'k'],
      ['two', null, -1, ''],
    ],
  );
  assert.deepEqual(
    before.counters.map(({ thread, value, low }) => [thread, [...value], [...low]]),
    [
      [-1, [5, 7], [4, NaN]],
      [0, [6], [NaN]],
    ],
  );
  assert.deepEqual(
    after.counters.map(({ thread, value }) => [thread, [...value]]),
    [[0, [8]]],
  );
  assert.deepEqual(
    before.processes.map(({ source, parent, command }) => [source, parent, command]),
    [
      [0, -1, 'a -x'],
      [1, 0, ''],
    ],
  );
  assert.deepEqual([before.hosts, after.hosts], [['left'], ['right']]);
  assert.deepEqual(
    after.threads.map(({ begin }) => begin),
    [-995, 5],
    'in the time of their run',
  );
});

// One run of two hosts with equal numbers of processes, CPUs and counters; the second has a guest.
const twoHosts = (suffixes: string[]): Uint8Array =>
  pageOf(
    {
      sources: ['source', { host: ['alpha', 'beta', 'guest 1'], guest_of: [-1, -1, 1] }],
      processes: ['process', { name: ['burn', 'burn', ''], pid: [3, 3, -1], source: [0, 1, 2] }],
      threads: ['thread', { name: ['burn', 'burn', ''], tid: [3, 3, 4], process: [0, 1, 2] }],
      stacks: ['stack', { parent: [0], frame: [-1] }],
      events: ['event', { name: ['cycles'], unit: ['cycles'], scale: [1] }],
      samples: ['sample', { time_ns: [0, 1, 2], weight: [1, 1, 1], thread: [0, 1, 2] }],
      series: [
        'series',
        {
          name: ['heat', 'heat', 'heat', 'heat', 'heap', 'heap'],
          cpu: [-1, -1, 2, 2, -1, -1],
          thread: [-1, -1, -1, -1, -1, 1],
          process: [-1, -1, -1, -1, 0, -1],
          source: [1, 0, 1, 0, 0, 1],
        },
      ],
      counters: ['counter', { time_ns: [1, 1, 1, 1, 1, 1], series: [0, 1, 2, 3, 4, 5], value: [20, 10, 22, 12, 5, 6] }],
      marks: ['mark', { time_ns: [1, 2], name: ['gc', 'gc'], source: [0, 1] }],
      losses: ['loss', { reason: ['ring full'], what: ['samples'] }],
      loss_moments: ['loss_moment', { loss: [0, 0], begin_ns: [1, 10], count: [4, 5], cpu: [2, 2], source: [0, 1] }],
    },
    [run({ samples: 3, counters: 6, marks: 2, loss_moments: 2 }, { facts: [['host', 'alpha']] })],
    { source_suffixes: suffixes },
  );

test('rows of two hosts have separate names', async () => {
  const { runs, processes, threads } = await readPage([twoHosts([' (alpha)', ' (beta)', ' (guest 1)'])]);
  const [{ info }] = runs;
  assert.deepEqual(processes.label, ['burn 3 (alpha)', 'burn 3 (beta)', ' (guest 1)']);
  assert.deepEqual(threads.label, ['burn 3 (alpha)', 'burn 3 (beta)', '4 (guest 1)']);
  assert.deepEqual(
    info.threads.map(({ label }) => label),
    threads.label,
  );
  assert.deepEqual(
    info.counters.map(({ label, value }) => [label, ...value]),
    [
      ['heap of burn 3 (alpha)', 5],
      ['heap of burn 3 (beta)', 6],
      ['heat (alpha)', 10],
      ['heat (beta)', 20],
      ['heat of CPU 2 (alpha)', 12],
      ['heat of CPU 2 (beta)', 22],
    ],
  );
  assert.deepEqual(
    [0, 1].map((row) => markAt(info.marks, row).label),
    ['gc (alpha)', 'gc (beta)'],
  );
  assert.equal(lossText(info, 1, 1), '4 samples lost on CPU 2 (alpha): ring full');
  assert.equal(lossText(info, 1, 10), '9 samples lost: ring full', 'CPU 2 of one host is not that of the other');
  assert.deepEqual(info.hosts, ['alpha', 'beta'], 'a guest is on one of them');
});

test('names do not mention the host where wick does not', async () => {
  const [{ info }] = (await readPage([twoHosts([])])).runs;
  assert.deepEqual(
    info.processes.map(({ label }) => label),
    ['burn 3', 'burn 3', ''],
  );
  assert.deepEqual(
    info.counters.map(({ label }) => label),
    ['heap of burn 3', 'heap of burn 3', 'heat', 'heat', 'heat of CPU 2', 'heat of CPU 2'],
  );
});

test('the host of a recording without sources is a fact', async () => {
  const part = pageOf({ events: ['event', { name: ['cycles'], unit: ['cycles'] }] }, [
    run(
      {},
      {
        facts: [
          ['hostname', 'box'],
          ['hostname', 'box'],
          ['host', 'shelf'],
        ],
      },
    ),
  ]);
  assert.deepEqual((await readPage([part])).runs[0].info.hosts, ['box', 'shelf']);
});

test('cautions are of the whole page', async () => {
  const bytes = pageOf({}, [run({ samples: 0 })], { cautions: ['Not optimised.'] });
  assert.deepEqual((await readPage([bytes])).runs[0].info.cautions, ['Not optimised.']);
  assert.deepEqual((await readPage([twoRuns()])).runs[1].info.cautions, [], 'pages of older versions have none');
});

test('a loss has a time, a location and a count', async () => {
  const { runs } = await readPage([twoRuns()]);
  const [before, after] = runs.map(({ info }) => info);
  assert.deepEqual([[...before.lossMoments.count], [...after.lossMoments.count]], [[12, 1], [5]]);
  assert.equal(lossText(before, 11, 20), '12 samples lost on CPU 3: ring full');
  assert.equal(lossText(before, 13, 20), '');
  assert.equal(lossText(after, 0, 5), '5 samples lost on CPU 1: ring full');
});

test('labels filter samples as --label does', async () => {
  const model = new Model(await readPage([twoRuns()]));
  const weight = (...labels: [string, string][]): number =>
    model.amount({ ...initialState(), labels: labels.map(([key, pattern]) => ({ key, pattern })) }).weight;
  assert.equal(weight(['user', 'ann|bob']), 2);
  assert.equal(weight(['user', '^ann$']), 1);
  assert.equal(weight(['size', '^17 bytes$']), 2);
  assert.equal(weight(['size', '17'], ['user', 'ann']), 1, 'each of them');
  assert.equal(weight(['user', '17']), 0, 'the key counts');
  assert.equal(weight(['use', 'ann']), 0, 'the whole key');
  const [before, after] = model.profile.runs.map(({ info }) => info);
  assert.deepEqual(before.labels, [
    { key: 'user', value: 'ann' },
    { key: 'size', value: '17 bytes' },
    { key: 'user', value: 'bob' },
  ]);
  assert.deepEqual([before.labelKeys, after.labelKeys], [['user', 'size'], []]);
});

test('a line is in the file of its frame', async () => {
  const model = new Model(await readPage([twoRuns()]));
  const names = (groupBy: 'line' | 'file' | 'function'): string[] =>
    model.labels({ ...initialState(), groupBy }).name.slice(0, 2);
  assert.deepEqual(names('line'), ['f.cc:10', 'macros.h:20']);
  assert.deepEqual(names('file'), ['f.cc', 'macros.h']);
  const weight = (...focus: string[]): number => model.amount({ ...initialState(), focus }).weight;
  assert.deepEqual(
    [weight('macros'), weight('g\\.cc'), weight('f\\.cc')],
    [2, 2, 3],
    'a pattern matches it, or that of the function',
  );
  const { file: files, files: list } = model.labels(initialState());
  assert.deepEqual([list[files[0]], list[files[1]]], ['f.cc', 'g.cc'], 'a function is where it is declared');
});

test('every encoding is decoded', () => {
  const words = BigUint64Array.from([2n ** 64n - 1n, 3n]);
  const bytes = new Uint8Array([...new Uint8Array(words.buffer), 0, 1, 3, 0x80, 1, 1, 2, 9]);
  const columns = new Columns(
    bytes,
    {
      'x.wide': { encoding: 'uint64', rows: 2, offset: 0, bytes: 16 },
      'x.signed': { encoding: 'int64', rows: 2, offset: 0, bytes: 16 },
      'x.step': { encoding: 'step', rows: 2, offset: 16, bytes: 2 },
      'x.id': { encoding: 'varint', rows: 2, offset: 16, bytes: 2, minus: 1 },
      'x.time': { encoding: 'delta', rows: 3, offset: 18, bytes: 4, none: -2 },
      'x.short': { encoding: 'varint', rows: 9, offset: 16, bytes: 2 },
      'x.outside': { encoding: 'varint', rows: 1, offset: 99, bytes: 2 },
    },
    {},
  );
  assert.deepEqual(columns.digits('x.wide'), ['18446744073709551615', '3']);
  assert.deepEqual(columns.digits('x.signed'), ['-1', '3']);
  assert.deepEqual([...columns.u64('x.wide')], [2n ** 64n - 1n, 3n]);
  assert.deepEqual([...columns.u64('x.step')], [0n, 0n]);
  assert.deepEqual([...columns.f64('x.signed')], [-1, 3]);
  assert.deepEqual([...columns.i32('x.step')], [0, 0]);
  assert.deepEqual([...columns.ids('x.id')], [-1, 0]);
  assert.deepEqual([...columns.times('x.time')], [NaN, 62, 61]);
  assert.deepEqual([...columns.times('x.time', -1)], [-1, 62, 61]);
  assert.throws(() => columns.u8('x.short'), /damaged/);
  assert.throws(() => columns.u8('x.outside'), /damaged/);
  assert.deepEqual([...columns.ids('y.absent')], []);
});
