// SPDX-License-Identifier: Apache-2.0
// Asks the page and the program the same hundred questions, from a fixed seed, about a recording that the test makes, a
// profile with every kind of stack end, and the text of `perf script`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import type { State } from '../src/model/interface.ts';
import type { Model } from '../src/model/model.ts';
import {
  compareAll,
  compareBreakdowns,
  compareQuality,
  compareSandwiches,
  compareTable,
  compareTreeIn,
} from './compare.ts';
import { directory, file, modelOf, perfText, randomNumbers, report, SOURCE, WICK } from './support.ts';

const QUESTIONS = 100;
const text = file('questions.perf.txt', perfText(7, 1200));
const rich = `${SOURCE}/src/formats/native/testdata/version0/rich.wick`; // data in every table
const ends = `${SOURCE}/web/test/stack_ends.wick`;

// A recording of a shell that computes and starts other programs, or the reason why there is none.
function recordShell(name: string, rounds: number): { path: string; reason: string } {
  const path = join(directory, name);
  const script = `i=0; while [ $i -lt ${rounds} ]; do i=$((i+1)); done; ls -R /usr/include >/dev/null; sort /etc/services | wc -l; exec sh -c 'i=0; while [ $i -lt ${rounds} ]; do i=$((i+1)); done'`;
  try {
    execFileSync(WICK, ['record', '-q', '-F', '2000', '-o', path, '--', 'sh', '-c', script], { stdio: 'pipe' });
    return { path, reason: '' };
  } catch (error) {
    const message = String((error as { stderr?: unknown }).stderr ?? error).trim();
    return { path, reason: `nothing can be recorded here: ${message.split('\n')[0]}` };
  }
}
const recorded = recordShell('shell.wick', 200_000);
if (recorded.reason !== '') {
  console.log(`SKIPPED web: questions about a recording: ${recorded.reason}`);
  const skips = process.env['WICK_SKIPS'];
  if (skips) appendFileSync(skips, `web: questions about a recording\t${recorded.reason}\n`);
}
const skip = recorded.reason === '' ? false : recorded.reason;
const inputs = [text, rich, ends, ...(skip === false ? [recorded.path] : [])];

test('a thread that executed another program of its name is one row', { skip }, async () => {
  const model = await modelOf(recorded.path);
  const { label, ids } = model.breakdown(initialState(), 'thread');
  assert.equal(new Set(label).size, label.length);
  assert.ok(ids.some((threads) => threads.length > 1));
  compareBreakdowns(model, initialState(), [recorded.path]);
});

