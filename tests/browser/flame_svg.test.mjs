// SPDX-License-Identifier: Apache-2.0
// The flame graph SVG in a real Chromium: its script, and that hostile names have no effect.
//
//     flame.svg     the svg view of flame.folded, default flags, lines sorted
//     hostile.svg   of hostile.folded
//     perl.svg      of flame.folded with --flamegraph-pl
//     diff.svg      the output of `wick diff --flame` for before.folded and after.folded, which `run` makes
//     npm ci
//     WICK_FLAME_SVG=$PWD/flame.svg WICK_HOSTILE_SVG=$PWD/hostile.svg WICK_PERL_SVG=$PWD/perl.svg \
//       WICK_DIFF_SVG=$PWD/diff.svg node --test
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage, page, withBrowser } from './browser.mjs';

const flame = process.env.WICK_FLAME_SVG;
const hostile = process.env.WICK_HOSTILE_SVG;
const perl = process.env.WICK_PERL_SVG;
const difference = process.env.WICK_DIFF_SVG;

const open = (path, { fragment = '', ...options } = {}) =>
  openPage(pathToFileURL(path).href + fragment, { viewport: { width: 1200, height: 700 }, ...options });

const text = (selector) => page.locator(selector).textContent();
const matched = () => text('.bar output');
const details = () => text('#details');
const names = (selector) =>
  page.locator(selector).evaluateAll((frames) =>
    frames.map((frame) =>
      frame
        .querySelector('title')
        .textContent.split('\n')[0]
        .replace(/ \([^(]*\)$/, ''),
    ),
  );
const shown = () => names('#frames > g > g:not(.off)');

async function search(pattern) {
  await page.keyboard.press('/');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(pattern);
  await page.keyboard.press('Enter');
}

// A click in the middle of the first frame of that name.
const click = (name) =>
  page
    .locator('#frames > g > g', { has: page.locator('title', { hasText: name }) })
    .first()
    .locator('rect')
    .click();

describe('flame graph', { skip: !flame && 'WICK_FLAME_SVG is not set' }, () => {
  withBrowser();

  it('zooms to a frame, back to an ancestor, and resets', async () => {
    await open(flame);
    const everything = (await shown()).length;
    await click('parse (700');
    assert.deepEqual((await shown()).slice(0, 3), ['all', 'main', 'parse']);
    assert.ok(!(await shown()).includes('gc'));
    assert.deepEqual(await names('#frames .up'), ['all', 'main']);
    const widths = await page
      .locator('#frames g:not(.off) > rect')
      .evaluateAll((rects) => rects.slice(0, 3).map((rect) => rect.getAttribute('width')));
    assert.deepEqual(widths, ['1179.5', '1179.5', '1179.5']);
    await click('main (1,000');
    assert.ok((await shown()).includes('gc'));
    assert.deepEqual(await names('#frames .up'), ['all']);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    assert.equal((await shown()).length, everything);
    assert.ok(await page.getByRole('button', { name: 'Reset zoom' }).isDisabled());
  });

  it('is the same picture laid out by the script and by wick', async () => {
    const picture = () =>
      page.locator('#frames > g > g').evaluateAll((frames) =>
        frames.map((frame) =>
          [...frame.children]
            .map(
              (child) =>
                child.localName + child.getAttribute('x') + '+' + child.getAttribute('width') + child.textContent,
            )
            .filter((line) => line !== 'textnull+null')
            .join(' '),
        ),
      );
    await open(flame, { javaScriptEnabled: false });
    const still = await picture();
    await open(flame);
    await click('parse (700');
    await page.keyboard.press('Escape');
    assert.deepEqual(await picture(), still);
  });

  it('counts the share of a search once', async () => {
    await open(flame);
    await search('read_char|ns::');
    assert.equal(await matched(), '70.00 % in 4 frames');
    await search('^eval$'); // the inner eval is within the outer one
    assert.equal(await matched(), '20.00 % in 2 frames');
    await search('READ_CHAR');
    assert.equal(await matched(), '0 % in 0 frames');
    await page.getByRole('button', { name: 'Ignore case' }).click();
    assert.equal(await matched(), '60.00 % in 2 frames');
    assert.deepEqual(await names('#frames .hit'), ['read_char', 'read_char']);
    const style = await page
      .locator('#frames .hit rect')
      .first()
      .evaluate((rect) => getComputedStyle(rect).strokeWidth);
    assert.equal(style, '1.5px');
    await page.keyboard.press('Escape');
    assert.equal(await matched(), '');
    assert.equal(await page.locator('#frames .hit').count(), 0);
  });

  it('searches within the zoomed frame', async () => {
    await open(flame);
    await click('parse (700');
    await search('read_char');
    assert.equal(await matched(), '85.71 % in 2 frames');
    await search('main'); // the whole view is below it
    assert.equal(await matched(), '100.00 % in 0 frames');
  });

  it('reports an invalid pattern', async () => {
    await open(flame);
    await search('(');
    assert.equal(await matched(), 'Not a regular expression');
    assert.equal(await page.locator('.bar input').getAttribute('aria-invalid'), 'true');
  });

  it('works by keyboard alone', async () => {
    await open(flame);
    await page.keyboard.press('ArrowUp');
    assert.equal(await details(), 'all');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await details(), 'parse');
    assert.equal(await text('#numbers'), '700 samples | 70.00 % of all | 70.00 % of its parent | self 0 samples');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await details(), 'gc');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await details(), 'eval');
    await page.keyboard.press('ArrowDown');
    assert.equal(await details(), 'main');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    assert.deepEqual(await names('#frames .up'), ['all', 'main']);
    assert.equal(await page.locator('#cursor').getAttribute('visibility'), 'visible');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#frames .up').count(), 0);
    await search('alloc');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+F');
    await page.keyboard.type('gc|mark');
    await page.keyboard.press('Enter');
    assert.equal(await details(), 'gc');
    await page.locator('#frames').focus();
    await page.keyboard.press('n');
    assert.equal(await details(), 'mark');
    await page.keyboard.press('N');
    assert.equal(await details(), 'gc');
  });

  it('has help, and labels on its controls', async () => {
    await open(flame);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Help' }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    for (const name of ['Ignore case', 'Previous hit', 'Next hit', 'Reset zoom', 'Help']) {
      assert.equal(await page.getByRole('button', { name }).count(), 1, name);
    }
    assert.equal(await page.getByRole('searchbox').count(), 1);
    assert.equal(await page.getByRole('tree').count(), 1);
  });

  it('stores its state in the URL', async () => {
    await open(flame);
    await click('parse (700');
    await search('read_char');
    const fragment = new URL(page.url()).hash;
    await open(flame, { fragment });
    assert.equal(await matched(), '85.71 % in 2 frames');
    assert.deepEqual(await names('#frames .up'), ['all', 'main']);
  });

  it('fills the window', async () => {
    await open(flame);
    await page.setViewportSize({ width: 500, height: 700 });
    const rect = page.locator('#frames rect').first();
    await page.waitForFunction(() => document.querySelector('#frames rect').getAttribute('width') === '479.5');
    assert.equal(await page.evaluate(() => document.documentElement.getBoundingClientRect().width), 500);
    const bar = await page.locator('.bar').boundingBox();
    assert.ok(bar.x >= 0 && bar.x + bar.width <= 500);
    assert.ok((await page.locator('#title').boundingBox()).y >= bar.y + bar.height - 2);
    assert.ok(await rect.isVisible());
  });

  it('is dark if the system is', async () => {
    const background = () =>
      page
        .locator('.bg')
        .first()
        .evaluate((rect) => getComputedStyle(rect).fill);
    await open(flame, { colorScheme: 'light' });
    assert.equal(await background(), 'rgb(255, 255, 255)');
    await open(flame, { colorScheme: 'dark' });
    assert.equal(await background(), 'rgb(22, 24, 28)');
  });

  it('runs nothing from a name', { skip: !hostile && 'WICK_HOSTILE_SVG is not set' }, async () => {
    await open(hostile);
    await search('.');
    for (let i = 0; i < 30; i++) {
      await page.locator('#frames').focus();
      await page.keyboard.press('n');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
    }
    await search('alert\\(1\\)');
    assert.match(await matched(), /^35\.29 % in 12 frames$/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('script').count(), 1);
    assert.equal(await page.locator('img, iframe, a, image, use').count(), 0);
    const handlers = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .flatMap((element) => element.getAttributeNames())
        .filter((name) => name.startsWith('on')),
    );
    assert.deepEqual(handlers, []);
  });

  it('has no widths to switch where there is one side', async () => {
    await open(flame);
    assert.equal(await page.getByRole('button', { name: 'Widths: before' }).count(), 0);
    await page.keyboard.press('w');
    assert.ok(!page.url().includes('w='));
  });

  it('switches a comparison to the widths of a side', { skip: !difference && 'WICK_DIFF_SVG is not set' }, async () => {
    const widthOf = async (name) =>
      Number(
        await page
          .locator('#frames > g > g:not(.off)', { has: page.locator('title', { hasText: name }) })
          .first()
          .locator('rect')
          .getAttribute('width'),
      );
    const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1, `${value} is not ${wanted}`);
    await open(difference, { javaScriptEnabled: false });
    const still = await shown();
    assert.deepEqual(still.sort(), ['all', 'fresh', 'gone', 'hash', 'made', 'main', 'mix', 'old']);
    near(await widthOf('hash ('), (1180 * 900) / 1500);

    await open(difference);
    assert.match(await details(), /^Widths: mean of before and after/);
    await page.getByRole('button', { name: 'Widths: before' }).click();
    assert.match(await details(), /^Widths: before. Frames only after are not shown/);
    assert.match(await text('#numbers'), /^1,000 /);
    assert.deepEqual((await shown()).sort(), ['all', 'gone', 'hash', 'main', 'mix', 'old']);
    near(await widthOf('hash ('), 1180 * 0.6);
    near(await widthOf('old ('), 1180 * 0.4);
    await click('old ('); // zoomed to a frame that the other side does not have
    await page.keyboard.press('w');
    assert.ok(await page.getByRole('button', { name: 'Reset zoom' }).isDisabled());
    assert.equal(await page.getByRole('button', { name: 'Widths: after' }).getAttribute('aria-pressed'), 'true');
    assert.deepEqual((await shown()).sort(), ['all', 'fresh', 'hash', 'made', 'main', 'mix']);
    near(await widthOf('hash ('), 1180 * 0.6);
    near(await widthOf('fresh ('), 1180 * 0.2);
    await click('fresh (');
    assert.match(await text('#numbers'), /^400 .*20.00 % of all/);
    await search('made');
    assert.equal(await matched(), '100.00 % in 1 frame');
    const fragment = new URL(page.url()).hash;

    await open(difference, { fragment });
    assert.deepEqual((await shown()).sort(), ['all', 'fresh', 'made', 'main']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('w');
    assert.deepEqual((await shown()).sort(), still);
    near(await widthOf('hash ('), (1180 * 900) / 1500);
    await page.keyboard.press('?');
    assert.match(await text('.help'), /widths of a comparison/);
  });

  it("works the same in flamegraph.pl's form", { skip: !perl && 'WICK_PERL_SVG is not set' }, async () => {
    await open(perl);
    await page
      .locator('#frames > g', { has: page.locator('title', { hasText: 'parse (700' }) })
      .locator('rect')
      .click();
    assert.deepEqual(await names('#frames > .up'), ['all', 'main']);
    await search('read_char');
    assert.equal(await matched(), '85.71 % in 2 frames');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#frames > .off').count(), 0);
    assert.equal(await page.locator('#title').getAttribute('x'), '600.00');
  });
});
