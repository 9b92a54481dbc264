// The model and wick's C++ analyses answer the same questions; here every answer is compared, number by number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import type { CallTree, State } from '../src/model/interface.ts';
import type { Model } from '../src/model/model.ts';
import { file, modelOf, perfText, report, SOURCE } from './support.ts';
import type { Row } from './support.ts';

const perf = file('all.perf.txt', perfText(1, 1500));
const small = file('small.folded', 'a;b;a 3\na;c 2\na 1\nb 4\n 2\n');
const decimal = file('decimal.folded', 'a;b 1.5\na 0.25\n');
const inputs: [string, string][] = [
  ['a perf script with threads, CPUs and two events', perf],
  ['recursion and an empty stack', small],
  ['decimals', decimal],
  ['the demo', `${SOURCE}/docs/demo/wick-itself.folded.gz`],
  ['a kernel', `${SOURCE}/docs/demo/kernel-before.perf.txt.gz`],
];

function idOf(model: Model, state: State, name: string): number {
  const func = model.labels(state).name.indexOf(name);
  assert.ok(func >= 0, name);
  return func;
}

function scaleOf(model: Model, state: State): number {
  return model.profile.runs[state.profile].info.events[state.event].scale;
}

function compareTable(model: Model, state: State, words: string[]): void {
  const expected = report('report', ...words);
  const labels = model.labels(state);
  const table = model.functions(state);
  const scale = scaleOf(model, state);
  assert.equal(table.amount.weight / scale, expected.total);
  assert.equal(table.amount.samples, expected.samples);
  const rows = Array.from(table.func, (func, row) => ({
    name: labels.name[func],
    self: table.self[row] / scale,
    total: table.total[row] / scale,
    samples: table.selfSamples[row],
    low: table.selfLow[row],
    high: table.totalHigh[row],
  }));
  assert.deepEqual(
    rows,
    expected.rows.map((row: Row) => ({
      name: row['name'],
      self: row['self'],
      total: row['total'],
      samples: row['samples'],
      low: row['self_share_low'],
      high: row['total_share_high'],
    })),
  );
}

function rowsOfTree(model: Model, state: State, tree: CallTree): Row[] {
  const names = model.labels(state).name;
  const scale = scaleOf(model, state);
  return Array.from(tree.func, (func, row) => ({
    depth: tree.depth[row],
    parent: Math.max(0, tree.parent[row]),
    name: func < 0 ? 'all' : names[func],
    total: tree.total[row] / scale,
    self: tree.self[row] / scale,
  }));
}

function checkShape(tree: CallTree): void {
  const below = new Float64Array(tree.size);
  for (let row = tree.size - 1; row > 0; --row) {
    const parent = tree.parent[row];
    assert.ok(parent < row && row < tree.end[parent] && tree.end[row] <= tree.end[parent]);
    assert.equal(tree.depth[row], tree.depth[parent] + 1);
    assert.ok(tree.left[row] >= tree.left[parent]);
    assert.ok(tree.left[row] + tree.total[row] <= tree.left[parent] + tree.total[parent]);
    below[parent] += tree.total[row];
  }
  for (let row = 0; row < tree.size; ++row) assert.equal(tree.self[row] + below[row], tree.total[row]);
}

function compareTree(model: Model, state: State, words: string[]): void {
  for (const order of ['name', 'weight'] as const) {
    for (const inverted of [false, true]) {
      const expected = report('flame', ...words, '--order', order, ...(inverted ? ['--reverse'] : [])).rows.filter(
        (row: Row, i: number) => i === 0 || (row['total'] as number) > 0,
      );
      const tree = model.callTree(state, { order, inverted, minTotal: 0 });
      checkShape(tree);
      const rows = rowsOfTree(model, state, tree);
      assert.deepEqual(
        rows.map(({ parent, ...row }) => row),
        expected.map(({ depth, name, total, self }: Row) => ({ depth, name, total, self })),
        `${order} ${inverted ? 'inverted' : ''}`,
      );
    }
  }
}

// "a;b 3" for each row. Sorted: siblings of one weight and one name, from two modules, have no order of their own.
function pathsOf(rows: Row[]): string[] {
  const open: string[] = [];
  return rows
    .map((row) => {
      open.length = row['depth'] as number;
      open.push(row['name'] as string);
      return `${open.join(';')} ${row['total']}`;
    })
    .sort();
}

