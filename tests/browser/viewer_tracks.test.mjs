// SPDX-License-Identifier: Apache-2.0
// The tracks above every view, the sample under the pointer, nested ranges, and the table of marks and spans.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  answered,
  detail,
  file,
  fragment,
  open,
  page,
  pageOf,
  press,
  rows,
  screenshot,
  skip,
  text,
  timedProfile,
  withBrowser,
} from './viewer_page.mjs';

const LARGE = { viewport: { width: 1440, height: 900 } };
const timed = () => pageOf(file('timed.perf.txt', timedProfile()));

// Two threads with nested spans, marks and a counter, and hostile names.
function trace() {
  const events = [];
  for (const tid of [1, 2]) {
    for (let i = 0; i < 20; i++) {
      const ts = 100_000 * i;
      events.push({ ph: 'X', name: `load ${i % 3}`, pid: 1, tid, ts, dur: 60_000 });
      events.push({ ph: 'X', name: '<img src=x onerror=alert(1)>', pid: 1, tid, ts: ts + 10_000, dur: 20_000 });
    }
  }
  for (let i = 0; i < 10; i++) events.push({ ph: 'i', name: `frame ${i}`, pid: 1, tid: 1, ts: 200_000 * i, s: 't' });
  for (let i = 0; i < 10; i++)
    events.push({ ph: 'C', name: 'heap', pid: 1, ts: 200_000 * i, args: { bytes: i * 100 } });
  return pageOf(file('trace.json', JSON.stringify({ traceEvents: events })));
}

// Nested spans with stacks, waits with wakers, a counter with bounds (src/formats/native/over_time_test.cc).
const overTime = () => pageOf(fileURLToPath(new URL('../../web/test/timeline.wick', import.meta.url)));

const tracks = () => rows('Tracks');
const strip = async () => await page.locator('.strip canvas').boundingBox();

async function drag(from, to, y) {
  await page.mouse.move(from, y);
  await page.mouse.down();
  await page.mouse.move(to, y, { steps: 4 });
  await page.mouse.up();
  await answered();
}

