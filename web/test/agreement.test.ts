// SPDX-License-Identifier: Apache-2.0
// The model and wick's C++ analyses answer the same questions; these tests compare every number of the answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import type { State } from '../src/model/interface.ts';
import { isLateNode } from '../src/ui/late_marks.ts';
import {
  compareAll,
  compareQuality,
  compareSandwiches,
  compareShown,
  compareTable,
  compareTree,
  idOf,
} from './compare.ts';
import { file, modelOf, perfText, report, SOURCE, words } from './support.ts';

const perf = file('all.perf.txt', perfText(1, 1500));
const small = file('small.folded', 'a;b;a 3\na;c 2\na 1\nb 4\n 2\n');
const decimal = file('decimal.folded', 'a;b 1.5\na 0.25\n');
// A third of the time is where the kernel turns interrupts on again, also as a caller.
const late = file(
  'late.perf.txt',
  [['finish_task_switch.isra.0', '__schedule'], ['vfs_read'], ['vfs_read', 'finish_task_switch.isra.0']]
    .flatMap((kernel, stack) =>
      Array.from({ length: 20 }, (_, i) =>
        [
          `prog 7/7 [000] 1.${String(100000 + 20 * i + stack)}: 1000000 cpu-clock: `,
          ...kernel.map((name, depth) => `\tffffffff8100${stack}${depth}00 ${name}+0x10 ([kernel.kallsyms])`),
          '\t401000 main+0x10 (/bin/prog)',
          '',
        ].join('\n'),
      ),
    )
    .join('\n') + '\n',
);
const inputs: [string, string][] = [
  ['late samples', late],
  ['a perf script with threads, CPUs and two events', perf],
  ['recursion and an empty stack', small],
  ['decimals', decimal],
  ['the demo', `${SOURCE}/docs/demo/wick-itself.folded.gz`],
  ['a kernel', `${SOURCE}/docs/demo/kernel-before.perf.txt.gz`],
  ['a recording of wick record', `${SOURCE}/src/formats/native/testdata/version0/recorded.wick`],
];

for (const [name, path] of inputs) {
  test(`the same numbers as wick: ${name}`, async () => {
    compareAll(await modelOf(path), initialState(), [path], 8);
  });
}

const interpreted = `${SOURCE}/web/test/interpreted.wick`;

test('stacks of interpreted programs show what --stacks says', async () => {
  const model = await modelOf(interpreted);
  compareAll(model, initialState(), [interpreted], 20);
  for (const stacks of ['mixed', 'runtime', 'native'] as const) {
    const words = [interpreted, '--stacks', stacks];
    compareShown(model, { ...initialState(), stacks }, words, 20);
    compareQuality(model, { ...initialState(), stacks }, [interpreted]); // always of all frames
    for (const focus of ['^main$', 'main|worker']) {
      compareTable(model, { ...initialState(), stacks, focus: [focus] }, [...words, '--focus', focus]);
    }
    for (const by of ['module', 'line'] as const)
      compareTable(model, { ...initialState(), stacks, groupBy: by }, [...words, '--by', by]);
    for (const levels of ['process', 'thread'] as const)
      assert.deepEqual(
        Array.from(model.callTree({ ...initialState(), stacks, levels }, { order: 'name', inverted: false }).total),
        report('flame', ...words, '--by', levels, '--order', 'name').rows.map((row) => row['total']),
      );
  }
});

test('a page of native stacks has no functions of interpreted programs', async () => {
  const words = [interpreted, '--stacks', 'native'];
  compareAll(await modelOf(...words), initialState(), words, 20);
});

test('nodes with late samples are marked where stacks end', async () => {
  const model = await modelOf(late);
  const labels = model.labels(initialState());
  for (const inverted of [false, true]) {
    const tree = model.callTree(initialState(), { order: 'name', inverted, minTotal: 0 });
    assert.equal(tree.amount.lateShare, 1 / 3);
    const marked = Array.from(tree.func.keys()).filter((node) => isLateNode(labels, tree, node));
    assert.deepEqual(
      marked.map((node) => [labels.name[tree.func[node]], tree.depth[node]]),
      [['finish_task_switch.isra.0', inverted ? 1 : 3]],
    );
  }
});

test('events are separate', async () => {
  const model = await modelOf(perf);
  const { events } = model.profile.runs[0].info;
  assert.deepEqual(events.map(({ name }) => name).sort(), ['cycles', 'page-faults']);
  events.forEach(({ name }, event) => compareAll(model, { ...initialState(), event }, [perf, '--event', name], 3));
});

// A C++ test (src/formats/native/stack_ends_test.cc) writes the file, with every kind of stack end that C++ has.
test('every kind of stack end is explained in the same words', async () => {
  const path = `${SOURCE}/web/test/stack_ends.wick`;
  const model = await modelOf(path);
  compareAll(model, initialState(), [path], 4);
  const { reasons } = model.quality(initialState());
  const incomplete = words.stack_ends.filter(({ class: is }) => is !== 'complete');
  for (const module of ['server', 'libx.so', 'perf-42.map']) {
    const own = reasons.filter((row) => row.module === module);
    assert.equal(new Set(own.map(({ reason }) => reason)).size, incomplete.length, `kinds of stack ends in ${module}`);
    // Generated code has advice of its own, which compareAll holds against the program's.
    if (!module.startsWith('perf-'))
      assert.deepEqual(own.map(({ fix }) => fix).sort(), incomplete.map(({ advice }) => advice).sort());
  }
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

test('patterns match the invisible characters of names', async () => {
  const path = file('invisible.folded', 'ovl_read\t[overlay];a 3\na\u200bb;a\x1b[1m 4\n\\x41;\u00e9 5\nplain;[ab] 6\n');
  const model = await modelOf(path);
  for (const pattern of ['\\s', '\\t\\[', '\\d', 'a.b', '\\x1b', '[^[:ascii:]]', '^[[:print:]]+$', '\\\\x'])
    for (const flag of ['focus', 'ignore'] as const) {
      const { weight } = model.amount({ ...initialState(), [flag]: [pattern] });
      assert.equal(weight, report('report', path, `--${flag}`, pattern).total, `--${flag} ${pattern}`);
    }
});

test('modules are focused and hidden as by --focus and --hide', async () => {
  const model = await modelOf(perf);
  const module = model.profile.modules.name.indexOf('libcore.so');
  const state = initialState();
  compareTree(model, { ...state, modules: [module] }, [perf, '--focus', 'libcore']);
  compareTree(model, { ...state, hiddenModules: [module] }, [perf, '--hide', 'libcore']);
  compareTree(model, { ...state, transforms: [{ type: 'focus-module', module }] }, [perf, '--show', 'libcore']);
});

test('transforms that the command line also has', async () => {
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

test('a filter at writing time stays in effect', async () => {
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
