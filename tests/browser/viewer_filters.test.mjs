// SPDX-License-Identifier: Apache-2.0
// Filters, transforms, search and history of the viewer: each by its control and by its key, compared with the
// numbers of wick's own filters.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  detail,
  file,
  fragment,
  open,
  page,
  pageOf,
  press,
  report,
  rows,
  screenshot,
  answered,
  skip,
  text,
  timedProfile,
  wickAnswer,
  withBrowser,
} from './viewer_page.mjs';

const LARGE = { viewport: { width: 1920, height: 1080 } };
const timed = () => file('timed.perf.txt', timedProfile());
const functions = async () =>
  (await rows('Functions')).map(({ name, selfShare, totalShare }) => [name, selfShare, totalShare]);
const expected = (...flags) =>
  report(timed(), ...flags).rows.map(({ name, self_share, total_share }) => [
    name,
    (100 * self_share).toFixed(2),
    (100 * total_share).toFixed(2),
  ]);

async function choose(filter, label) {
  await page.getByRole('combobox', { name: filter, exact: true }).selectOption({ label });
  await answered();
}

const sorted = (lines) => lines.trim().split('\n').sort().join('\n');

// The page copies after the key has been handled, so a test waits for the text.
async function clipboardHas(text, normalized = (copied) => copied) {
  const deadline = Date.now() + 10_000;
  let copied;
  do copied = normalized(await page.evaluate(() => navigator.clipboard.readText()));
  while (copied !== text && Date.now() < deadline);
  assert.equal(copied, text);
}

async function search(pattern) {
  await press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(pattern);
  await page.waitForFunction((word) => decodeURIComponent(location.hash).includes(`search=${word}`), pattern);
  await answered();
}