describe('tracks', { skip }, () => {
  withBrowser();

  it('are above every view where there is room, and can be closed', async () => {
    await open(timed(), 'view=summary', LARGE);
    for (const key of '12345') {
      await press(key);
      assert.deepEqual(
        (await tracks()).map(({ name }) => name),
        ['\u25beworker-#2', 'worker-1 101', 'worker-2 102', 'main 100'],
      );
      await screenshot(`tracks-${key}`);
    }
    await page.getByRole('button', { name: 'Tracks' }).click();
    await answered();
    assert.equal((await fragment()).tracks, 'closed');
    assert.equal(await page.locator('.overview .grid').isVisible(), false);
    await open(timed(), 'view=flame', { viewport: { width: 375, height: 667 } });
    assert.equal(await page.locator('.overview .grid').isVisible(), false, 'no room');
    assert.match(await text('.tracks-head'), /3 threads/);
  });

  it('have a legend without cut entries', async () => {
    for (const width of [1440, 1100, 900, 800]) {
      await open(timed(), 'view=flame', { viewport: { width, height: 900 } });
      const entries = await page.locator('.tracks-head .legend').evaluate((legend) => {
        const all = legend.getBoundingClientRect();
        return [...legend.querySelectorAll('.key')].map((key) => {
          const { top, right, bottom } = key.getBoundingClientRect(),
            [text] = key.getElementsByClassName('text');
          return {
            text: key.textContent,
            isOut: top >= all.bottom,
            isWhole: bottom <= all.bottom + 0.5 && right <= all.right + 0.5 && text.scrollWidth <= text.clientWidth,
          };
        });
      });
      assert.ok(entries[0].isWhole, `${width} pixels: ${JSON.stringify(entries)}`);
      for (const { text, isOut, isWhole } of entries) assert.ok(isOut || isWhole, `${text} at ${width} pixels`);
    }
  });

  it('have a legend of what is drawn, and tabs with room', async () => {
    await open(timed(), 'view=flame&bands=mode', LARGE);
    assert.deepEqual(await page.locator('.tracks-head .key').allTextContents(), ['user', 'kernel']);
    await open(timed(), 'view=flame', { viewport: { width: 900, height: 760 } });
    const isCut = await page.locator('.tabs').evaluate((tabs) => tabs.scrollWidth > tabs.clientWidth);
    assert.equal(isCut, false);
  });

  it('choose several threads', async () => {
    await open(timed(), 'view=functions', LARGE);
    await page.getByRole('checkbox', { name: 'Choose main 100' }).click();
    await answered();
    await page.getByRole('checkbox', { name: 'Choose worker-1 101' }).click();
    await answered();
    assert.equal((await fragment()).threads.split('.').length, 2);
    assert.match(await text('.filters .left'), /66\.67 %/);
    assert.equal(await page.locator('.overview .grid-row.off').count(), 1);
    await page.getByRole('checkbox', { name: 'Choose main 100' }).click();
    await answered();
    assert.match(await text('.filters .left'), /33\.33 %/);
  });

  it('show the sample under the pointer, and choose it everywhere', async () => {
    await open(timed(), 'view=flame', LARGE);
    const lane = await page.locator('.overview canvas.lane').nth(1).boundingBox();
    await page.mouse.move(lane.x + lane.width / 3, lane.y + 15);
    await page.waitForSelector('.tip:not([hidden])');
    assert.match(await text('.tip'), /hash.*thread ?worker-1 101.*CPU ?[01].*called by ?hash/s);
    await screenshot('tracks-pointer');
    await page.mouse.click(lane.x + lane.width / 3, lane.y + 15);
    await answered();
    assert.match(await detail(), /^hash/);
    assert.match((await fragment()).frame, /^\d+(\.\d+)+$/);
    assert.ok((await fragment()).function, 'of the sandwich and the source');
    await press('t');
    assert.match(await page.locator('main .grid-row[aria-selected=true]').getAttribute('aria-label'), /^hash/);
  });

  it('nest ranges', async () => {
    await open(timed(), 'view=functions&tracks=closed', LARGE);
    const box = await strip();
    await drag(box.x + box.width * 0.25, box.x + box.width * 0.75, box.y + 30);
    const outer = (await fragment()).range;
    await press('z');
    assert.equal((await fragment()).zooms, outer);
    await drag(box.x + box.width * 0.25, box.x + box.width * 0.5, box.y + 30);
    const inner = (await fragment()).range.split('-').map(Number);
    assert.ok(Math.abs(inner[0] - 112e6) < 3e6 && Math.abs(inner[1] - 150e6) < 3e6, inner.join());
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await answered();
    const [, , crumb] = await page.locator('[aria-label=Zooms] li').allTextContents();
    assert.match(crumb, /^11[0-2]\.\d\d ms \u2013 149\.\d\d ms$/);
    await screenshot('tracks-zooms');
    const address = await page.evaluate(() => location.hash);
    await page.reload();
    await answered();
    assert.equal(await page.evaluate(() => location.hash), address);
    await page.locator('[aria-label=Zooms] button').nth(1).click();
    await answered();
    assert.equal((await fragment()).range, outer);
    await press('T', 'Escape');
    assert.equal((await fragment()).range, undefined);
    assert.equal((await fragment()).zooms, undefined);
  });

  it('have spans, counters and marks with names', async () => {
    await open(trace(), 'view=flame', LARGE);
    const names = (await tracks()).map(({ name }) => name);
    const spans = names.filter((name) => name.startsWith('region'));
    assert.deepEqual(spans, ['region [1]', 'region [2]'], 'each says its thread');
    assert.ok(names.some((name) => /heap/.test(name)) && names.includes('10 marks'), names.join());
    await screenshot('tracks-spans');
    assert.match(await text('.header'), /80 spans/);
    const at = names.indexOf('region [1]');
    const described = await page.locator('.overview .grid-row').nth(at).getAttribute('aria-label');
    assert.match(described, /^region of \d: 40 spans$/);
    const lane = await page.locator('.overview canvas.lane').nth(at).boundingBox();
    await page.mouse.move(lane.x + lane.width * 0.01, lane.y + 5);
    await page.waitForSelector('.tip:not([hidden])');
    assert.match(await text('.tip'), /load \d.*for ?60\.0 ms/s);
  });

  it('have the spans of threads without samples', async () => {
    const span = (tid, ts) => ({ ph: 'X', name: `task ${tid}`, pid: 1, tid, ts, dur: 900 }),
      samples = [500, 900].map((ts) => ({ cpu: 0, tid: 1, ts, name: 'cycles', sf: '1', weight: 1 })),
      stackFrames = { 1: { name: 'main' } },
      text = JSON.stringify({ traceEvents: [span(1, 0), span(2, 500)], stackFrames, samples });
    await open(pageOf(file('unsampled.json', text)), 'view=flame', LARGE);
    const names = (await tracks()).map(({ name }) => name);
    assert.ok(names.filter((name) => name.startsWith('task')).length === 2, names.join());
  });

  it('show marks without samples', async () => {
    const mark = (name, ts) => ({ ph: 'i', name, pid: 1, tid: 1, ts, s: 't' }),
      path = file('marks.json', JSON.stringify({ traceEvents: [mark('frame 1', 10), mark('frame 2', 5010)] }));
    await open(pageOf(path), 'view=flame', LARGE);
    assert.deepEqual(
      (await tracks()).map(({ name }) => name),
      ['2 marks'],
    );
    await press('6');
    assert.deepEqual(
      (await rows('Timeline')).map(({ name }) => name),
      ['2 marks'],
    );
    await screenshot('tracks-marks-alone');
    await page.getByRole('radio', { name: 'Marks and spans' }).click();
    await answered();
    assert.match(await text('main .grid-body'), /frame 1.*frame 2/s);
    await press('5');
    assert.match(await text('main .empty'), /no samples. The Timeline view shows/);
  });

  it('say how many threads with spans have no row', async () => {
    const events = Array.from({ length: 205 }, (_, i) => ({
      ph: 'X',
      name: 'a',
      pid: 1,
      tid: i + 2,
      ts: i,
      dur: 9,
    }));
    // Without these samples, spans would be the samples.
    const samples = [1, 2].map((ts) => ({ cpu: 0, tid: 1, ts, name: 'cycles', sf: '1', weight: 1 })),
      stackFrames = { 1: { name: 'main' } },
      path = file('threads.json', JSON.stringify({ traceEvents: events, stackFrames, samples }));
    await open(pageOf(path), 'view=timeline', LARGE);
    await press('Tab');
    await page.locator('main .grid-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await answered();
    assert.ok((await rows('Timeline')).some(({ name }) => name === '5 more threads with spans'));
  });

  it('have one axis with the strip', async () => {
    const left = async (selector) => (await page.locator(selector).boundingBox()).x;
    for (const width of [1440, 900, 375]) {
      await open(timed(), 'view=timeline&range=0-150000000', { viewport: { width, height: 900 } });
      const column = await page.locator('main [data-column=activity]').first().boundingBox(),
        y = (await strip()).y + 30;
      // The edge of the range is under the pointer at the same x in both.
      await page.mouse.move(column.x + column.width / 2, y);
      assert.equal(await page.locator('.strip canvas').evaluate((canvas) => canvas.style.cursor), 'ew-resize', width);
      assert.ok(column.x > (await left('.strip canvas')) + 20);
      await screenshot(`tracks-axis-${width}`);
    }
  });

  it('say the scale of threads and of processes', async () => {
    await open(timed(), 'view=flame', LARGE);
    assert.match(await text('.tracks-head'), /Height: 1 CPU, of groups 2 CPUs/);
    await press('6');
    assert.match(await text('main .toolbar'), /A full row is 1 CPU, of groups 2 CPUs\./);
  });

  it('show nested spans with their stacks, bands, states and wake-ups', async () => {
    for (const theme of ['light', 'dark']) {
      await open(overTime(), 'view=timeline', { ...LARGE, colorScheme: theme });
      await screenshot(`tracks-over-time-${theme}`);
    }
    const names = (await rows('Timeline')).map(({ name }) => name);
    const laneOf = async (name) => await page.locator('main canvas.lane').nth(names.indexOf(name)).boundingBox();
    const point = async (name, share, click) => {
      const lane = await laneOf(name);
      const at = [lane.x + lane.width * share, lane.y + lane.height / 2];
      await page.mouse.move(...at);
      if (click) await page.mouse.click(...at);
      await answered();
      await page.waitForSelector('.tip:not([hidden])');
      return await text('.tip');
    };
    assert.ok(names.includes('region, level 2'), names.join());
    assert.match(await point('region, level 2', 0.02), /^parse.*for ?7\.00 ms.*in ?<b>upload<\/b>/s);
    await page.waitForFunction(() => /stack ?parse/.test(document.querySelector('.tip').textContent));
    assert.match(await text('.tip'), /stack ?parse ?serve ?main/);
    await point('region', 0.02, true);
    await page.waitForFunction(() => /frame=/.test(location.hash));
    assert.match((await fragment()).frame, /^\d+\.\d+$/, 'main, serve');
    assert.match(await point('off-CPU', 0.02), /^queue mutex.*state ?blocked.*woken by ?main 7/s);
    const [value, low, high] = (await point('IPC', 0.07))
      .match(/value ?([\d.]+).*between ?([\d.]+) and ([\d.]+)/s)
      .slice(1)
      .map(Number);
    assert.deepEqual(
      [low, high].map((bound) => (bound - value).toFixed(2)),
      ['-0.50', '0.50'],
    );
    assert.match(await point('second', 0.5), /second/);
    const arrows = await page.locator('main canvas.track-arrows').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, i) => i % 4 === 3 && value > 0);
    });
    assert.ok(arrows, 'ten wake-ups');
  });

  it('have a scale that can be read outside of the chosen time', async () => {
    await open(overTime(), 'view=timeline&range=200000000-290000000', LARGE);
    const at = (await rows('Timeline')).findIndex(({ name }) => name === 'IPC');
    const darkest = await page
      .locator('main canvas.lane')
      .nth(at)
      .evaluate((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(4, 1, 60, 11);
        return data.reduce((least, value, i) => (i % 4 === 0 && data[i + 3] === 255 ? Math.min(least, value) : least));
      });
    assert.ok(darkest < 130, `${darkest}`);
  });

  it('colour the lanes of CPUs by thread', async () => {
    await open(overTime(), 'view=timeline&lanes=cpu', LARGE);
    await page.waitForFunction(() => /worker 8/.test(document.querySelector('.overview .legend').textContent));
    await screenshot('tracks-cpus');
  });

  it('mark the chosen time, and step through the hits of all lanes', async () => {
    await open(overTime(), 'view=chart', LARGE);
    await press('/');
    await page.keyboard.type('^(hash|parse)$');
    await page.waitForFunction(() => location.hash.includes('search'));
    await answered();
    const seen = new Set();
    for (let i = 0; i < 14; i++) {
      await press('Enter');
      seen.add((await detail()).split(/[ ,]/)[0]);
    }
    assert.deepEqual([...seen].sort(), ['hash', 'parse']);
    await screenshot('tracks-cursor');
  });

  it('list marks and spans, and search them', async () => {
    await open(trace(), 'view=timeline&moments=1', LARGE);
    const all = await rows('Marks and spans');
    assert.equal(all[0].time, '0.0 ms');
    assert.ok(all.some(({ name }) => name === '<img src=x onerror=alert(1)>'));
    await page.getByRole('button', { name: 'Duration' }).click();
    await answered();
    assert.equal((await rows('Marks and spans'))[0].duration, '60.0 ms');
    await press('/');
    await page.keyboard.type('frame [27]');
    await page.waitForFunction(() => location.hash.includes('search'));
    await answered();
    assert.deepEqual(
      (await rows('Marks and spans')).map(({ name }) => name),
      ['frame 2', 'frame 7'],
    );
    await page.locator('main .grid-row').first().dblclick();
    await answered();
    const [from, to] = (await fragment()).range.split('-').map(Number);
    assert.ok(from < 400e6 && to > 400e6, `${from} ${to}`);
    await screenshot('tracks-moments');
  });

  it('work for a profile of one sample, and for 3,000 threads', async () => {
    const sample = (tid, us) =>
      `p 1/${tid} [000] 1.${String(us).padStart(6, '0')}: 1000000 cpu-clock:\n\t10 f+0x1 (/x/p)\n\n`;
    await open(pageOf(file('two.perf.txt', sample(1, 0) + sample(1, 5000))), 'view=flame', LARGE);
    assert.deepEqual(
      (await tracks()).map(({ name }) => name),
      ['p 1'],
    );
    const many = Array.from({ length: 3000 }, (_, i) => sample(10 + i, 100 * i)).join('');
    await open(pageOf(file('many.perf.txt', many)), 'view=flame', LARGE);
    assert.deepEqual(
      (await tracks()).map(({ name }) => name),
      ['\u25b8p3,000'],
    );
    await page.locator('.overview .twisty').first().click();
    await answered();
    assert.ok((await tracks()).length > 5);
    assert.equal(await page.locator('[aria-label=Tracks][role=treegrid]').getAttribute('aria-rowcount'), '403');
  });
});