interface Question {
  state: State;
  words: string[];
}
type Random = (below: number) => number;
const pickOne = <T>(random: Random, list: readonly T[]): T => list[random(list.length)];
const quoted = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// Names of exactly one function and of no file or module, so that a pattern matches only this function. Levels
// ("process NAME") are labels, too, but no pattern of the program sees them.
function plainNames(model: Model): string[] {
  const { name } = model.labels(initialState());
  const { modules, files } = model.profile;
  const counts = new Map<string, number>();
  for (const one of [...name, ...modules.path, ...modules.name, ...files]) counts.set(one, (counts.get(one) ?? 0) + 1);
  return name.filter(
    (one) => counts.get(one) === 1 && /^[\x20-\x7e]+$/.test(one) && !/^(\[|process |thread )/.test(one),
  );
}

// Each filter is in one question of four, both in the state and in the words of the command line.
function drawFilters(model: Model, random: Random): Question {
  const { info } = model.profile.runs[0];
  const state = initialState();
  const words: string[] = [];
  const maybe = (draw: () => string[]): void => {
    if (random(4) === 0) words.push(...draw());
  };
  state.event = random(info.events.length);
  words.push('--event', info.events[state.event].name);
  const threads = info.ownThreads.filter(
    (id) => info.threads.filter(({ tid }) => tid === info.threads[id].tid).length === 1,
  );
  if (threads.length > 0)
    maybe(() => {
      state.threads = [pickOne(random, threads)];
      return ['--thread', String(info.threads[state.threads[0]].tid)];
    });
  if (info.cpus.length > 0)
    maybe(() => {
      state.cpus = [...new Set([pickOne(random, info.cpus), pickOne(random, info.cpus)])];
      return ['--cpu', state.cpus.join(',')];
    });
  if (info.hasModes)
    maybe(() => {
      state.mode = pickOne(random, ['user', 'kernel'] as const);
      return ['--mode', state.mode];
    });
  if (info.hasTime && info.duration > 1e7)
    maybe(() => {
      const [begin, end] = [random(500), 500 + random(500)].map((part) => Math.floor((info.duration / 1e9) * part));
      state.range = [begin * 1e6, end * 1e6];
      return ['--time', `${begin / 1e3}..${end / 1e3}`];
    });
  maybe(() => {
    state.focus = [pickOne(random, ['a', '^[a-m]', 'main|lib', '(?i)LIB', '[[:digit:]]', '\\.so', 'e.*e'])];
    return ['--focus', state.focus[0]];
  });
  maybe(() => {
    state.ignore = [pickOne(random, ['zz', '^_', 'hash|read', '\\d\\d', '(?i)SYS', 'o{2}'])];
    return ['--ignore', state.ignore[0]];
  });
  return { state, words };
}

function drawTransform(model: Model, random: Random, question: Question): void {
  const names = plainNames(model);
  if (names.length === 0) return;
  const name = pickOne(random, names);
  const func = model.labels(question.state).name.indexOf(name);
  const [type, flag] = pickOne(random, [
    ['focus-function', '--from'],
    ['merge-function', '--hide'],
  ] as const);
  question.state.transforms = [{ type, by: 'function', func }];
  question.words.push(flag, `^${quoted(name)}$`);
}

// wick refuses a filter that drops every sample; the page shows an empty result.
function isAnswered(model: Model, { state, words }: Question, path: string): boolean {
  try {
    report('report', path, ...words);
    return true;
  } catch {
    const { weight, samples } = model.amount(state);
    assert.deepEqual([weight, samples], [0, 0], `wick refuses ${words.join(' ')}, the page does not`);
    return false;
  }
}

const KINDS = [
  'table',
  'table by module',
  'table by line',
  'tree',
  'tree',
  'tree by process',
  'tree by thread',
  'sandwich',
  'quality',
  'breakdowns',
] as const;
function ask(model: Model, path: string, random: Random): string {
  const question = drawFilters(model, random);
  const kind = pickOne(random, KINDS);
  if ((kind === 'table' || kind.startsWith('tree')) && random(2) === 0) drawTransform(model, random, question);
  const { state, words } = question;
  const all = [path, ...words];
  const what = `${kind}: ${words.join(' ')}`;
  if (!isAnswered(model, question, path)) return `nothing left: ${what}`;
  const tree = { order: pickOne(random, ['name', 'weight'] as const), inverted: random(2) === 0 };
  try {
    if (kind === 'table') compareTable(model, state, all);
    else if (kind === 'table by module')
      compareTable(model, { ...state, groupBy: 'module' }, [...all, '--by', 'module']);
    else if (kind === 'table by line') compareTable(model, { ...state, groupBy: 'line' }, [...all, '--by', 'line']);
    else if (kind === 'tree') compareTreeIn(model, state, all, tree);
    else if (kind === 'tree by process' || kind === 'tree by thread') {
      const levels = kind === 'tree by process' ? 'process' : 'thread';
      compareTreeIn(model, { ...state, levels }, [...all, '--by', levels], tree);
    } else if (kind === 'sandwich') compareSandwiches(model, state, all, 1 + random(3));
    else if (kind === 'quality') compareQuality(model, state, all);
    else compareBreakdowns(model, state, all);
  } catch (error) {
    throw new Error(`${what} of ${path}`, { cause: error });
  }
  return what;
}

test(`${QUESTIONS} questions get the same answer from the page and from wick`, async () => {
  const models: Model[] = [];
  for (const path of inputs) models.push(await modelOf(path));
  const random = randomNumbers(19);
  let answered = 0;
  for (let i = 0; i < QUESTIONS; ++i) {
    const input = random(inputs.length);
    answered += ask(models[input], inputs[input], random).startsWith('nothing left') ? 0 : 1;
  }
  assert.ok(answered > QUESTIONS / 2, `only ${answered} of ${QUESTIONS} questions had an answer`);
});

test('a recording has the same numbers, words and losses in the page', { skip }, async () => {
  const model = await modelOf(recorded.path);
  const { events } = model.profile.runs[0].info;
  events.forEach(({ name }, event) =>
    compareAll(model, { ...initialState(), event }, [recorded.path, '--event', name], 4),
  );
});

test('two recordings differ as wick diff reports', { skip }, async () => {
  const second = recordShell('shell2.wick', 300_000).path;
  const model = await modelOf(recorded.path, second);
  const state = initialState();
  const table = model.diffTable(state, { order: 'weight', inverted: false, width: 'larger', normalised: true });
  const names = model.labels(state).name;
  const { rows } = report('diff', recorded.path, second, '--limit', '0');
  assert.ok(rows.length > 10 && table.self.byWick);
  for (const row of rows) {
    const at = table.func.findIndex((func) => names[func] === row['name']);
    assert.ok(at >= 0, String(row['name']));
    for (const measure of ['self', 'total'] as const) {
      const same = (weight: number, share: unknown): void =>
        assert.ok(Math.abs(weight / table.amountAfter.weight - (share as number)) < 1e-9, `${measure} ${row['name']}`);
      same(table[`${measure}Before`][at], row[`${measure}_before_share`]);
      same(table[`${measure}After`][at], row[`${measure}_after_share`]);
    }
  }
});