describe('filters of the viewer', { skip }, () => {
  withBrowser();

  it('are those of wick report: thread, CPU, mode', async () => {
    await open(pageOf(timed()), 'view=functions', LARGE);
    assert.deepEqual(await functions(), expected());
    const thread = (await page.getByRole('combobox', { name: 'Thread' }).locator('option').allTextContents()).find(
      (option) => option.startsWith('main 100'),
    );
    await choose('Thread', thread);
    assert.deepEqual(await functions(), expected('--thread', '100'));
    await choose('Thread', 'worker-# (2 threads)');
    assert.deepEqual(await functions(), expected('--thread', 'worker'));
    await choose('Thread', 'all 3');
    await choose('CPU', '1');
    assert.deepEqual(await functions(), expected('--cpu', '1'));
    await choose('CPU', 'all');
    await choose('Mode', 'kernel');
    assert.deepEqual(await functions(), expected('--mode', 'kernel'));
    await choose('Mode', 'user');
    assert.deepEqual(await functions(), expected('--mode', 'user'));
  });

  it('group by module, and by process and thread as levels', async () => {
    await open(pageOf(timed()), 'view=functions', LARGE);
    await choose('Group by', 'module');
    assert.deepEqual(
      (await functions()).map(([name, self]) => [name, self]).sort(),
      report(timed(), '--by', 'module')
        .rows.map(({ name, self_share }) => [name, (100 * self_share).toFixed(2)])
        .sort(),
    );
    for (const [levels, label] of [
      ['process', 'process, function'],
      ['thread', 'thread, function'],
    ]) {
      await choose('Group by', label);
      assert.equal((await fragment()).levels, levels);
      await press('4');
      await page.locator('main [role=treegrid] .grid-row').first().click();
      await press('*');
      assert.deepEqual(
        (await rows('Call tree')).slice(1).map(({ name }) => name.replace(/^\u25be?(late)?|kernel$/g, '')),
        wickAnswer('tree', timed(), '--by', levels, '--min-share', '0', '--depth', '0').rows.map(({ name }) => name),
      );
      await screenshot(`levels-${levels}-tree`);
      await press('2');
      await screenshot(`levels-${levels}-flame`);
    }
  });

  it('show the stacks of interpreted programs as --stacks does', async () => {
    const interpreted = new URL('../../web/test/interpreted.wick', import.meta.url).pathname;
    const answers = (...flags) => report(interpreted, ...flags).rows.map(({ name }) => name);
    const names = async () => (await rows('Functions')).map(({ name }) => name);
    await open(pageOf(interpreted), 'view=functions', LARGE);
    assert.deepEqual(await names(), answers());
    for (const [label, stacks] of [
      ['runtime only', 'runtime'],
      ['native only', 'native'],
    ]) {
      await choose('Stacks', label);
      assert.equal((await fragment()).stacks, stacks);
      assert.deepEqual(await names(), answers('--stacks', stacks));
    }
    await page.goBack();
    await answered();
    assert.deepEqual(await names(), answers('--stacks', 'runtime'), 'the address holds the choice');
    await choose('Stacks', 'mixed');
    await press('2');
    await screenshot('stacks-mixed-flame');
  });

  it('take a time range from the overview, by mouse and by keys', async () => {
    await open(pageOf(timed()), 'view=functions&tracks=closed', LARGE);
    const strip = await page.locator('.overview canvas').boundingBox();
    await page.mouse.move(strip.x + 16, strip.y + 30);
    await page.mouse.down();
    await page.mouse.move(strip.x + strip.width / 2, strip.y + 30, { steps: 6 });
    await page.mouse.up();
    await answered();
    const [from, to] = (await fragment()).range.split('-').map(Number);
    assert.ok(from < 1e6 && Math.abs(to - 150e6) < 2e6, `${from} ${to}`);
    const shown = await functions();
    assert.ok(!shown.some(([name]) => name === 'write_all'), 'only the first half computes');
    assert.deepEqual(shown, expected('--time', `${from}ns..${to}ns`));
    await screenshot('range');
    await page.locator('.chip button').click();
    await answered();
    assert.deepEqual(await functions(), expected());
    await press('T', 'ArrowRight');
    assert.match((await fragment()).range, /^0-\d+$/);
    const before = (await fragment()).range;
    await press('Shift+ArrowRight');
    assert.ok(Number((await fragment()).range.split('-')[1]) > Number(before.split('-')[1]));
    await press('ArrowRight', 'ArrowRight');
    assert.notEqual((await fragment()).range.split('-')[0], '0');
    await press('Escape');
    assert.equal((await fragment()).range, undefined);
  });

  it('drive every view', async () => {
    await open(pageOf(timed()), 'view=functions&range=0-149000000', LARGE);
    const half = await text('.sandwich-middle');
    await press('4');
    assert.match((await rows('Call tree'))[0].total, /^299 ms|^300 ms|^298 ms/);
    await press('1');
    assert.doesNotMatch(await text('.summary'), /write_all/);
    await press('2');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown');
    assert.match(await detail(), /^all, total (298|299|300) ms/);
    assert.match(half, /hash/);
  });

  it('hide modules from the legend, and show them again', async () => {
    await open(pageOf(timed()), 'view=flame', LARGE);
    await page.locator('main .legend button', { hasText: 'libhash.so.1' }).click();
    await answered();
    assert.match(await text('.chip'), /hide module libhash\.so\.1/);
    await press('3');
    assert.deepEqual(await functions(), expected('--hide', '^hash$'));
    await page.locator('.chip button').click();
    await answered();
    assert.deepEqual(await functions(), expected());
  });

  it('that drop every sample say so, and can be cleared', async () => {
    await open(pageOf(timed()), 'view=flame&focus=no_such_function');
    assert.match(await text('main'), /No samples are left/);
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await answered();
    assert.equal((await fragment()).focus, undefined);
    assert.equal(await page.locator('.flame-panel canvas').isVisible(), true);
  });
});

