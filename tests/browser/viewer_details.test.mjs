// SPDX-License-Identifier: Apache-2.0
// Details of the viewer that would mislead if they were wrong: the scale of bars, legends, search in every view, keys
// that come early, taps, and the chosen frame in the address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answered,
  detail,
  file,
  fragment,
  open,
  page,
  pageOf,
  press,
  screenshot,
  skip,
  text,
  timedProfile,
  withBrowser,
} from './viewer_page.mjs';

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true };

const timed = () => pageOf(file('timed.perf.txt', timedProfile()));

describe('details of the viewer', { skip }, () => {
  withBrowser();

  it('draw the bars of a table on one scale', async () => {
    await open(pageOf(file('bars.folded', 'main;work 30\nmain;rest 20\nmain 50\n')), 'view=functions');
    const bars = await page.locator('[aria-label=Functions] .grid-row').evaluateAll((rows) =>
      rows.flatMap((row) =>
        ['selfShare', 'totalShare'].map((column) => {
          const cell = row.querySelector(`[data-column=${column}]`);
          return [Number(cell.textContent), parseFloat(cell.querySelector('i').style.width)];
        }),
      ),
    );
    assert.equal(bars.length, 6);
    for (const [share, width] of bars) assert.ok(Math.abs(share - width) < 0.1, `${share} % is drawn as ${width} %`);
  });

  it('name the scheme that Time order is coloured by, in the list and in the legend', async () => {
    await open(timed(), 'view=flame&colour=heat');
    await press('5');
    assert.equal(await page.locator('[aria-label="Time order"] select').last().inputValue(), 'module');
    const legend = await text('[aria-label="Time order"] [aria-label=Legend]');
    assert.match(legend, /libhash\.so\.1/);
    assert.doesNotMatch(legend, /self time/);
    await page.locator('[aria-label="Time order"] select').last().selectOption('name');
    await answered();
    assert.match(await text('[aria-label="Time order"] [aria-label=Legend]'), /only separate/);
  });

  it('step through the hits of a search in every view', async () => {
    await open(timed(), 'view=summary&search=usr/bin/app');
    await press('n');
    assert.match(await page.evaluate(() => document.activeElement.title), /compute|app::|write_all/);
    assert.ok((await page.locator('.bars [data-hit]').count()) >= 2, 'functions and modules');
    await press('8', 'n');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /app/);
    await press('7');
    await press('n');
    assert.match(await page.locator('[aria-label=Source] select option:checked').first().textContent(), /^\u25cf /);
  });

  it('act on keys that were pressed while the page was loading', async () => {
    await open(pageOf(file('slow.folded', 'main;work 30\nmain;hash 20\n')));
    // The keys come before the script has read the profile.
    await page.addInitScript(() => {
      const Real = Worker;
      window.Worker = class extends Real {
        postMessage(...words) {
          setTimeout(() => super.postMessage(...words), 400);
        }
      };
    });
    await page.reload({ waitUntil: 'commit' });
    await page.waitForSelector('main.problem');
    for (const key of ['3', '/', 'h', 'a', 's', 'h']) await page.keyboard.press(key);
    await page.waitForFunction(() => location.hash.includes('search=hash'), null, { timeout: 20_000 });
    assert.equal((await fragment()).view, 'functions');
    assert.equal(await page.locator('input[type=search]').inputValue(), 'hash');
  });

  it('tell the cost of a tapped frame on a phone', async () => {
    await open(timed(), 'view=flame', PHONE);
    const canvas = await page.locator('canvas.flame').boundingBox();
    await page.touchscreen.tap(canvas.x + canvas.width * 0.3, canvas.y + 30);
    await page.waitForSelector('.tip:not([hidden])');
    assert.match(await text('.tip'), /total\d.*%/);
    assert.match(await detail(), /total/);
    await screenshot('viewer-phone-tap');
  });

  it('tell the sample at a tapped time on a phone', async () => {
    for (const [view, selector, y] of [
      ['flame', '.strip canvas', 35],
      ['timeline', 'main canvas.lane >> nth=1', 12],
    ]) {
      await open(timed(), `view=${view}`, PHONE);
      const tracks = await page.locator(selector).boundingBox();
      await page.touchscreen.tap(tracks.x + tracks.width * 0.4, tracks.y + y);
      await page.waitForSelector('.tip:not([hidden])');
      assert.match(await text('.tip'), /thread ?(main|worker).*sample ?1\.00 ms/s);
      await page.waitForFunction(() => location.hash.includes('frame='));
      await page.touchscreen.tap(200, 20);
      await page.waitForSelector('.tip', { state: 'hidden' }); // the next touch removes it
    }
  });

  it('fit beside a list in a narrow window', async () => {
    const stacks = Array.from({ length: 20 }, (_, i) => `main;a_function_of_some_length_${i} 10\n`);
    await open(pageOf(file('narrow.folded', stacks.join(''))), 'view=functions', {
      viewport: { width: 900, height: 700 },
    });
    const right = await page
      .locator('.sandwich-middle > *')
      .evaluateAll((parts) => Math.max(...parts.map((part) => part.getBoundingClientRect().right)));
    assert.ok(right <= 900, `${right}`);
  });

  it('leave room for lists and names on a phone', async () => {
    // Samples after code with interrupts off have a note above the table.
    const late = Array.from(
      { length: 40 },
      (_, i) =>
        `app 1/1 [000] 1.${String(1000 * i).padStart(6, '0')}: 1000000 cpu-clock: \n` +
        `\tffffffff81000010 finish_task_switch.isra.0+0x10 ([kernel.kallsyms])\n\t55d000 work_${i % 20}+0x8 (/usr/bin/app)\n\n`,
    );
    await open(pageOf(file('late.perf.txt', late.join(''))), 'view=functions', PHONE);
    const bottom = await page.locator('.left-part > .note').evaluate((note) => note.getBoundingClientRect().bottom);
    const list = await page.locator('[aria-label=Functions] .grid-body').boundingBox();
    assert.ok(list.y > bottom && list.height >= 150, `${list.height} pixels below the note`);
    const path = Array.from({ length: 30 }, (_, i) => `function_at_level_${i}`);
    await open(pageOf(file('deep.folded', `${path.join(';')} 9\n`)), 'view=tree', PHONE);
    await press('0');
    const names = await page.locator('[aria-label="Call tree"] .grid-row .name').allTextContents();
    assert.ok(names.length > 8);
    for (const name of names.slice(1)) assert.ok(name.length >= 10, name);
  });

  it('put the chosen frame into the address, and choose it again', async () => {
    await open(timed(), 'view=flame');
    await page.locator('canvas.flame').focus();
    await press('Home', 'ArrowDown', 'ArrowDown');
    const chosen = await detail();
    assert.match(chosen, /total/);
    await page.waitForFunction(() => location.hash.includes('frame='));
    await page.reload();
    await answered();
    await page.waitForFunction(() => document.querySelector('.status .detail').textContent !== '');
    assert.equal(await detail(), chosen);
    await press('t');
    assert.equal(await page.locator('.grid-row[aria-selected=true]').getAttribute('aria-label'), chosen);
    await open(timed(), 'view=flame&frame=1.2.99999');
    assert.equal((await fragment()).view, 'flame');
  });
});
