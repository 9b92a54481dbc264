// SPDX-License-Identifier: Apache-2.0
// Every view of the viewer, its numbers and its keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  detail,
  file,
  fragment,
  heading,
  open,
  page,
  pageOf,
  press,
  report,
  rows,
  run,
  screenshot,
  answered,
  skip,
  text,
  timedProfile,
  withBrowser,
} from './viewer_page.mjs';

const flat = (value) => value.replace(/\s+/g, ' ').trim();
const timed = () => pageOf(file('timed.perf.txt', timedProfile()));
const folded = () => pageOf(new URL('flame.folded', import.meta.url).pathname);

describe('the viewer', { skip }, () => {
  withBrowser();

  it('starts with where the time went', async () => {
    await open(timed());
    assert.equal(await page.title(), 'timed.perf.txt \u2013 wick');
    const expected = report(file('timed.perf.txt', timedProfile()));
    const sentence = flat(await text('.headline'));
    assert.match(
      sentence,
      new RegExp(
        `^${Math.round(100 * expected.rows[0].self_share)} % of the CPU time was spent in ${expected.rows[0].name}`,
      ),
    );
    const bars = await page.locator('.bars').first().locator('li .share').allTextContents();
    assert.deepEqual(
      bars,
      expected.rows
        .filter(({ self }) => self > 0)
        .slice(0, 10)
        .map(({ self_share }) => `${(100 * self_share).toFixed(2)} %`),
    );
    await screenshot('summary');
    assert.match(flat(await text('.cards')), /3threads/);
    await open(timed(), 'threads=1');
    assert.match(flat(await text('.cards')), /1thread(?!s)/);
  });

  it('has the title that the user sets', async () => {
    const path = file('named.html', '');
    run('view', new URL('flame.folded', import.meta.url).pathname, '--title', 'Before <the> change', '-o', path);
    await open(path);
    assert.equal(await text('h1'), 'Before <the> change');
    assert.equal(await page.title(), 'Before <the> change \u2013 wick');
    await open(folded());
    assert.equal(await text('h1'), 'flame.folded');
  });

  it('has a tab and a key for each view', async () => {
    await open(timed());
    for (const [key, title] of [
      ['2', 'Flame graph'],
      ['3', 'Functions'],
      ['4', 'Call tree'],
      ['5', 'Time order'],
      ['6', 'Timeline'],
      ['7', 'Source'],
      ['8', 'Quality'],
      ['1', 'Summary'],
    ]) {
      await press(key);
      assert.equal(await heading(), title + key);
      await screenshot(`view-${key}`);
    }
    await page.getByRole('tab', { name: 'Call tree' }).click();
    await answered();
    assert.equal((await fragment()).view, 'tree');
    await press('ArrowRight');
    assert.equal((await fragment()).view, 'chart');
    assert.equal(
      await page.locator('[role=tab][aria-selected=true]').evaluate((tab) => tab === document.activeElement),
      true,
    );
  });

  it('takes keys where a list of choices has the focus', async () => {
    await open(timed(), 'view=flame');
    await page.getByRole('combobox', { name: 'CPU', exact: true }).focus();
    await press('3');
    assert.match(await heading(), /^Functions/);
    assert.equal((await fragment()).cpus, undefined);
    await page.getByRole('combobox', { name: 'Mode' }).focus();
    await press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'grid-body');
    await page.getByRole('combobox', { name: 'Mode' }).focus();
    await press('/');
    assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
  });

  it('lists functions with the numbers of wick report', async () => {
    const path = file('timed.perf.txt', timedProfile()),
      expected = report(path);
    await open(pageOf(path), 'view=functions', { viewport: { width: 1920, height: 1080 } });
    const shown = await rows('Functions');
    assert.deepEqual(
      shown.map(({ name, selfShare, totalShare }) => [name, selfShare, totalShare]),
      expected.rows.map(({ name, self_share, total_share }) => [
        name,
        (100 * self_share).toFixed(2),
        (100 * total_share).toFixed(2),
      ]),
    );
    assert.deepEqual(
      shown.map(({ interval }) => interval),
      expected.rows.map(
        ({ self_share_low, self_share_high }) =>
          `${(100 * self_share_low).toFixed(1)}\u2013${(100 * self_share_high).toFixed(1)}`,
      ),
    );
    assert.deepEqual(
      shown.map(({ module }) => module),
      expected.rows.map(({ module }) => module),
    );
  });

  it('sorts functions by any column, and back', async () => {
    await open(timed(), 'view=functions', { viewport: { width: 1920, height: 1080 } });
    for (const [column, title] of [
      ['total', 'Total'],
      ['name', 'Function'],
      ['module', 'Module'],
      ['self', 'Self'],
    ]) {
      const head = page.locator('[aria-label=Functions] .grid-head').getByRole('button', { name: title });
      await head.click();
      await answered();
      const there = (await rows('Functions')).map((row) => row.name);
      await head.click();
      await answered();
      const back = (await rows('Functions')).map((row) => row.name);
      assert.notDeepEqual(there, back, column);
      assert.deepEqual([...there].sort(), [...back].sort());
    }
  });

  it('shows callers and callees of the chosen function', async () => {
    await open(timed(), 'view=functions');
    await press('ArrowDown');
    const second = (await rows('Functions'))[1];
    assert.ok(flat(await text('.sandwich-middle')).startsWith(second.name));
    assert.match(await detail(), new RegExp(`self .*${second.selfShare} %.*total .*${second.totalShare} %`));
    // hash is called by work (and by itself): up from the function to its caller.
    await open(timed(), 'view=functions');
    await page.locator('.right-part canvas').first().focus();
    await press('ArrowDown', 'ArrowUp');
    await page.waitForFunction(() =>
      /^Caller at distance 1: /.test(document.querySelector('.status .detail').textContent),
    );
    await press('Enter');
    assert.notEqual((await fragment()).function, undefined);
    await screenshot('sandwich');
  });

  it('moves in the flame graph by keys', async () => {
    await open(folded(), 'view=flame');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown');
    assert.match(await detail(), /^all, total 1,000 samples \(100.00 %\)/);
    await press('ArrowDown', 'ArrowDown');
    assert.match(await detail(), /^parse, total 700 samples \(70.00 %\), self 0 samples \(0 %\)/);
    await press('ArrowRight');
    assert.match(await detail(), /^eval, total 200 samples/);
    await press('ArrowLeft', 'ArrowDown');
    assert.match(
      await detail(),
      /^ns::Lexer<char>::next\(std::string const&\), total 500 samples \(50.00 %\), self 100 samples \(10.00 %\)/,
    );
    await press('ArrowUp', 'Enter');
    assert.equal((await fragment()).zoom.split('.').length, 2);
    assert.equal(await page.getByRole('button', { name: 'Reset zoom' }).isDisabled(), false);
    await press('0');
    assert.equal((await fragment()).zoom, undefined);
    assert.equal(await page.getByRole('button', { name: 'Reset zoom' }).isDisabled(), true);
    await screenshot('flame-focus');
  });

  it('zooms by double click, wheel and keys, and by drag it moves', async () => {
    await open(folded(), 'view=flame');
    const bounds = await page.locator('.flame-panel canvas').boundingBox(),
      reset = page.getByRole('button', { name: 'Reset zoom' });
    await page.mouse.dblclick(bounds.x + bounds.width * 0.75, bounds.y + 47); // eval is the second child of main
    await answered();
    assert.match(await detail(), /^eval/);
    assert.equal((await fragment()).zoom.split('.').length, 2);
    await press('Escape', 'Escape');
    assert.equal((await fragment()).zoom, undefined);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForFunction((button) => !button.disabled, await reset.elementHandle());
    await page.mouse.move(bounds.x + 300, bounds.y + 100);
    await page.mouse.down();
    await page.mouse.move(bounds.x + 500, bounds.y + 100, { steps: 4 });
    await page.mouse.up();
    await press('0');
    assert.equal(await reset.isDisabled(), true);
    await press('+');
    assert.equal(await reset.isDisabled(), false);
    await press('-');
    assert.equal(await reset.isDisabled(), true);
  });

  it('orders, turns, inverts and colours the flame graph', async () => {
    await open(timed(), 'view=flame');
    for (const [button, key, value] of [
      ['By name', 'order', 'name'],
      ['Flame', 'flame', '1'],
      ['Inverted', 'invert', '1'],
    ]) {
      await page.getByRole('radio', { name: button, exact: true }).click();
      await answered();
      assert.equal((await fragment())[key], value);
    }
    await press('l', 'v', 'i');
    assert.deepEqual(await fragment(), { view: 'flame' });
    for (const [colour, legend] of [
      ['name', /only separate frames/],
      ['mode', /kernel/],
      ['thread', /worker-1/],
      ['heat', /high self time/],
      ['module', /libhash\.so\.1/],
    ]) {
      await press('b');
      assert.equal((await fragment()).colour ?? 'module', colour);
      assert.match(await text('main .legend'), legend);
      await screenshot(`colour-${colour}`);
    }
    assert.deepEqual(await fragment(), { view: 'flame' }, 'threads are not roots any more');
    await open(folded(), 'view=flame');
    assert.equal(
      await page.locator('select[aria-label="Colour by"] option[value=thread]').count(),
      0,
      'no threads, no colours of threads',
    );
  });

  it('shows no old numbers of a frame when the filters change', async () => {
    await open(timed(), 'view=flame');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown');
    assert.match(await detail(), /total/);
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('kernel');
    await answered();
    assert.match(await detail(), /^app::Pool::loop\(\), total 40\.0 ms \(66\.67 %\)/);
    await page.getByRole('combobox', { name: 'Mode' }).selectOption('user');
    await page.getByRole('combobox', { name: 'Thread' }).selectOption({ label: 'main 100 \u2013 33.33 %' });
    await answered();
    assert.equal(await detail(), '', 'the frame is not in these samples');
  });

  it('inverted, begins with the functions that spend the time', async () => {
    const path = file('timed.perf.txt', timedProfile()),
      expected = report(path);
    await open(pageOf(path), 'view=tree&invert=1');
    const shown = (await rows('Call tree')).filter(({ name }) => name !== 'all');
    const top = expected.rows[0];
    assert.ok(
      shown.some(
        ({ name, totalShare, selfShare }) =>
          name.endsWith(top.name) && totalShare === (100 * top.self_share).toFixed(2) && selfShare === totalShare,
      ),
    );
  });

  it('is a tree grid for keyboards and screen readers', async () => {
    await open(folded(), 'view=tree');
    const grid = page.locator('[role=treegrid][aria-label="Call tree"]');
    await press('Tab');
    await grid.focus();
    await press('Home');
    const current = () =>
      grid.evaluate((body) => {
        const row = document.getElementById(body.getAttribute('aria-activedescendant'));
        return [
          row.getAttribute('aria-level'),
          row.getAttribute('aria-expanded'),
          row.getAttribute('aria-label').split(',')[0],
        ];
      });
    assert.deepEqual(await current(), ['1', 'true', 'all']);
    await press('ArrowLeft');
    assert.deepEqual(await current(), ['1', 'false', 'all']);
    await press('ArrowRight', 'ArrowRight');
    assert.deepEqual(await current(), ['2', 'true', 'main']);
    await press('*', 'End');
    const all = await rows('Call tree');
    assert.equal(all.length, 16); // every call path of flame.folded, and all
    assert.equal(await grid.getAttribute('aria-rowcount'), '17');
    await press('ArrowLeft');
    assert.equal((await current())[2], 'gc');
    await press('Enter');
    assert.equal((await current())[1], 'false');
    assert.match(await text('.sr[aria-live]'), /gc/);
    await screenshot('tree');
  });

  it('draws each thread in the order of time', async () => {
    await open(timed(), 'view=chart');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown');
    assert.match(await detail(), /, from .* ms, for .* ms/);
    await press('ArrowDown');
    assert.match(await detail(), /from/);
    await press(']');
    assert.notEqual((await fragment()).lane, undefined);
    await press('+', '+');
    const [from, to] = (await fragment()).window.split('-').map(Number);
    assert.ok(from > 0 && to < 300e6 && to > from);
    await press('Shift+ArrowRight');
    assert.ok(Number((await fragment()).window.split('-')[0]) > from);
    await page.getByRole('button', { name: 'Filter by the visible time' }).click();
    await answered();
    assert.match((await fragment()).range, /^\d+-\d+$/);
    await screenshot('chart-zoomed');
  });

  it('shows all threads in the order of time, and pins some', async () => {
    await open(timed(), 'view=chart', { viewport: { width: 1280, height: 900 } });
    const names = () => page.locator('.lane-names button').allTextContents();
    assert.deepEqual(
      (await names()).map((name) => name.charAt(0)),
      ['\u25be', '\u25b8', '\u25b8'],
    );
    await page.locator('.lane-names button', { hasText: 'worker-2 102' }).click();
    await answered();
    assert.equal((await fragment()).pins.split('.').length, 2);
    assert.deepEqual(
      (await names()).map((name) => name.slice(0, 3)),
      ['\u25be m', '\u25be w', '\u25b8 w'],
    );
    await screenshot('chart-pinned');
    await page.locator('.flame-panel canvas').focus();
    await press('Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
    assert.match(await detail(), /^app::Pool::loop\(\), from/, 'below the innermost frame is the next lane');
    await page.getByRole('radio', { name: 'CPU', exact: true }).click();
    await answered();
    await page.locator('.flame-panel canvas').focus();
    await press('Home');
    assert.match(await detail(), /^process (main|worker-\d)/, 'CPUs say who ran');
    await screenshot('chart-cpus');
  });

  it('shows the busiest of many threads first in Time order', async () => {
    const lines = Array.from({ length: 900 }, (_, i) => {
      const thread = i % 3 === 0 ? 1 + ((i / 3) % 30) : 31,
        stack = Array.from({ length: 20 }, (_, level) => `\t${level}0 f${level}+0x1 (/x/p)\n`).join('');
      return `p 1/${thread} [000] 1.${String(1000 * i).padStart(6, '0')}: 1000000 cpu-clock:\n${stack}\n`;
    });
    await open(pageOf(file('busiest.perf.txt', lines.join(''))), 'view=chart', {
      viewport: { width: 1280, height: 900 },
    });
    const names = () => page.locator('.lane-names button').allTextContents();
    assert.equal((await names())[0], '\u25b8 p 31');
    await page.locator('.lane-names button').first().click();
    await answered();
    assert.equal((await names())[0], '\u25be p 31');
  });

  it('says why Time order is blank, and where the visible part is', async () => {
    const sample = (us) => `p 1/1 [000] 1.${String(us).padStart(6, '0')}: 1000000 cpu-clock:\n\t10 f+0x1 (/x/p)\n\n`;
    await open(
      pageOf(file('gap.perf.txt', sample(0) + sample(1000) + sample(900_000))),
      'view=chart&window=300000000-400000000',
    );
    assert.match(await text('.blank-note'), /^p 1 has no samples from 300.0 ms to 400.0 ms: nothing ran/);
    const map = await page.locator('.minimap').boundingBox();
    await page.mouse.click(map.x + 1, map.y + 8);
    await answered();
    await page.waitForFunction(() => location.hash.includes('window='));
    assert.ok(Number((await fragment()).window.split('-')[0]) < 10e6);
    assert.equal(await page.locator('.blank-note').isVisible(), false);
    await page.locator('.flame-panel canvas').focus();
    await press('0');
    assert.equal(await page.locator('.minimap').isVisible(), false);
  });

  it('has a lane for each thread and CPU', async () => {
    const path = file('timed.perf.txt', timedProfile()),
      expected = report(path, '--by', 'thread');
    await open(pageOf(path), 'view=timeline');
    const lanes = await rows('Timeline');
    assert.equal(lanes[0].name, '\u25beworker-#2');
    assert.deepEqual(
      lanes
        .filter(({ name }) => /^(main|worker-\d)/.test(name))
        .map(({ share }) => share)
        .sort(),
      expected.rows.map(({ total_share }) => (100 * total_share).toFixed(1)).sort(),
    );
    await page.locator('[aria-label=Timeline][role=treegrid]').focus();
    await press('Home', 'ArrowLeft');
    assert.equal((await rows('Timeline')).length, 2);
    await press('Enter');
    assert.equal((await fragment()).threads.split('.').length, 2);
    await page.getByRole('radio', { name: 'By CPU' }).click();
    await answered();
    assert.deepEqual((await rows('Timeline')).map(({ name }) => name).sort(), ['CPU 0', 'CPU 1']);
    await screenshot('timeline-cpus');
  });

  it('chooses a time range by dragging over a lane', async () => {
    await open(timed(), 'view=timeline');
    const lane = await page.locator('canvas.lane').first().boundingBox();
    await page.mouse.move(lane.x + lane.width / 4, lane.y + 10);
    await page.mouse.down();
    await page.mouse.move(lane.x + lane.width / 2, lane.y + 10, { steps: 3 });
    await page.mouse.up();
    await answered();
    const [from, to] = (await fragment()).range.split('-').map(Number);
    assert.ok(Math.abs(from - 75e6) < 3e6 && Math.abs(to - 150e6) < 3e6, `${from} ${to}`);
  });

  it('says what the source view lacks', async () => {
    await open(folded(), 'view=source');
    assert.match(await text('main'), /line/i);
  });

  it('says how far the numbers can be trusted', async () => {
    await open(folded(), 'view=quality');
    assert.match(await text('.headline'), /does not say/);
    assert.match(await text('main'), /unknown 1,000/);
  });

  it('offers colours for what the profile contains', async () => {
    const offered = async (path) => {
      await open(path, 'view=flame');
      return page.locator('[aria-label="Colour by"] option').allTextContents();
    };
    assert.deepEqual(await offered(timed()), ['module', 'name', 'kind', 'thread', 'self time']);
    assert.deepEqual(await offered(pageOf(file('plain.folded', 'main;a 1\nmain;b 2\n'))), ['name', 'self time']);
    await press('b');
    assert.equal((await fragment()).colour, 'heat');
    await press('b');
    assert.equal((await fragment()).colour, 'name');
  });

  it('says what a profile without times cannot show, and shows the rest', async () => {
    await open(folded(), 'view=timeline');
    assert.match(await text('main'), /no times.*Record with wick record/s);
    await press('5');
    assert.match(await text('main'), /Time order cannot be shown/);
    assert.equal(await page.locator('.overview').isVisible(), false);
    await press('3');
    assert.ok((await rows('Functions')).length > 5);
  });

  it('is correct for one sample and for none', async () => {
    await open(pageOf(file('one.folded', 'main;work 1\n')));
    assert.match(flat(await text('.headline')), /^There is one sample, in work/);
    await screenshot('one-sample');
    for (const key of '2345678') await press(key);
    // One sample of a clock: it represents the time before it.
    await open(pageOf(file('moment.perf.txt', timedProfile().split('\n\n')[0] + '\n\n')), 'view=timeline');
    assert.match(await text('main'), /1 thread, busiest first/);
    await press('5');
    assert.equal(await page.locator('.flame-panel canvas').isVisible(), true);
  });

  it('has help for all keys', async () => {
    await open(folded());
    await press('?');
    const help = await text('dialog');
    for (const word of ['Merge function', 'Collapse recursion', 'go to the next or previous hit', 'Timeline'])
      assert.ok(help.includes(word), word);
    await screenshot('help');
    await press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' }); // the event of closing is a task of its own
  });

  it('is dark if the reader chooses it, and remembers the choice', async () => {
    await open(timed(), 'view=flame', { colorScheme: 'dark' });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await screenshot('dark-flame');
    await press('D');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    await page.reload();
    await answered();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  });

  it('fits a phone', async () => {
    await open(timed(), '', { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
    for (const key of '12345678') {
      await press(key);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 375, `view ${key} is ${wide} pixels wide`);
      await screenshot(`phone-${key}`);
    }
    await press('2');
    const bounds = await page.locator('.flame-panel canvas').boundingBox();
    await page.touchscreen.tap(bounds.x + 100, bounds.y + 30);
    await answered();
    assert.match(await detail(), /total/);
  });

  it('opens the menu of a frame by a long press', async () => {
    await open(timed(), 'view=flame', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const bounds = await page.locator('.flame-panel canvas').boundingBox(),
      at = { x: bounds.x + 60, y: bounds.y + 30 };
    const client = await page.context().newCDPSession(page);
    await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await page.waitForSelector('[role=menu]');
    await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    assert.match(await text('[role=menu]'), /Focus on function/);
    await screenshot('phone-menu');
  });

  it('zooms by two fingers', async () => {
    await open(timed(), 'view=flame', { viewport: { width: 390, height: 844 }, hasTouch: true });
    const bounds = await page.locator('.flame-panel canvas').boundingBox(),
      y = bounds.y + 60;
    const client = await page.context().newCDPSession(page);
    const fingers = (type, a, b) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [
                { x: a, y, id: 1 },
                { x: b, y, id: 2 },
              ],
      });
    await fingers('touchStart', 180, 210);
    for (let spread = 20; spread <= 120; spread += 20) await fingers('touchMove', 180 - spread, 210 + spread);
    await fingers('touchEnd');
    await answered();
    assert.equal(await page.getByRole('button', { name: 'Reset zoom' }).isDisabled(), false);
  });

  it('prints on white paper, with more rows than the screen shows', async () => {
    const many = Array.from({ length: 90 }, (_, i) => `main;function_${i} ${i + 1}`).join('\n');
    await open(pageOf(file('many.folded', many + '\n')), 'view=functions', { colorScheme: 'dark' });
    const onScreen = (await rows('Functions')).length;
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
    assert.ok(onScreen < 60 && (await rows('Functions')).length === 91, `${onScreen}`);
    assert.equal(await page.locator('.tabs').isVisible(), false);
    await screenshot('print');
    await page.emulateMedia({ media: 'screen' });
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    assert.equal((await rows('Functions')).length, onScreen);
  });

  it('prints the chosen filters', async () => {
    await open(timed(), 'view=flame&mode=kernel&cpus=1&invert=1&range=0-200000000');
    await press('Home', 'ArrowDown', 'ArrowDown', 'f');
    await page.emulateMedia({ media: 'print' });
    await page.waitForFunction(() => document.querySelector('.on-paper').textContent !== '');
    const line = await text('.on-paper');
    for (const words of [
      'Flame graph',
      'Thread: all 3',
      'CPU: 1',
      'Mode: kernel',
      'Group by: function',
      'Stacks: Inverted',
    ])
      assert.ok(line.includes(words), `${words} in ${line}`);
    assert.match(await page.locator('.crumbs').innerText(), /Everything[^]*Focus/);
    assert.match(await page.locator('.chip').innerText(), /0\.0 ms . 200\.0 ms/);
    assert.equal(await page.locator('.chip button').isVisible(), false);
    await screenshot('print-chosen');
  });

  it('shows what the brushed range costs, and dims the rest', async () => {
    await open(timed(), 'view=timeline&range=0-100000000');
    const shown = Object.fromEntries((await rows('Timeline')).map(({ name, share }) => [name, share]));
    for (const { name, total_share } of report(
      file('timed.perf.txt', timedProfile()),
      '--by',
      'thread',
      '--time',
      '0..0.1',
    ).rows)
      assert.equal(shown[name], (100 * total_share).toFixed(1), name);
    await screenshot('timeline-range');
    const brightness = () =>
      page.evaluate(() => {
        const canvas = document.querySelector('.flame-panel canvas'),
          copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        [copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
        copy.drawImage(canvas, 0, 0);
        const at = (share) => [...copy.getImageData(Math.floor(canvas.width * share), 6, 1, 1).data.slice(0, 3)].join();
        return [at(0.1), at(0.9)];
      });
    await press('5');
    await screenshot('chart-range');
    const dimmed = await brightness();
    await press('Escape', 'Escape');
    assert.equal((await fragment()).range, undefined);
    const bright = await brightness();
    assert.equal(dimmed[0], bright[0]);
    assert.notEqual(dimmed[1], bright[1]);
  });

  it('fits a large screen', async () => {
    for (const colorScheme of ['light', 'dark']) {
      await open(timed(), '', { viewport: { width: 1920, height: 1080 }, colorScheme });
      for (const key of '12345678') {
        await press(key);
        await screenshot(`large-${colorScheme}-${key}`);
      }
    }
  });
});
