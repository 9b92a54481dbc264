// SPDX-License-Identifier: Apache-2.0
// Costs of lines and instructions, for the generated profile with a generated text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeProfile } from '../src/model/fake.ts';
import { initialState } from '../src/model/interface.ts';
import { joined, Model } from '../src/model/model.ts';
import { file, modelOf, report, SOURCE } from './support.ts';

test('lines and instructions add up to the function', () => {
  const profile = fakeProfile(2000);
  const lookup = profile.functions.name.indexOf('lookup');
  profile.frames.address[lookup] = 0x1005n; // inside the second instruction
  profile.annotations.push({
    run: 0,
    frameFunction: lookup,
    note: '',
    source: { file: 'src/server.cc', firstLine: 42, lines: ['int lookup() {', '  find();', '}'] },
    code: {
      address: '0x1000',
      instructions: [
        { offset: 0, text: 'push', line: 42 },
        { offset: 4, text: 'call', line: 43 },
        { offset: 9, text: 'ret', line: 44 },
      ],
    },
  });
  const model = new Model(profile);
  model.markAnnotated();
  const state = initialState();
  const func = model.labels(state).name.indexOf('lookup');
  assert.deepEqual(profile.runs[0].info.annotated, [func]);
  const table = model.functions(state);
  const row = table.func.indexOf(func);
  const { source, assembly, hasSource, hasAssembly } = model.annotate(state, func);
  assert.ok(hasSource && hasAssembly);
  const own = source.find(({ line }) => line === profile.frames.line[lookup]);
  assert.equal(own?.self, table.self[row]);
  assert.equal(own?.total, table.total[row], 'recursion counts once');
  assert.equal(own?.text, '  find();');
  // hash_string is marked as inlined: its samples below lookup are at lookup's addresses.
  assert.ok(assembly[1].self >= table.self[row]);
  assert.deepEqual([assembly[0].self, assembly[2].self], [0, 0]);
  const ranged = model.annotate({ ...state, range: [0, 1e9] }, func).source.reduce((sum, line) => sum + line.self, 0);
  assert.ok(ranged < table.self[row]);
  // Lines that are known only from the instructions.
  profile.frames.line[lookup] = 0;
  const byCode = model.annotate(state, func).source.find(({ line }) => line === 43);
  assert.equal(byCode?.self, table.self[row]);
});

test('a page of two builds has the text of each', () => {
  const profile = fakeProfile(2000);
  const lookup = profile.functions.name.indexOf('lookup');
  profile.runs.push({ ...profile.runs[0], info: { ...profile.runs[0].info } });
  for (const [run, text] of ['old text', 'new text'].entries()) {
    profile.annotations.push({
      run,
      frameFunction: lookup,
      note: '',
      code: null,
      source: { file: 'server.cc', firstLine: 42, lines: [text] },
    });
  }
  const model = new Model(profile);
  const func = model.labels(initialState()).name.indexOf('lookup');
  const first = (run: 0 | 1): string | undefined =>
    model.annotate({ ...initialState(), profile: run }, func).source.find(({ line }) => line === 42)?.text;
  assert.deepEqual([first(0), first(1)], ['old text', 'new text']);
  profile.annotations.pop();
  model.markAnnotated();
  assert.deepEqual(
    profile.runs.map(({ info }) => info.annotated),
    [[func], []],
  );
});

test('lines of interpreted functions cost what wick annotate says', async () => {
  const path = `${SOURCE}/web/test/interpreted.wick`;
  const model = await modelOf(path);
  for (const stacks of ['mixed', 'runtime'] as const) {
    const state = { ...initialState(), stacks };
    for (const name of ['parse', 'main', 'key']) {
      const own = report('annotate', path, name, '--stacks', stacks).rows;
      const func = model.labels(state).name.indexOf(name);
      const shown = model.annotate(state, func).source.filter(({ line }) => own.some((row) => row['line'] === line));
      assert.deepEqual(
        shown.map(({ line, self, total }) => [line, self, total]),
        own.map((row) => [row['line'], row['self'], row['total']]),
        `${name}, ${stacks}`,
      );
    }
  }
});

test('folded text that no browser can hold is refused with a sentence', () => {
  assert.equal(joined(['a 1\n', 'b 2\n'], 8), 'a 1\nb 2\n');
  assert.throws(() => joined(['a 1\n', 'b 2\n'], 7), /wick convert FILE/);
});

test('a function without text says what would help', async () => {
  const model = await modelOf(file('plain.folded', 'a;b 3\n'));
  const func = model.labels(initialState()).name.indexOf('b');
  const { hasSource, hasAssembly, note, source } = model.annotate(initialState(), func);
  assert.deepEqual([hasSource, hasAssembly], [false, false]);
  assert.match(note, /has no source lines for this function/);
  assert.equal(
    source.reduce((sum, line) => sum + line.self, 0),
    3,
  );
});