describe('transforms of the viewer', { skip }, () => {
  withBrowser();

  // A tree in which each transform changes something.
  const stacks = 'main;run;rec;rec;leaf 4\nmain;run;rec;leaf 2\nmain;run;other 3\nmain;idle 1\n';
  const open4 = (more = '') => open(pageOf(file('transforms.folded', stacks)), 'view=functions' + more, LARGE);
  const selfs = async () => Object.fromEntries((await rows('Functions')).map(({ name, self }) => [name, self]));
  const totals = async () => Object.fromEntries((await rows('Functions')).map(({ name, total }) => [name, total]));

  async function select(name) {
    await page
      .locator('[aria-label=Functions] .grid-row', {
        has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }),
      })
      .click();
    await answered();
  }

  for (const [key, type, name, column, result] of [
    ['m', 'merge-function', 'leaf', 'self', { rec: '6', other: '3', idle: '1', main: '0', run: '0' }],
    ['f', 'focus-function', 'rec', 'total', { rec: '6', leaf: '6' }],
    ['S', 'focus-self', 'other', 'total', { other: '3', run: '3', main: '3' }],
    ['d', 'drop-function', 'rec', 'total', { main: '4', run: '3', other: '3', idle: '1' }],
    ['c', 'collapse-function', 'run', 'self', { run: '9', idle: '1', main: '0' }],
  ]) {
    it(`${type} by ${key}`, async () => {
      await open4();
      await select(name);
      await press(key);
      assert.match((await fragment()).t, new RegExp(`^${type}:f\\d+$`));
      const shown = await (column === 'self' ? selfs() : totals());
      for (const [func, value] of Object.entries(result))
        if (shown[func] !== undefined || value !== '0') assert.equal(shown[func], value, func);
      assert.deepEqual(
        Object.keys(shown).filter((func) => !(func in result) && type.startsWith('focus')),
        [],
      );
      assert.ok((await text('.crumbs')).includes(name));
      await press('Backspace');
      assert.equal((await fragment()).t, undefined);
      assert.equal((await totals()).main, '10');
    });
  }

  it('of call paths, in the tree', async () => {
    await open(pageOf(file('transforms.folded', stacks)), 'view=tree', LARGE);
    const tree = page.locator('main [role=treegrid]');
    const names = async () =>
      (await rows('Call tree')).map(({ name, total }) => `${name.replace(/^[^a-z[]+/, '')} ${total}`);
    await tree.focus();
    await press('Home', '*');
    assert.deepEqual(await names(), [
      'all 10',
      'main 10',
      'run 9',
      'rec 6',
      'rec 4',
      'leaf 4',
      'leaf 2',
      'other 3',
      'idle 1',
    ]);
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'M');
    await tree.focus();
    await press('Home', '*');
    assert.deepEqual(await names(), ['all 10', 'main 10', 'run 9', 'rec 6', 'leaf 6', 'other 3', 'idle 1']);
    await press('Backspace');
    await tree.focus();
    await press('Home', 'ArrowDown', 'ArrowDown', 'F');
    await tree.focus();
    await press('Home', '*');
    assert.deepEqual((await names())[1], 'run 9');
    await press('Backspace');
    await tree.focus();
    await press('Home', '*', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'r');
    assert.match((await fragment()).t, /^collapse-recursion/);
    await tree.focus();
    await press('Home', '*');
    assert.deepEqual(await names(), ['all 10', 'main 10', 'run 9', 'rec 6', 'leaf 6', 'other 3', 'idle 1']);
    await screenshot('transforms');
    await press('Backspace');
    await tree.focus();
    await press('Home', '*', 'ArrowDown', 'ArrowDown', 'u');
    await tree.focus();
    await press('Home', '*');
    assert.deepEqual(await names(), ['all 10', 'main 10', 'run 9', 'idle 1']);
  });

  it('of modules: collapse, focus, hide', async () => {
    await open(pageOf(timed()), 'view=functions', LARGE);
    await select('hash');
    await press('C');
    assert.match((await fragment()).t, /^collapse-library:\d+$/);
    assert.ok((await functions()).some(([name]) => name === 'libhash.so.1'));
    await press('Backspace');
    await select('hash');
    await press('g');
    assert.match((await fragment()).t, /^focus-module:\d+$/);
    assert.deepEqual(
      (await functions()).map(([name]) => name),
      ['hash', '[empty stack]'],
    );
    await press('Backspace');
    await select('hash');
    await press('H');
    assert.ok((await fragment()).hide);
    assert.ok(!(await functions()).some(([name]) => name === 'hash'));
  });

  it('are a breadcrumb that can be popped', async () => {
    await open4();
    await select('rec');
    await press('f');
    await select('leaf');
    await press('m');
    assert.equal(await page.locator('.crumbs li').count(), 3);
    await page.locator('.crumbs button').nth(1).click();
    await answered();
    assert.equal(await page.locator('.crumbs li').count(), 2);
    await page.locator('.crumbs button').nth(0).click();
    await answered();
    assert.equal((await fragment()).t, undefined);
  });

  it('and copies are in the menu of a frame', async () => {
    await open4();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('[aria-label=Functions] .grid-row').first().click({ button: 'right' });
    const items = await page.getByRole('menuitem').allTextContents();
    for (const word of [
      'Merge function',
      'Focus on function',
      'Drop samples',
      'Collapse recursion',
      'Copy name',
      'Copy everything shown as folded',
    ]) {
      assert.ok(
        items.some((item) => item.includes(word)),
        word,
      );
    }
    await screenshot('menu');
    await press('ArrowDown', 'Escape');
    assert.equal(await page.getByRole('menu').count(), 0);
    await press('y');
    await clipboardHas('leaf');
    await press('Z');
    await clipboardHas(sorted(stacks), sorted);
    await press('2');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Y');
    await clipboardHas('run\nmain');
  });

  it('need a selected frame, and say so', async () => {
    await open4();
    await press('1', 'm');
    assert.match(await text('.toast'), /Select a frame first/);
    assert.equal((await fragment()).t, undefined);
  });

  it('lead from frame to sandwich, tree and source', async () => {
    await open(pageOf(file('transforms.folded', stacks)), 'view=flame', LARGE);
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 's');
    assert.equal((await fragment()).view, 'functions');
    assert.match(await text('.sandwich-middle'), /^run/);
    await press('2', 't'); // the frame stayed selected
    assert.equal((await fragment()).view, 'tree');
    assert.match(await page.locator('main [role=treegrid] [aria-selected=true]').textContent(), /run/);
    await press('o');
    assert.equal((await fragment()).view, 'source');
  });
});

