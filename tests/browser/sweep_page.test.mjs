// SPDX-License-Identifier: Apache-2.0
// The page of a sweep: its views, its controls, and that hostile names stay text.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import {
  file,
  fragment,
  heading,
  open,
  page,
  press,
  run,
  screenshot,
  answered,
  skip,
  text,
  withBrowser,
} from './viewer_page.mjs';
import { madeUpSweep, sweepPage } from './sweep_page.mjs';

const LARGE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 800 } };
const one = () => sweepPage(madeUpSweep());
const two = () => sweepPage({ ...madeUpSweep(), other: madeUpSweep(1.2, 'results/second') }, 'two.html');
const choose = async (label, value) => {
  await page.getByRole('combobox', { name: label, exact: true }).selectOption(value);
  await answered();
};
const marker = (id) => page.locator(`.point[data-reference="${id}"]`);
const cells = (name) =>
  page
    .locator(`[aria-label="${name}"] tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
const focused = () =>
  page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);

describe('the page of a sweep', { skip }, () => {
  withBrowser();

  it('begins with the results, the failures and the machine', async () => {
    await open(one(), '', LARGE);
    assert.equal(await heading(), 'Overview1');
    assert.match(
      await text('.headline'),
      /Best throughput 7,583 ops\/s at threads=16 engine=plain payload=64, worst 400 ops\/s at threads=1 engine=plain payload=4096 or 1 other alike/,
    );
    assert.match(await text('#app'), /Points are alike if these runs cannot distinguish them from the best/);
    assert.deepEqual(
      (await cells('Failed points and checks')).map(([name, , what]) => [name, what]),
      [
        ['threads=16 engine=locked payload=64', 'failed: no blocking'],
        ['threads=16 engine=locked payload=4096', 'failed: the client ended with status 1'],
      ],
    );
    assert.match(await text('.findings'), /engine=locked payload=64: Contention: 30 %/);
    assert.match(await text('.note'), /too few CPUs: the plan keeps 16 busy/);
    await screenshot('sweep-overview');
  });

  it('plots any metric against any axis, in small multiples on one scale', async () => {
    await open(one(), 'view=plots', LARGE);
    assert.equal(await page.locator('figure').count(), 2); // by payload
    assert.equal(await page.locator('.series').count(), 4);
    assert.equal(await page.locator('.cross').count(), 1); // the failed point
    assert.equal(await page.locator('.ring').count(), 1); // the failed check
    assert.match(await text('.note'), /The machine affects these numbers: too few CPUs/);
    const ticks = await page
      .locator('figure')
      .evaluateAll((all) =>
        all.map((figure) =>
          [...figure.querySelectorAll('text[text-anchor=end]')].map((tick) => tick.textContent).join(),
        ),
      );
    assert.equal(ticks[0], ticks[1]);
    await screenshot('sweep-plots');
    await page.getByRole('button', { name: 'Same scale' }).click();
    const own = await page.locator('figure').last().locator('text[text-anchor=end]').allTextContents();
    assert.notEqual(own.join(), ticks[1]);
    await choose('Metric', { label: 'wall' });
    await choose('Against', { label: 'engine' });
    await choose('Small multiples', { label: 'none' });
    assert.deepEqual([(await fragment()).metric, (await fragment()).axis, (await fragment()).split], ['0', '1', '-1']);
    assert.deepEqual(await page.locator('.axes text[text-anchor=middle]').allTextContents(), [
      'plain',
      'locked',
      'engine',
    ]);
    await choose('threads', { label: '16' });
    assert.equal(await page.locator('.point').count(), 4);
    await page.getByRole('button', { name: 'Log scale' }).click();
    await page.getByRole('button', { name: 'Runs' }).click();
    assert.equal(await page.locator('.run').count(), 9);
    assert.equal(await focused(), 'Runs'); // drawing again retains the focus
    await screenshot('sweep-plots-by-engine');
  });

  it('spaces a logarithmic axis evenly', async () => {
    const positions = async () =>
      page
        .locator('figure')
        .first()
        .locator('.s0 .point')
        .evaluateAll((all) =>
          all.map((point) => Number(/translate\(([\d.]+)/.exec(point.getAttribute('transform'))[1])),
        );
    await open(one(), 'view=plots', LARGE);
    const log = await positions();
    assert.ok(Math.abs(log[2] - log[1] - (log[4] - log[3])) < 1);
    await choose('Axis', 'no');
    const linear = await positions();
    assert.ok(Math.abs((linear[4] - linear[3]) / (linear[1] - linear[0]) - 8) < 0.1);
  });

  it('shows the fit with its band, its knee and their intervals', async () => {
    await open(one(), 'view=scaling', LARGE);
    assert.equal(await page.locator('.band').count(), 4);
    assert.deepEqual(await page.locator('.mark.knee text').allTextContents(), ['knee 15.7', 'knee 15.7']);
    assert.equal(await page.locator('.mark.cpus text').first().textContent(), '2 CPUs');
    const rows = await cells('Parameters of the fits');
    assert.deepEqual(rows[0].slice(0, 2), ['engine=plain payload=64', 'contention and coherency']);
    assert.match(rows[2][3], /^30 % \(27 % to 33 %\)$/);
    assert.match(rows[0][6], /^15\.7 \(13 to unbounded\)$/);
    assert.match(await text('.notes'), /on 2 CPUs/);
    assert.equal(await page.locator('.fit[clip-path]').count(), 4);
    await screenshot('sweep-scaling');
  });

  it('maps two axes', async () => {
    await open(one(), 'view=heat', LARGE);
    const map = await cells('Heat map');
    assert.deepEqual(map[0], ['plain', '1,000 ops/s', '1,965 ops/s', '3,711 ops/s', '6,182 ops/s', '7,583 ops/s']);
    await choose('payload', { label: '4096' });
    assert.equal((await cells('Heat map'))[1][5], '\u00d7');
    await page.locator('.heat-cell').first().focus();
    await press('ArrowRight', 'ArrowDown');
    assert.match(await focused(), /^threads=2 engine=locked payload=4096: throughput 615/);
    await press('Enter');
    assert.match(await text('.chosen'), /threads=2 engine=locked payload=4096/);
    await screenshot('sweep-heat');
  });

  it('plots the share of areas', async () => {
    await open(one(), 'view=areas&only=-1.1.0', LARGE);
    assert.deepEqual(await page.locator('.series-legend li').allTextContents(), ['crc', 'lock']);
    assert.equal(await page.locator('figure').count(), 1);
    assert.match(
      await page.locator('.s1 .point').last().getAttribute('aria-label'),
      /lock 30 % \(95 %: 24 % to 36 %\); failed: no blocking/,
    );
    await screenshot('sweep-areas');
  });

  it('leads from a point to its profile, by mouse and by keys', async () => {
    await open(one(), 'view=plots', LARGE);
    await marker(5).click();
    await answered();
    assert.match(await text('.chosen'), /threads=2 engine=plain payload=64.*Open its profile/);
    assert.equal(await page.locator('.chosen a').getAttribute('href'), 'profiles/point-5.html');
    assert.equal((await fragment()).point, '5');
    await page.locator('.point[tabindex="0"]').first().focus();
    await press('ArrowLeft', 'ArrowRight', 'ArrowDown', 'Enter');
    assert.equal((await fragment()).point, '7'); // two threads, locked
    assert.match(await focused(), /^threads=2 engine=locked payload=64: throughput 1,538/);
    const went = page.waitForEvent('request');
    await page.keyboard.press('o');
    assert.match((await went).url(), /profiles\/point-7\.html$/);
  });

  it('compares any two points and gives the command', async () => {
    await open(one(), 'view=compare&before=1&after=19', LARGE);
    const metrics = await cells('Metrics of both points');
    assert.deepEqual([metrics[0][0], metrics[0][5], metrics[2][5]], ['wall', 'better', 'worse']);
    assert.match(metrics[1][3], /^\+190\.9 %$/);
    assert.match(await text('.view'), /of 2,000 samples and 2,000 samples/);
    const functions = await cells('Changes by function');
    assert.deepEqual(
      functions.map((row) => [row[5], row[3]]),
      [
        ['futex_wait', 'more'],
        ['crc32', 'less'],
        ['memcpy', 'less'],
        ['main', 'no evidence'],
      ],
    );
    assert.equal(
      await text('.command code'),
      'wick diff results/first/profiles/point-1.wick results/first/profiles/point-19.wick',
    );
    await screenshot('sweep-compare');
    await page.getByRole('button', { name: 'Swap' }).click();
    assert.equal((await cells('Changes by function'))[0][3], 'less');
    await choose('After', '20');
    assert.match(await text('.view'), /There is no profile of threads=16 engine=locked payload=4096/);
    await press('2');
    await marker(9).click();
    await page.getByRole('button', { name: 'Before' }).click();
    await marker(13).click();
    await page.getByRole('button', { name: 'After' }).click();
    await answered();
    assert.equal(await heading(), 'Two points6');
  });

  it('ranks by cost and by distance from linear', async () => {
    await open(one(), 'view=ranking', LARGE);
    const cost = await cells('Points by throughput, worst first');
    assert.match(cost[0][4], /^failed: the client/);
    assert.match(cost.at(-1)[3], /^threads=16 engine=plain payload=64/);
    await page.getByRole('radio', { name: 'By distance from linear' }).click();
    const scaling = await cells('Points by distance from linear scaling, furthest first');
    assert.match(scaling[0][0], /^18\.2 %$/);
    assert.match(scaling[0][2], /^threads=16 engine=locked/);
    await screenshot('sweep-ranking');
  });

  it('has every number in a table and as CSV', async () => {
    await open(one(), 'view=table', LARGE);
    assert.equal((await cells('All points of results/first')).length, 20);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await saving,
      csv = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n');
    assert.equal(download.suggestedFilename(), 'engines.csv');
    assert.equal(csv.length, 21);
    assert.match(csv[0], /^point,threads,engine,payload,status,failed_checks,wall,wall_low/);
    await screenshot('sweep-table');
  });

  it('compares two sweeps on the same axes', async () => {
    await open(two(), 'view=plots', LARGE);
    assert.equal(await page.locator('.series.dashed').count(), 4);
    assert.match(await text('.series-legend'), /engine=plain results\/second/);
    await screenshot('sweep-two-plots');
    await press('4');
    await page.getByRole('radio', { name: 'Change' }).click();
    assert.equal((await cells('Heat map'))[0][1], '+20.0 %');
    assert.match(await page.locator('.heat-cell').first().getAttribute('aria-label'), /evidence of a change/);
    await screenshot('sweep-two-heat');
    await press('3');
    assert.equal(await page.locator('figure').count(), 8);
    await screenshot('sweep-two-scaling');
    await press('6');
    await choose('After', 'o1');
    assert.match(
      await text('.command code'),
      /results\/first\/profiles\/point-1\.wick results\/second\/profiles\/point-1\.wick/,
    );
    for (const key of '1578') await press(key);
  });

  it('goes back, reads its fragment and ignores invalid values in it', async () => {
    await open(one(), 'view=plots', LARGE);
    await press('3');
    await page.goBack();
    await answered();
    assert.equal(await heading(), 'Plots2');
    await open(one(), 'view=nothing&axis=99&only=1.2.3.4&point=zz&colour=-9', LARGE);
    assert.equal(await heading(), 'Overview1');
  });

  it('is dark or light, fits a phone and prints', async () => {
    await open(one(), 'view=scaling', { ...LARGE, colorScheme: 'dark' });
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await screenshot('sweep-dark');
    await press('4');
    await screenshot('sweep-dark-heat');
    await page.keyboard.press('D');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    for (const view of ['overview', 'plots', 'scaling', 'compare', 'table']) {
      await open(one(), `view=${view}&point=1`, PHONE);
      assert.ok(
        await page.evaluate(
          () =>
            document.documentElement.scrollWidth <= innerWidth &&
            document.querySelector('main').scrollWidth <= innerWidth,
        ),
        view,
      );
      await screenshot(`sweep-phone-${view}`);
    }
    await open(one(), 'view=plots', LARGE);
    await page.emulateMedia({ media: 'print' });
    await screenshot('sweep-print');
    assert.equal(await page.locator('.toolbar').first().isVisible(), false);
  });

  it('says what is missing if there is nothing to show', async () => {
    const bare = madeUpSweep();
    Object.assign(bare, { points: bare.points.slice(0, 1), fits: [], ranking: [] });
    Object.assign(bare.points[0], { areas: undefined, functions: undefined });
    bare.plan.axes = [];
    bare.points[0].at = [];
    await open(sweepPage(bare, 'bare.html'), '', LARGE);
    for (const key of '2345678') await press(key);
    await press('3');
    assert.match(await text('.empty'), /There is no fit/);
    await open(sweepPage('{"points":', 'damaged.html'), '', LARGE);
    assert.match(await text('[role=alert]'), /data in this page is damaged/);
  });

  it('stays fast with thousands of points', async () => {
    const sweep = madeUpSweep(),
      variants = Array.from({ length: 400 }, (_, i) => `variant-${i}`);
    sweep.plan.axes[1].values = variants;
    sweep.plan.axes = sweep.plan.axes.slice(0, 2);
    sweep.points = variants.flatMap((engine, e) =>
      sweep.points.slice(0, 5).map((point, t) => ({
        ...point,
        id: e * 5 + t + 1,
        at: [t, e],
        axes: { threads: [1, 2, 4, 8, 16][t], engine },
      })),
    );
    sweep.fits = variants.map((engine) => ({ ...sweep.fits[0], rest: { engine } }));
    sweep.ranking = [];
    await open(sweepPage(sweep, 'large.html'), '', LARGE);
    for (const key of '12345678') {
      const started = Date.now();
      await press(key);
      assert.ok(Date.now() - started < 5000, `view ${key}: ${Date.now() - started} ms`);
    }
    await press('3');
    assert.match(await text('.figures > p'), /24 of 400 plots/);
    await screenshot('sweep-large');
  });

  // From end to end: runs as `wick sweep` stores them, of threads that share a lock which is full at nine.
  it('is written by wick from the results of a sweep, and shows the knee', async () => {
    const directory = (name, ceiling) => {
      const planDirectory = join(dirname(file('plan', '')), name);
      mkdirSync(planDirectory, { recursive: true });
      writeFileSync(
        join(planDirectory, 'plan.toml'),
        'name = "a lock"\ncommand = "work {threads}"\nrepeats = 3\n[axes]\nthreads = [1, 2, 4, 8, 16, 32]\n[metrics.rate]\nregex = "rate (.*)"\nbetter = "more"\nunit = "1/s"\n',
      );
      const lines = [1, 2, 4, 8, 16, 32].flatMap((threads, i) =>
        [0.985, 1, 1.01].map((noise, repeat) =>
          JSON.stringify({
            point: i + 1,
            axes: { threads },
            repeat: repeat + 1,
            order: 3 * i + repeat + 1,
            kind: 'timing',
            started: '2026-01-01T10:00:00Z',
            seconds: 1,
            status: 'ok',
            why: '',
            metrics: { rate: 100 * Math.min(threads, ceiling) * noise },
            checks: [],
          }),
        ),
      );
      writeFileSync(join(planDirectory, 'runs.jsonl'), lines.join('\n') + '\n');
      return planDirectory;
    };
    const before = directory('before', 9),
      after = directory('after', 20);
    assert.match(run('sweep', before), /saturation/);
    await open(join(before, 'index.html'), 'view=scaling', LARGE);
    assert.match(await text('.verdict'), /Saturation: throughput grows with N up to about (8\.9\d|9|9\.0\d) \(95 %/);
    assert.match(await text('.mark.knee text'), /^knee (8\.9|9)/);
    await screenshot('sweep-of-wick');
    run('sweep', before, after, '-o', join(dirname(before), 'both.html'));
    await open(join(dirname(before), 'both.html'), 'view=plots', LARGE);
    assert.equal(await page.locator('.series.dashed .point').count(), 6);
  });

  it('runs nothing from names', async () => {
    const evil = '</script><img src=x onerror=window.pwned=1>',
      hidden = 'a\u202eb\u0007';
    const sweep = JSON.parse(
      JSON.stringify(madeUpSweep()).replaceAll('engine', 'constructor').replaceAll('locked', '__proto__'),
    );
    sweep.plan.name = evil;
    sweep.plan.axes[0].name = evil;
    for (const point of sweep.points) {
      point.axes[evil] = point.axes.threads;
      delete point.axes.threads;
      point.failed_checks = [evil, hidden];
      point.why = evil;
      point.page = point.page && `javascript:window.pwned=1//${evil}`;
      point.functions?.push([evil, 0.1, 0.1], [hidden, 0.1, 0.1], ['x'.repeat(1 << 20), 0.1, 0.2]);
    }
    for (const fit of sweep.fits) Object.assign(fit, { axis: evil, summary: evil, note: [hidden, evil] });
    sweep.machine.findings[0] = { what: evil, why: hidden, advice: evil };
    sweep.notes = [evil];
    await open(sweepPage(sweep, 'hostile.html'), '', LARGE);
    for (const key of '12345678') {
      await press(key);
      const shown = await page.evaluate(() =>
        document.body.textContent
          .replace(document.getElementById('sweep').textContent, '')
          .replace(document.getElementById('page-script').textContent, ''),
      );
      assert.doesNotMatch(shown, /[\u0000-\u0008\u202a-\u202e]/);
      assert.equal(await page.locator('main img, main script').count(), 0);
    }
    await press('2');
    await marker(9).click();
    await screenshot('sweep-hostile');
    assert.doesNotMatch(await page.locator('.chosen a').getAttribute('href'), /^javascript:/);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  });
});
