// SPDX-License-Identifier: Apache-2.0
// Hostile names and files: nothing in them runs, hides or floods, and the page reports unreadable data.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage } from './browser.mjs';
import {
  detail,
  file,
  open,
  page,
  pageOf,
  press,
  rows,
  screenshot,
  answered,
  skip,
  text,
  wick,
  withBrowser,
} from './viewer_page.mjs';

const hostile = () => pageOf(new URL('hostile.folded', import.meta.url).pathname);
const LARGE = { viewport: { width: 1920, height: 1080 } };

describe('hostile names in the viewer', { skip }, () => {
  withBrowser();

  it('run nothing in any view', async () => {
    await open(hostile(), '', LARGE);
    for (const key of '12345678') await press(key);
    await press('2', '/');
    await page.keyboard.type('script');
    await page.waitForFunction(() => location.hash.includes('search=script'));
    await answered();
    await press('Enter', 'Tab');
    await page.mouse.move(400, 400);
    await page.mouse.move(402, 280);
    await press('3');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('main script, main img, .tip script, .tip img').count(), 0);
    await screenshot('hostile');
  });

  it('are shown with their invisible characters spelled out', async () => {
    await open(hostile(), 'view=functions', LARGE);
    const names = (await rows('Functions')).map(({ name }) => name);
    assert.ok(names.includes('<script>alert(1)</script>'));
    assert.ok(names.some((name) => name.includes('gnp.exe')));
    const all = names.join('');
    assert.doesNotMatch(all, /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  });

  it('of a megabyte are cut, and the page stays fast', async () => {
    const long = 'x'.repeat(1 << 20);
    await open(pageOf(file('long.folded', `main;${long};leaf 10\nmain;other 5\n`)), 'view=functions', LARGE);
    const name = (await rows('Functions')).find((row) => row.name.startsWith('xxx')).name;
    assert.ok(name.length < 6000, `${name.length}`);
    const started = Date.now();
    for (const key of '12345678') await press(key);
    assert.ok(Date.now() - started < 20_000);
    await press('2');
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown');
    assert.ok((await detail()).length < 1000);
  });

  it('of stacks a hundred thousand deep do not overflow anything', async () => {
    const deep = Array.from({ length: 100_000 }, (_, i) => `f${i % 50}`).join(';');
    await open(pageOf(file('deep.folded', `${deep} 10\nf0;short 5\n`)), 'view=flame', LARGE);
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'PageDown', 'i', 'i');
    await press('4');
    await page.locator('main [role=treegrid]').focus();
    await press('Home', '*', 'End');
    assert.ok((await rows('Call tree')).length > 5);
    for (const key of '13') await press(key);
  });
});

describe('pages that cannot be shown', { skip }, () => {
  withBrowser();

  // Opens a page that never shows a view, without waiting for one, and reads its sentence.
  async function openBroken(path, selector, sentence) {
    await openPage(pathToFileURL(path).href, {}, (url) => /^(file|blob|data):/.test(url));
    await page.waitForSelector(selector);
    assert.match(await text(selector), sentence);
  }

  it('say that the data is damaged', async () => {
    const path = pageOf(file('small.folded', 'a;b 1\n')),
      whole = readFileSync(path, 'utf8');
    const at = whole.search(/<script[^>]*type="application\/octet-stream"[^>]*>/),
      begin = whole.indexOf('>', at) + 40;
    assert.ok(at > 0);
    writeFileSync(path + '.damaged.html', whole.slice(0, begin) + 'AAAAAAAAAAAA' + whole.slice(begin + 12));
    await openBroken(path + '.damaged.html', '[role=alert]', /cannot be shown/);
    await screenshot('damaged');
  });

  it('say so when the end of the file is missing', async () => {
    const path = pageOf(file('small.folded', 'a;b 1\n')),
      whole = readFileSync(path, 'utf8');
    writeFileSync(path + '.cut.html', whole.slice(0, -5000));
    await openBroken(path + '.cut.html', '#app p', /the page is incomplete/);
  });

  it('are not written for input that is not a profile', () => {
    assert.throws(() =>
      execFileSync(wick, ['view', file('nonsense.bin', '\0\u0001nothing'), '-o', '/dev/null'], { stdio: 'pipe' }),
    );
  });
});