describe('search of the viewer', { skip }, () => {
  withBrowser();

  it('shows the share that matches, and steps through hits', async () => {
    await open(pageOf(timed()), 'view=flame', LARGE);
    await search('hash|compute');
    const share = report(timed(), '--focus', '^(hash|compute)$').total / report(timed()).total;
    assert.match(await text('.search output'), new RegExp(`^${(100 * share).toFixed(2)} % in 2 names`));
    await page.keyboard.press('Enter');
    await answered();
    await page.waitForFunction(() => document.querySelector('.status .detail').textContent !== '');
    assert.match(await detail(), /^(hash|compute)/);
    await page.locator('.flame-panel canvas').focus();
    const seen = new Set();
    for (let i = 0; i < 4; i++) {
      await press('n');
      seen.add(await detail());
    }
    assert.equal(seen.size, 3); // hash, hash below it, compute
    await press('N');
    assert.match(await detail(), /^(hash|compute)/);
    await screenshot('search');
    await press('3');
    assert.deepEqual((await rows('Functions')).map(({ name }) => name).sort(), ['compute', 'hash']);
    await press('4', 'n');
    assert.match(await page.locator('main [role=treegrid] [aria-selected=true]').textContent(), /hash|compute/);
    await press('5', 'n');
    assert.match(await detail(), /^(hash|compute)/);
    await press('Escape');
    assert.equal((await fragment()).search, undefined);
  });

  it('becomes a filter: only what matches, or only the rest', async () => {
    await open(pageOf(timed()), 'view=functions', LARGE);
    await search('COMPUTE');
    await page.getByRole('button', { name: 'Only', exact: true }).click();
    await answered();
    assert.deepEqual(await functions(), expected('--focus', 'compute'));
    assert.match(await text('.chip'), /only with COMPUTE/);
    await search('^do_syscall');
    await page.getByRole('button', { name: 'Only', exact: true }).click();
    await answered();
    assert.deepEqual(await page.locator('.chip > span').allTextContents(), [
      'only with COMPUTE',
      'only with ^do_syscall',
    ]);
    assert.deepEqual(await functions(), expected('--focus', 'compute', '--mode', 'kernel'));
    assert.equal(
      await text('.filters .left'),
      `${((100 * report(timed(), '--focus', 'compute', '--mode', 'kernel').total) / report(timed()).total).toFixed(2)} % of the profile passes the filters`,
    );
    await page.locator('.chip button').first().click();
    await answered();
    assert.deepEqual(await functions(), expected('--focus', '^do_syscall'));
    await page.locator('.chip button').first().click();
    await answered();
    await search('compute');
    await page.getByRole('button', { name: 'Without', exact: true }).click();
    await answered();
    assert.deepEqual(await functions(), expected('--ignore', 'compute'));
  });

  it('matches case on request, and reports an invalid expression', async () => {
    await open(pageOf(timed()), 'view=functions');
    await search('HASH');
    assert.match(await text('.search output'), /1 name$/);
    await page.getByRole('button', { name: 'Match case' }).click();
    await answered();
    assert.equal(await text('.search output'), 'no match');
    await search('(');
    assert.equal(await text('.search output'), 'invalid expression');
    assert.equal(await page.locator('.search input').getAttribute('aria-invalid'), 'true');
  });
});

