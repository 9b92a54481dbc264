// SPDX-License-Identifier: Apache-2.0
// Pictures that the reader saves as SVG: button, menu and key, what the file contains, and what it must not contain.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage } from './browser.mjs';
import {
  answered,
  file,
  open,
  page,
  pageOf,
  press,
  run,
  screenshot,
  skip,
  text,
  timedProfile,
  withBrowser,
} from './viewer_page.mjs';

const LARGE = { viewport: { width: 1600, height: 900 } };
const timed = () => pageOf(file('server.perf.txt', timedProfile()));
const pair = () =>
  pageOf(
    file('before.folded', 'main;parse 400\nmain;render;draw 300\nmain;old 100\n'),
    file('after.folded', 'main;parse 150\nmain;render;draw 330\nmain;fresh 120\n'),
  );
const button = () => page.getByRole('button', { name: 'Save SVG' }).click();

// What the browser saves when `act` runs: the name of the file, its text, and what an XML parser finds in it.
async function saved(act = button) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  const content = readFileSync(await download.path(), 'utf8');
  const parsed = await page.evaluate((source) => {
    const svg = new DOMParser().parseFromString(source, 'image/svg+xml'),
      all = [...svg.querySelectorAll('*')],
      texts = (tag) => [...svg.querySelectorAll(tag)].map((found) => found.textContent);
    return {
      root: svg.documentElement.localName,
      errors: svg.querySelectorAll('parsererror').length,
      tags: [...new Set(all.map((found) => found.localName))].sort(),
      attributes: [...new Set(all.flatMap((found) => found.getAttributeNames()))],
      texts: texts('text'),
      titles: texts('title'),
      height: Number(svg.documentElement.getAttribute('height')),
      fills: [...new Set(all.map((found) => found.getAttribute('fill')).filter(Boolean))],
    };
  }, content);
  return { name: download.suggestedFilename(), content, ...parsed };
}

const DRAWN = ['defs', 'g', 'path', 'pattern', 'rect', 'svg', 'text', 'title'];

function assertHarmless({ root, errors, tags, attributes, content }) {
  assert.equal(root, 'svg');
  assert.equal(errors, 0);
  for (const tag of tags) assert.ok(DRAWN.includes(tag), tag);
  for (const name of attributes) assert.doesNotMatch(name, /^on|href|style/);
  assert.doesNotMatch(content.replace('xmlns="http://www.w3.org/2000/svg"', ''), /:\/\/|data:/);
}

// Shows the file in the browser, which also reports errors in it.
async function look({ name, content }, picture) {
  await openPage(pathToFileURL(file(name, content)).href, LARGE);
  assert.equal(await page.evaluate(() => document.documentElement.localName), 'svg');
  await screenshot(`saved-${picture}`);
}