// Callers and callees of every function of the table.
function compareSandwiches(model: Model, state: State, words: string[], most: number): void {
  const labels = model.labels(state);
  const scale = scaleOf(model, state);
  for (const func of model.functions(state).func.slice(0, most)) {
    const name = labels.name[func];
    if (labels.name.indexOf(name) !== labels.name.lastIndexOf(name) || name.startsWith('[')) continue; // taken together by wick
    const expected = report('sandwich', ...words, name, '--depth', '0', '--min-share', '0');
    const result = model.sandwich(state, func, { order: 'weight', inverted: false, minTotal: 0 });
    const own = expected.rows.find((row) => row['relation'] === 'function') as Row;
    assert.equal(result.self / scale, own['self'], name);
    assert.equal(result.total / scale, own['total'], name);
    for (const [relation, tree] of [
      ['caller', result.callers],
      ['callee', result.callees],
    ] as const) {
      checkShape(tree);
      const rows = rowsOfTree(model, state, tree)
        .slice(1)
        .map((row) => ({ ...row, depth: (row['depth'] as number) - 1 }));
      const wanted = expected.rows.filter(
        (row) => row['relation'] === relation && row['name'] !== '[no caller]' && row['total'] !== 0,
      );
      assert.deepEqual(pathsOf(rows), pathsOf(wanted), `${relation}s of ${name}`);
      const share = (total: unknown): string => (((total as number) * scale) / tree.amount.weight).toFixed(12);
      assert.deepEqual(
        rows.map((row) => share((row as Row)['total'])).sort(),
        wanted.map((row) => (row['total_share'] as number).toFixed(12)).sort(),
        'shares are of everything',
      );
    }
  }
}

function compareQuality(model: Model, state: State, words: string[]): void {
  const expected = report('quality', ...words);
  const result = model.quality(state);
  for (const figure of ['complete', 'truncated', 'broken', 'unknown', 'lost'] as const)
    assert.equal(result[figure], expected[figure], figure);
  assert.deepEqual(
    result.modules.map(({ module, ...counts }) => ({ ...counts, name: module })),
    expected.rows,
  );
  assert.deepEqual(
    result.reasons.map(({ module, samples, reason, fix }) => ({ samples, name: module, reason, fix })),
    expected.sections?.['reasons'] ?? [],
  );
}

function compareBreakdowns(model: Model, state: State, words: string[]): void {
  const scale = scaleOf(model, state);
  for (const by of ['module', 'thread', 'process', 'cpu'] as const) {
    const expected = report('report', ...words, '--by', by);
    const result = model.breakdown(state, by);
    const rows = result.label.map((name, row) => [name, result.total[row] / scale]).sort();
    assert.deepEqual(rows, expected.rows.map((row) => [row['name'], row['total']]).sort(), by);
  }
}

function compareAll(model: Model, state: State, words: string[], sandwiches: number): void {
  compareTable(model, state, words);
  compareTree(model, state, words);
  compareSandwiches(model, state, words, sandwiches);
  compareQuality(model, state, words);
  compareBreakdowns(model, state, words);
}

for (const [name, path] of inputs) {
  test(`the same numbers as wick: ${name}`, async () => {
    compareAll(await modelOf(path), initialState(), [path], 8);
  });
}

test('events are told apart', async () => {
  const model = await modelOf(perf);
  const { events } = model.profile.runs[0].info;
  assert.deepEqual(events.map(({ name }) => name).sort(), ['cycles', 'page-faults']);
  events.forEach(({ name }, event) => compareAll(model, { ...initialState(), event }, [perf, '--event', name], 3));
});

test('stacks that end in many ways are explained in the same words', async () => {
  const rich = `${SOURCE}/src/formats/native/testdata/version0/rich.wick`;
  const model = await modelOf(rich);
  const { events } = model.profile.runs[0].info;
  events.forEach(({ name }, event) => compareQuality(model, { ...initialState(), event }, [rich, '--event', name]));
});

test('grouped by line and module', async () => {
  const model = await modelOf(perf);
  for (const by of ['module', 'line'] as const)
    compareTable(model, { ...initialState(), groupBy: by }, [perf, '--by', by]);
});

test('filters mean what they mean on the command line', async () => {
  const model = await modelOf(perf);
  const { info } = model.profile.runs[0];
  const state = initialState();
  const thread = info.threads.findIndex(({ tid }) => tid === 11);
  const process = info.processes.findIndex(({ pid }) => pid === 10);
  const cases: [Partial<State>, string[]][] = [
    [{ threads: [thread] }, ['--thread', '11']],
    [{ processes: [process] }, ['--process', '10']],
    [{ cpus: [1, 2] }, ['--cpu', '1,2']],
    [{ mode: 'kernel' }, ['--mode', 'kernel']],
    [{ mode: 'user' }, ['--mode', 'user']],
    [{ range: [0.2e9, 0.7e9] }, ['--time', '0.2..0.7']],
    [{ range: [0, info.duration] }, []],
    [{ focus: ['^fib$'] }, ['--focus', '^fib$']],
    [{ ignore: ['libc|hash'] }, ['--ignore', 'libc|hash']],
    [{ ignore: ['libc', 'hash'] }, ['--ignore', 'libc|hash']],
    [
      { threads: [thread], cpus: [0], range: [0.1e9, 0.9e9], ignore: ['encode'], mode: 'user' },
      ['--thread', '11', '--cpu', '0', '--time', '0.1..0.9', '--ignore', 'encode', '--mode', 'user'],
    ],
  ];
  for (const [change, words] of cases) compareAll(model, { ...state, ...change }, [perf, ...words], 2);
});