describe('an expression that never ends', { skip }, () => {
  withBrowser();
  const xs = () => pageOf(file('xs.folded', `main;${'x'.repeat(60)} 3\nmain;y 1\n`));

  it('is stopped in the search, and the page continues', async () => {
    await open(xs(), 'view=functions');
    await page.locator('.search input').fill('(x+x+)+z');
    await page.waitForFunction(() => document.querySelector('.search output').textContent.includes('stopped'), null, {
      timeout: 20000,
    });
    assert.match(await page.locator('.search output').getAttribute('title'), /took too long and was stopped/);
    await page.locator('.search input').fill('y');
    await page.waitForFunction(() => document.querySelector('.search output').textContent.includes('25.00 %'));
  });

  it('is stopped in a link, and reported as ignored', async () => {
    await open(xs(), `view=functions&focus=${encodeURIComponent('(x+x+)+z')}`);
    assert.match(await text('.toast'), /took too long and was stopped/);
    assert.equal((await fragment()).focus, undefined);
    assert.equal((await rows('Functions')).length, 3);
  });
});

describe('history of the viewer', { skip }, () => {
  withBrowser();

  it('goes back and forward through views and filters', async () => {
    await open(pageOf(timed()));
    await press('2', '3');
    await choose('CPU', '1');
    assert.deepEqual([(await fragment()).view, (await fragment()).cpus], ['functions', '1']);
    await page.goBack();
    await answered();
    assert.equal((await fragment()).cpus, undefined);
    await page.waitForFunction(() => document.querySelector('[data-filter=CPU]').value === 'all');
    await page.goBack();
    await page.goBack();
    await answered();
    await page.waitForSelector('.headline');
    await page.goForward();
    await answered();
    await page.waitForSelector('.flame-panel');
    assert.equal((await fragment()).view, 'flame');
  });

  it('restores the whole state from a link', async () => {
    const link =
      'view=flame&order=name&flame=1&invert=1&colour=heat&search=hash&range=10000000-200000000&cpus=1&mode=user&t=focus-function%3Af0';
    await open(pageOf(timed()), link);
    const state = await fragment();
    await press('v', 'v');
    assert.deepEqual(await fragment(), state);
    assert.equal(await page.locator('.chip').count(), 1);
    assert.equal(await page.getByRole('radio', { name: 'Inverted' }).getAttribute('aria-checked'), 'true');
    assert.equal(await page.locator('.search input').inputValue(), 'hash');
    assert.equal(await page.locator('.crumbs li').count(), 2);
  });

  it('ignores values that do not exist here', async () => {
    await open(
      pageOf(timed()),
      'view=nowhere&focus=(&ignore=[&threads=99.7&event=12&cpus=77&range=9-3&t=explode:f1~focus-module:99~%E0%A4%A&zoom=1.x&function=abc',
    );
    assert.match(await text('.headline'), /60 %/);
    assert.match(await text('.toast'), /ignores filters of the link that are not regular expressions: \(, \[/);
    for (const key of '2345678') await press(key);
  });
});