describe('pictures that the reader saves', { skip }, () => {
  withBrowser();

  it('of the flame graph have all frames, the filters and the legend', async () => {
    await open(timed(), 'view=flame&mode=user&range=0-200000000&search=hash', LARGE);
    const picture = await saved();
    assertHarmless(picture);
    assert.equal(picture.name, 'server-flame-graph.svg');
    for (const name of ['all', 'main', 'compute', 'hash', 'app::Solver<double>::run()', 'libhash.so.1', 'search hits'])
      assert.ok(picture.texts.includes(name), name);
    const heading = picture.texts.slice(0, 5).join('\n');
    assert.match(heading, /server\.perf\.txt\nFlame graph\n300 ms \u00b7 600 samples\n/);
    assert.match(heading, /Filters: mode: user \u00b7 0\.0 ms \u2013 200\.0 ms \u00b7 search: hash \([\d.]+ %\)/);
    assert.ok(picture.titles.some((title) => /^compute, total .* ms \([\d.]+ %\), self/.test(title)));
    assert.ok(picture.content.length < 20_000, `${picture.content.length}`);
    assert.match(await text('.toast'), /server-flame-graph\.svg/);
    await look(picture, 'flame');
  });

  it('are light and as wide as a document, on a dark phone too', async () => {
    await open(timed(), 'view=flame', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    const dark = await saved(() => press('P'));
    await open(timed(), 'view=flame', { viewport: { width: 390, height: 800 }, colorScheme: 'light' });
    assert.equal(dark.content, (await saved(() => press('P'))).content);
    assert.match(dark.content, /^<\?xml [^>]*>\n<svg [^>]*width="1032"/);
    assert.ok(dark.fills.includes('#ffffff'));
  });

  it('are also in the menu of a frame', async () => {
    await open(timed(), 'view=flame', LARGE);
    await page.locator('.flame-panel canvas').click({ button: 'right', position: { x: 100, y: 30 } });
    const picture = await saved(() => page.getByRole('menuitem', { name: 'Save the picture as SVG' }).click());
    assert.equal(picture.name, 'server-flame-graph.svg');
  });

  it('of callers and callees have both', async () => {
    await open(timed(), 'view=functions', LARGE);
    await page.getByText('app::Pool::loop()', { exact: true }).first().click();
    await answered();
    await page.locator('.sandwich-middle', { hasText: 'app::Pool::loop()' }).waitFor();
    const picture = await saved();
    assertHarmless(picture);
    assert.equal(picture.name, 'server-app_Pool_loop-sandwich.svg');
    assert.ok(
      picture.texts.some((line) => /^Callers and callees of app::Pool::loop\(\): self .*, total 400/.test(line)),
    );
    for (const name of ['It has no callers: stacks begin with it', 'work', 'hash', 'Callees, downwards'])
      assert.ok(picture.texts.includes(name), name);
    await page.getByText('work', { exact: true }).first().click();
    await page.locator('.sandwich-middle', { hasText: 'work' }).waitFor();
    await answered();
    const other = await saved();
    for (const name of ['Callers, upwards', 'app::Pool::loop()', 'hash']) assert.ok(other.texts.includes(name), name);
    await look(other, 'sandwich');
  });

  it('of the call tree have the rows that are open, with their numbers', async () => {
    await open(timed(), 'view=tree&search=flush', LARGE);
    const closed = await saved();
    assertHarmless(closed);
    assert.equal(closed.name, 'server-call-tree.svg');
    for (const name of ['Total %', 'all', 'work', 'hash', 'main', 'app', 'libhash.so.1'])
      assert.ok(closed.texts.includes(name), `${name} is not in ${closed.texts.join(' | ')}`);
    assert.ok(!closed.texts.includes('write_all'));
    await page.locator('main [role=treegrid]').focus();
    await press('Home', '*');
    const opened = await saved();
    assert.ok(opened.texts.includes('write_all') && opened.fills.includes('#d100d1'));
    await look(opened, 'tree');
  });

  it('of stacks in time order have the axis and the thread', async () => {
    await open(timed(), 'view=chart&range=50000000-250000000', LARGE);
    const picture = await saved();
    assertHarmless(picture);
    assert.equal(picture.name, 'server-time-order.svg');
    assert.ok(picture.texts.includes('Time order of 3 threads'));
    for (const name of ['worker-1 101', 'main 100']) assert.ok(picture.texts.includes(name), name);
    for (const name of ['100 ms', 'work', 'hash']) assert.ok(picture.texts.includes(name), name);
    assert.ok(picture.titles.some((title) => /^work, from .* ms, for .* ms/.test(title)));
    assert.match(picture.content, /fill-opacity="\.74"/);
    await look(picture, 'chart');
  });

  it('of the timeline have every lane', async () => {
    await open(timed(), 'view=timeline&range=50000000-250000000', LARGE);
    const picture = await saved();
    assertHarmless(picture);
    assert.equal(picture.name, 'server-timeline.svg');
    for (const name of ['Lane', 'Cost', '100 ms', 'main 100', 'worker-# (2)', 'worker-1 101'])
      assert.ok(picture.texts.includes(name), `${name} is not in ${picture.texts.join(' | ')}`);
    await look(picture, 'timeline');
  });

  it('of differences have both sides, also frames of one side only', async () => {
    await open(pair(), 'view=diff', LARGE);
    const picture = await saved();
    assertHarmless(picture);
    assert.equal(picture.name, 'before-after-differences.svg');
    for (const name of ['before.folded \u2192 after.folded', 'parse', 'draw', 'old', 'fresh', 'new', 'gone'])
      assert.ok(picture.texts.includes(name), name);
    assert.ok(picture.texts.some((line) => line.startsWith('After costs 25.0 % less')));
    assert.ok(picture.titles.some((title) => /^fresh, total .* \u2192 20\.00 %/.test(title)));
    assert.match(picture.content, /<rect [^>]*url\(#hatching\)/);
    await look(picture, 'diff');
  });

  it('show the zoomed part, with all its rows', async () => {
    const deep = Array.from({ length: 120 }, (_, i) => `f${i}`).join(';');
    await open(pageOf(file('deep.folded', `${deep} 10\nshallow;leaf 990\n`)), 'view=flame', LARGE);
    const whole = await saved();
    assert.ok(whole.height > 121 * 19, `${whole.height}`);
    assert.ok(!whole.texts.includes('f119') && whole.texts.includes('leaf'));
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter');
    const zoomed = await saved();
    assert.ok(zoomed.texts.includes('f119') && !zoomed.texts.includes('leaf'), zoomed.texts.join());
  });

  it('of stacks a hundred thousand deep have a stated limit', async () => {
    const deep = Array.from({ length: 100_000 }, (_, i) => `f${i % 50}`).join(';');
    await open(pageOf(file('bottomless.folded', `${deep} 10\nf0;short 5\n`)), 'view=flame', LARGE);
    const picture = await saved();
    assert.ok(picture.texts.includes('The picture has the first 500 of 100,001 rows of frames.'));
    assert.ok(picture.content.length < 500_000, `${picture.content.length}`);
  });

  it('contain hostile names as text', async () => {
    const hostile = pageOf(new URL('hostile.folded', import.meta.url).pathname);
    for (const view of ['flame', 'functions', 'diff']) {
      const inputs = new URL('hostile.folded', import.meta.url).pathname;
      await open(view === 'diff' ? pageOf(inputs, inputs) : hostile, `view=${view}`, LARGE);
      if (view === 'functions') {
        await page.getByText('<script>alert(1)</script>', { exact: true }).first().click();
        await page.locator('.sandwich-middle', { hasText: '<script>' }).waitFor();
        await answered();
      }
      const picture = await saved();
      assertHarmless(picture);
      assert.ok(
        [...picture.texts, ...picture.titles].some((line) => line.startsWith('<script>alert(1)</script>')),
        view,
      );
      assert.doesNotMatch(picture.content, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      await look(picture, `hostile-${view}`);
      assert.equal(await page.evaluate(() => window.pwned), undefined);
    }
  });

  it('are not taken for profiles', async () => {
    await open(timed(), 'view=flame', LARGE);
    const { content } = await saved();
    assert.throws(() => run('report', file('picture.svg', content)), /not a flame graph|no frames/);
  });

  it('are offered by the views that have one; others say which', async () => {
    await open(timed(), 'view=summary', LARGE);
    await press('P');
    assert.equal(
      await text('.toast'),
      'This view has no picture to save. These views have one: Flame graph, Functions, Call tree, Time order, Timeline.',
    );
    await open(timed(), 'view=flame&focus=nothing_has_this_name', LARGE);
    await press('P');
    assert.equal(await text('.toast'), 'The view is empty: there is nothing to save.');
    await press('?');
    assert.match(await text('dialog.help'), /Psave the picture of the view as an SVG file/);
  });
});