test('modules are kept and hidden as --focus and --hide do', async () => {
  const model = await modelOf(perf);
  const module = model.profile.modules.name.indexOf('libcore.so');
  const state = initialState();
  compareTree(model, { ...state, modules: [module] }, [perf, '--focus', 'libcore']);
  compareTree(model, { ...state, hiddenModules: [module] }, [perf, '--hide', 'libcore']);
  compareTree(model, { ...state, transforms: [{ type: 'focus-module', module }] }, [perf, '--show', 'libcore']);
});

test('transforms that the command line has, too', async () => {
  const model = await modelOf(perf);
  const state = initialState();
  const func = idOf(model, state, 'encode');
  const by = 'function' as const;
  const same = model.labels(state).name.filter((name) => name === 'encode').length;
  assert.equal(same, 1);
  const focused: State = { ...state, transforms: [{ type: 'focus-function', by, func }] };
  compareTable(model, focused, [perf, '--from', '^encode$']);
  compareTree(model, focused, [perf, '--from', '^encode$']);
  compareSandwiches(model, focused, [perf, '--from', '^encode$'], 2);
  compareTable(model, { ...state, transforms: [{ type: 'drop-function', by, func }] }, [perf, '--ignore', '^encode$']);
  compareTree(model, { ...state, transforms: [{ type: 'merge-function', by, func }] }, [perf, '--hide', '^encode$']);
});

test('what was filtered before it was written stays so', async () => {
  const words = [perf, '--thread', '12', '--time', '0.3..'];
  compareAll(await modelOf(...words), initialState(), words, 2);
});

test('folded text of the tree as wick converts it', async () => {
  const model = await modelOf(small);
  const { wick } = await import('./support.ts');
  const lines = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .sort();
  const expected = lines(wick('convert', small, '--to', 'folded', '-o', '-')).filter((line) => !line.startsWith(' '));
  assert.deepEqual(lines(model.folded(initialState())), expected);
});

test('two files are compared over one set of ids', async () => {
  const before = file('before.folded', 'main;old 10\nmain;work 30\n');
  const after = file('after.folded', 'main;work 20\nmain;fresh;deep 40\n');
  const model = await modelOf(before, after);
  compareTable(model, { ...initialState(), profile: 0 }, [before]);
  compareTable(model, { ...initialState(), profile: 1 }, [after]);
  const tree = model.diffTree(initialState(), { order: 'name', inverted: false, width: 'larger', normalised: false });
  const names = model.labels(initialState()).name;
  const rows = Array.from(tree.func, (func, row) => [
    func < 0 ? 'all' : names[func],
    tree.total[row],
    tree.totalBefore[row],
    tree.totalAfter[row],
  ]);
  assert.deepEqual(rows, [
    ['all', 80, 40, 60],
    ['main', 80, 40, 60],
    ['fresh', 40, 0, 40],
    ['deep', 40, 0, 40],
    ['old', 10, 10, 0],
    ['work', 30, 30, 20],
  ]);
  const table = model.diffTable(initialState(), { order: 'name', inverted: false, width: 'larger', normalised: true });
  assert.equal(names[table.func[0]], 'deep');
  assert.equal(table.amountBefore.weight, 60);
  assert.equal(table.selfBefore[table.func.indexOf(names.indexOf('work'))], 45);
  const inverted = model.diffTree(initialState(), { order: 'name', inverted: true, width: 'after', normalised: false });
  assert.deepEqual(
    Array.from(inverted.func, (func, row) => [
      func < 0 ? 'all' : names[func],
      inverted.totalBefore[row],
      inverted.totalAfter[row],
    ]),
    [
      ['all', 30, 60],
      ['deep', 0, 40],
      ['fresh', 0, 40],
      ['main', 0, 40],
      ['work', 30, 20],
      ['main', 30, 20],
    ],
  );
});

test('several expressions narrow each other', async () => {
  const model = await modelOf(file('both.folded', 'main;parse;hash 3\nmain;parse 4\nmain;hash 5\n'));
  const weight = (change: Partial<State>): number => model.amount({ ...initialState(), ...change }).weight;
  assert.equal(weight({ focus: ['parse'] }), 7);
  assert.equal(weight({ focus: ['parse', 'hash'] }), 3);
  assert.equal(weight({ focus: ['parse'], ignore: ['hash'] }), 4);
});

test('each of two profiles knows its own threads', async () => {
  const sample = (comm: string, tid: number): string =>
    `${comm} 10/${tid} [000] 1.000000: 1 cycles:\n\t10 f+0x0 (/x/p)\n\n`;
  const model = await modelOf(
    file('few.txt', sample('main', 10)),
    file('more.txt', sample('main', 20) + sample('worker', 21)),
  );
  const names = model.profile.runs.map(({ info }) => info.ownThreads.map((id) => info.threads[id].label));
  assert.deepEqual(names, [['main 10'], ['main 20', 'worker 21']]);
  assert.deepEqual(
    model.profile.runs.map(({ info }) => info.ownProcesses.length),
    [1, 1],
  );
});
