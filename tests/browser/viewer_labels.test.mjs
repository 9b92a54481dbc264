// SPDX-License-Identifier: Apache-2.0
// Reads all labels of a screen: the names that a row or a box shows. Two different functions, threads or modules never
// look alike, and the full name is one hover away.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openPage } from './browser.mjs';
import { answered, file, open, page, pageOf, press, run, screenshot, skip, text, withBrowser } from './viewer_page.mjs';

const SIZES = [
  { width: 1440, height: 900 },
  { width: 900, height: 700 },
  { width: 375, height: 667 },
];

// Real names of one language, in thirty stacks of up to nine: neighbours in the file look alike.
// Modules of two directories have one file name, and two functions of one name are in two modules.
// Every `without`-th sample is missing: a second profile.
function namesText(language, without = Infinity) {
  const names = readFileSync(new URL(`../names/${language}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const modules = ['/opt/one/lib/libwork.so', '/opt/two/lib/libwork.so', '/usr/bin/program'];
  let text = '';
  for (let i = 0; i < 300; i++) {
    if (i % without === 1) continue;
    const stack = Math.floor(Math.sqrt(3 * i)),
      frames = Array.from({ length: 3 + (stack % 7) }, (_, level) => (stack * 3 + level * level * 5) % names.length);
    text += `pool-${1 + (i % 2)}-worker-${i % 5} 10/${11 + (i % 10)} [000] ${(1 + i / 1000).toFixed(6)}: 1000000 cycles:\n`;
    text += `\t100 shared_name+0x0 (${modules[i % 3]})\n`;
    for (const name of frames) text += `\t${1000 + name}0 ${names[name]}+0x0 (${modules[name % 3]})\n`;
    text += '\t2000 main+0x0 (/usr/bin/program)\n\n';
  }
  return text;
}
const namesProfile = (language) => pageOf(file(`${language}.perf.txt`, namesText(language)));
const comparedProfiles = (language) =>
  pageOf(file(`${language}.perf.txt`, namesText(language)), file(`${language}-2.perf.txt`, namesText(language, 3)));

// The labels that are drawn from now on, by canvas. A panel draws its boxes with drawImage, then their labels.
async function watchLabels() {
  await page.evaluate(() => {
    window.drawn = new Map();
    const { fillText, drawImage } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.drawImage = function (...words) {
      window.drawn.set(this.canvas, []);
      return drawImage.apply(this, words);
    };
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
      window.drawn.get(this.canvas)?.push({ text, x, y });
      return fillText.call(this, text, x, y);
    };
  });
  const size = page.viewportSize();
  await page.setViewportSize({ width: size.width - 1, height: size.height });
  await page.waitForFunction(() => [...window.drawn.keys()].some((canvas) => canvas.isConnected));
  await answered();
}

// { text, x, y } of all labels in boxes that can be pointed at.
const boxLabels = () =>
  page.evaluate(() =>
    [...window.drawn].flatMap(([canvas, labels]) => {
      const { left, top, bottom } = canvas.getBoundingClientRect();
      return labels
        .map(({ text, x, y }) => ({ text, x: left + x + 1, y: top + y }))
        .filter(({ y }) => y > top && y < Math.min(bottom, innerHeight - 30));
    }),
  );

async function nameAt({ x, y }) {
  await page.mouse.move(x, y);
  return text('.tip .name');
}

function byText(labels) {
  const groups = new Map();
  for (const label of labels) groups.set(label.text, [...(groups.get(label.text) ?? []), label]);
  return groups;
}

// Boxes with one label must have one name. A label of one box is pointed at only where there is no other: to see that a
// box shows its name.
async function checkBoxes(what, fewest) {
  await watchLabels();
  const labels = await boxLabels();
  assert.ok(labels.length >= fewest, `${what}: ${labels.length} labels`);
  const groups = [...byText(labels)],
    shared = groups.filter(([, alike]) => alike.length > 1);
  for (const [label, alike] of shared.length ? shared : groups.slice(0, 1)) {
    const names = new Set();
    for (const box of alike.slice(0, 4)) names.add(await nameAt(box));
    assert.equal(names.size, 1, `${what}: ${label} is ${[...names].join(' and ')}`);
  }
}

// The names of a table's rows, with what they stand for.
const rowNames = (grid) =>
  page
    .locator(`[aria-label="${grid}"] .grid-row [data-column=name] .name`)
    .evaluateAll((names) => names.map((name) => ({ text: name.textContent, full: name.title })));

async function checkRows(grid, what) {
  const names = await rowNames(grid);
  assert.ok(names.length > 5, `${what}: ${names.length} rows`);
  for (const [label, alike] of byText(names))
    assert.equal(new Set(alike.map(({ full }) => full)).size, 1, `${what}: ${label} is ${JSON.stringify(alike)}`);
}

async function checkLegends(what) {
  for (const legend of await page.locator('.legend').all()) {
    const labels = (await legend.locator('.key').allTextContents()).filter(Boolean);
    assert.deepEqual(labels, [...new Set(labels)], what);
  }
}

describe('labels of a screen', { skip }, () => {
  withBrowser();

  for (const language of ['cpp', 'rust', 'jvm', 'go', 'python', 'js']) {
    it(`tell functions of ${language} apart`, async () => {
      for (const viewport of SIZES) {
        const path = namesProfile(language),
          what = `${language}, ${viewport.width} pixels`;
        await open(path, 'view=flame&tracks=closed', { viewport });
        await checkBoxes(`flame graph of ${what}`, viewport.width > 800 ? 12 : 2);
        await screenshot(`labels-${language}-flame-${viewport.width}`);
        await checkLegends(`legend of ${what}`);
        await open(path, 'view=functions&tracks=closed', { viewport });
        await checkRows('Functions', `table of ${what}`);
        if (viewport.width > 900) await checkBoxes(`sandwich of ${what}`, 2);
        await open(path, 'view=tree&tracks=closed', { viewport });
        await page.locator('[aria-label="Call tree"] .grid-body').focus();
        await press('*');
        await checkRows('Call tree', `tree of ${what}`);
      }
    });
  }

  for (const language of ['cpp', 'rust', 'jvm']) {
    it(`of time order and of differences tell names of ${language} apart`, async () => {
      for (const viewport of SIZES) {
        const what = `${language}, ${viewport.width} pixels`;
        await open(namesProfile(language), 'view=chart&tracks=closed', { viewport });
        const lanes = await page
          .locator('.lane-names button')
          .evaluateAll((names) =>
            names.map((name) => ({ text: name.textContent, isCut: name.scrollWidth > name.clientWidth })),
          );
        assert.ok(lanes.length > 2, `${what}: ${lanes.length} lanes`);
        assert.equal(new Set(lanes.map((lane) => lane.text)).size, lanes.length, JSON.stringify(lanes));
        assert.deepEqual(
          lanes.filter(({ isCut }) => isCut),
          [],
        );
        await checkLegends(`legend of time order, ${what}`);
        await screenshot(`labels-${language}-order-${viewport.width}`);
        await open(comparedProfiles(language), 'tracks=closed&change=total', { viewport });
        await checkRows('Changes by function', `differences of ${what}`);
        await checkBoxes(`picture of differences of ${what}`, viewport.width > 800 ? 8 : 1);
        await checkLegends(`legend of differences, ${what}`);
        await screenshot(`labels-${language}-diff-${viewport.width}`);
      }
    });
  }

  it('of long thread names with a common begin differ in time order', async () => {
    const names = ['one', 'two', 'three'].map((name) => `${'scheduled-background-compaction-of-'.repeat(2)}${name}`),
      text = Array.from(
        { length: 60 },
        (_, i) =>
          `${names[i % 3]} 1/${i % 3} [000] 1.${String(1000 * i).padStart(6, '0')}: 1 cycles:\n\t10 f+0x1 (/x/p)\n\n`,
      ).join('');
    for (const viewport of SIZES) {
      await open(pageOf(file('long.perf.txt', text)), 'view=chart&tracks=closed', { viewport });
      const lanes = await page.locator('.lane-names button').allTextContents();
      assert.equal(new Set(lanes).size, 3, lanes.join());
    }
  });

  it('tell modules of one file name and functions of one name apart', async () => {
    await open(namesProfile('go'), 'view=summary&tracks=closed', { viewport: SIZES[0] });
    const bars = await page.locator('.card', { hasText: 'Modules' }).locator('.bar .mono').allTextContents();
    assert.deepEqual(bars.filter((name) => name.endsWith('libwork.so')).sort(), [
      '..one/lib/libwork.so',
      '..two/lib/libwork.so',
    ]);
    await open(namesProfile('go'), 'view=functions&tracks=closed&search=^shared_name$', { viewport: SIZES[0] });
    assert.deepEqual((await rowNames('Functions')).map(({ text }) => text).sort(), [
      'shared_name [one]',
      'shared_name [program]',
      'shared_name [two]',
    ]);
  });

  for (const language of ['cpp', 'rust', 'jvm']) {
    it(`of pictures tell functions of ${language} apart, before and after a zoom`, async () => {
      const svg = file(`${language}.svg`, '');
      run('flame', file(`${language}.txt`, namesText(language)), '-o', svg, '--width', '1000');
      const labels = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('#frames > g > g:not(.off)')]
            .filter((frame) => frame.children[2]?.textContent)
            .map((frame) => ({
              text: frame.children[2].textContent,
              full: frame.firstElementChild.textContent.replace(/ \([^(]*\)(\n.*)?$/s, ''),
            })),
        );
      const check = async (what) => {
        const found = await labels();
        assert.ok(found.length > 10, `${what}: ${found.length} labels`);
        for (const [label, alike] of byText(found))
          assert.equal(new Set(alike.map(({ full }) => full)).size, 1, `${what}: ${label} is ${JSON.stringify(alike)}`);
        return found;
      };
      await openPage(pathToFileURL(svg).href, { viewport: { width: 1000, height: 700 } });
      const before = await check('picture');
      await page.setViewportSize({ width: 900, height: 700 });
      await check('narrower picture');
      await page.setViewportSize({ width: 1000, height: 700 });
      await page.waitForFunction((count) => {
        const texts = [...document.querySelectorAll('#frames > g > g:not(.off)')];
        return texts.filter((frame) => frame.children[2]?.textContent).length === count;
      }, before.length);
      assert.deepEqual(await labels(), before, 'the script chooses the labels that wick chose');
    });
  }

  it('are not cut again by the browser', async () => {
    for (const viewport of SIZES) {
      await open(namesProfile('jvm'), 'view=summary&tracks=closed', { viewport });
      const isCut = (selector) =>
        page
          .locator(selector)
          .evaluateAll((names) =>
            names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent),
          );
      assert.deepEqual(await isCut('.bars .mono'), [], `${viewport.width} pixels`);
      assert.deepEqual(await isCut('.title h1'), [], `${viewport.width} pixels`);
      assert.deepEqual(await isCut('.headline, .subline'), [], `${viewport.width} pixels`);
      await open(namesProfile('jvm'), 'view=functions&tracks=closed', { viewport });
      assert.deepEqual(await isCut('.sandwich-middle .name'), [], `${viewport.width} pixels`);
    }
  });

  it('fold digits only where threads differ', async () => {
    await open(namesProfile('go'), 'view=flame', { viewport: SIZES[0] });
    const tracks = await page.locator('[aria-label="Tracks"] .grid-row [data-column=name]').allTextContents();
    assert.ok(
      tracks.some((name) => name.includes('pool-#-worker-#')),
      tracks.join(),
    );
    assert.deepEqual(tracks, [...new Set(tracks)]);
  });
});
