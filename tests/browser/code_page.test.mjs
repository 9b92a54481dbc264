// SPDX-License-Identifier: Apache-2.0
// The page of `wick annotate` in a real Chromium: its keys, and that hostile sources have no effect.
//
//     WICK_CODE_PAGE=$PWD/code.html node --test      made by tests/browser/run from a recording
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage, page, withBrowser } from './browser.mjs';

const file = process.env.WICK_CODE_PAGE;
const open = (options = {}) =>
  openPage(pathToFileURL(file).href, { viewport: { width: 1200, height: 700 }, ...options });

const heats = () =>
  page.locator('#code tr.hot').evaluateAll((rows) => rows.map((row) => Number(row.dataset.heat)).sort((a, b) => b - a));
const selected = () =>
  page.locator('tr.selected').evaluate((row) => ({
    id: row.id,
    heat: Number(row.dataset.heat ?? 0),
    side: row.closest('section').id,
  }));

describe('code page', { skip: !file && 'WICK_CODE_PAGE is not set: nothing could be recorded' }, () => {
  withBrowser();

  it('opens at the hottest instruction, with its source line beside it', async () => {
    await open();
    const [hottest] = await heats();
    assert.equal((await selected()).heat, hottest);
    assert.ok(await page.locator('tr.selected').isVisible());
    assert.equal(await page.locator('#source tr.linked').count(), 1);
    assert.ok(await page.locator('#source tr.linked').isVisible());
  });

  it('goes from one hot line to the next, and back', async () => {
    await open();
    const order = await heats();
    await page.keyboard.press('n');
    assert.equal((await selected()).heat, order[Math.min(1, order.length - 1)]);
    await page.keyboard.press('p');
    assert.equal((await selected()).heat, order[0]);
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.equal((await selected()).heat, order[0]);
    await page.keyboard.press('s');
    assert.equal((await selected()).side, 'source');
    await page.keyboard.press('h');
    assert.equal((await selected()).side, 'source');
  });

  it('shows the instructions of a line under the pointer', async () => {
    await open();
    await page.locator('#source tr.hot').first().hover();
    assert.ok((await page.locator('#code tr.linked').count()) > 0);
  });

  it('is dark if the system is', async () => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await open({ colorScheme: 'light' });
    const light = await paper();
    await open({ colorScheme: 'dark' });
    assert.notEqual(await paper(), light);
  });

  it('can be read without the script', async () => {
    await open({ javaScriptEnabled: false });
    assert.ok((await page.locator('#code tr.hot').count()) > 0);
    assert.equal(await page.locator('#keys').isVisible(), false);
  });

  it('shows a hostile source as text', async () => {
    await open();
    assert.ok((await page.locator('#source').textContent()).includes('<script>alert(1)</script>'));
  });
});
