// SPDX-License-Identifier: Apache-2.0
// Two profiles in one page: the differences, by picture and by table.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  wickAnswer,
  detail,
  file,
  fragment,
  heading,
  open,
  page,
  pageOf,
  press,
  rows,
  screenshot,
  answered,
  skip,
  text,
  timedProfile,
  withBrowser,
} from './viewer_page.mjs';

const LARGE = { viewport: { width: 1920, height: 1080 } };
const BEFORE = 'main;parse 400\nmain;render;draw 300\nmain;old 100\n';
const AFTER = 'main;parse 150\nmain;render;draw 330\nmain;fresh 120\n';
const inputs = () => [file('before.folded', BEFORE), file('after.folded', AFTER)];
const pair = () => pageOf(...inputs());
const ABSOLUTE = 'normalised=0&change=total&diffsort=change';
const table = async () =>
  Object.fromEntries((await rows('Changes by function')).map((row) => [row.name.replace(/(new|gone)$/, ''), row]));

describe('differences in the viewer', { skip }, () => {
  withBrowser();

  it('are what two files open with', async () => {
    await open(pair(), '', LARGE);
    assert.equal(await heading(), 'Differences9');
    assert.match(
      await text('.diff-headline'),
      /^After costs 25\.0 % less: 800 samples before, 600 samples after\. 2 functions are more of the whole than before, 2 are less\. Before: before\.folded\. After: after\.folded\./,
    );
    assert.match(await text('main .legend'), /less than before.*unchanged.*more than before.*new.*gone/);
    await screenshot('diff');
    await page.getByRole('radio', { name: 'Absolute' }).click();
    await answered();
    assert.match(await text('.diff-headline'), /After costs 25\.0 % less: 800 samples before, 600 samples after/);
    await screenshot('diff-absolute');
  });

  it('of several runs a side are about one run', async () => {
    const runs = [
      file('a1.folded', 'main;parse 400\nmain;draw 400\n'),
      file('a2.folded', 'main;parse 404\nmain;draw 396\n'),
      '--',
      file('b1.folded', 'main;parse 200\nmain;draw 400\n'),
      file('b2.folded', 'main;parse 202\nmain;draw 398\n'),
    ];
    await open(pageOf(...runs), ABSOLUTE, LARGE);
    assert.match(
      await text('.diff-headline'),
      /^After costs 25\.0 % less: 800 samples before, 600 samples after\..* Before: a1\.folded and 1 more\. After: b1\.folded and 1 more\./,
    );
    const shown = await table();
    assert.equal(shown.parse.before, '402');
    assert.equal(shown.parse.after, '201');
  });

  it('agree with wick diff in every row, and say where verdicts come from', async () => {
    await open(pair(), '', LARGE);
    for (const [measure, as] of [
      ['self', 'share'],
      ['total', 'share'],
      ['self', 'run'],
      ['total', 'run'],
    ]) {
      await page.getByRole('radio', { name: measure === 'self' ? 'Self' : 'Total', exact: true }).click();
      await page.getByRole('radio', { name: as === 'share' ? 'Shares' : 'Absolute', exact: true }).click();
      await answered();
      const expected = wickAnswer('diff', ...inputs(), '--measure', measure, '--as', as);
      const percent = (share) => (share === 0 ? '\u2013' : `${(100 * share).toFixed(2)} %`);
      const value = (row, side) =>
        as === 'share'
          ? percent(row[`${measure}_${side}_share`])
          : row[`${measure}_${side}`] === 0
            ? '\u2013'
            : String(row[`${measure}_${side}`]);
      assert.deepEqual(
        (await rows('Changes by function')).map((row) => [
          row.name.replace(/(new|gone)$/, '|$1'),
          row.before,
          row.after,
          row.evidence,
        ]),
        expected.rows.map((row) => [
          row.name + (row.state ? `|${row.state}` : ''),
          value(row, 'before'),
          value(row, 'after'),
          row.verdict,
        ]),
      );
      assert.match(await text('.sureness summary'), /verdicts of wick diff/);
      for (const note of expected.notes) assert.ok((await text('.sureness ul')).includes(note), note);
    }
  });

  it('say that the page computes verdicts when filters are set', async () => {
    await open(pageOf(file('one.txt', timedProfile()), file('two.txt', timedProfile(4))), 'mode=user', LARGE);
    assert.match(await text('.sureness summary'), /verdicts of this page, with the filters/);
    assert.match(await text('.sureness ul'), /computed in the page/);
  });

  it('list both values, the change and its confidence, largest first', async () => {
    await open(pair(), ABSOLUTE, LARGE);
    const order = (await rows('Changes by function')).map(({ change }) =>
      Math.abs(Number(change.replace(/[\u2212+,]/g, ''))),
    );
    assert.deepEqual(
      order,
      [...order].sort((a, b) => b - a),
    );
    const shown = await table();
    assert.deepEqual([shown.parse.before, shown.parse.after, shown.parse.change], ['400', '150', '\u2212250']);
    assert.deepEqual(
      [shown.parse.evidence, shown.parse.chance, shown.parse.relative],
      ['faster', '< 0.001', '\u221262.50 %'],
    );
    assert.deepEqual([shown.draw.before, shown.draw.after, shown.draw.change], ['300', '330', '+30']);
    assert.equal(shown.draw.evidence, 'no evidence');
    assert.deepEqual([shown.old.after, shown.fresh.before], ['\u2013', '\u2013']);
    const names = (await rows('Changes by function')).map(({ name }) => name);
    assert.ok(names.includes('freshnew') && names.includes('oldgone'));
  });

  it('also draw removed and new frames', async () => {
    await open(pair(), ABSOLUTE, LARGE);
    await page.locator('.flame-panel canvas').focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowDown');
    const seen = [await detail()];
    for (let i = 0; i < 3; i++) {
      await press('ArrowRight');
      seen.push(await detail());
    }
    assert.deepEqual(seen.map((line) => line.split(',')[0]).sort(), ['fresh', 'old', 'parse', 'render']);
    assert.match(
      seen.find((line) => line.startsWith('old')),
      /total 100 samples \u2192 0 samples \(\u2212100 samples\)/,
    );
  });

  it('are by self or total, by width, normalised and inverted', async () => {
    await open(pair(), '', LARGE);
    for (const [name, key, value] of [
      ['Total', 'change', 'total'],
      ['Before', 'width', 'before'],
      ['After', 'width', 'after'],
      ['Absolute', 'normalised', '0'],
      ['Inverted', 'invert', '1'],
    ]) {
      await page.getByRole('radio', { name, exact: true }).click();
      await answered();
      assert.equal((await fragment())[key], value);
      await screenshot(`diff-${name.toLowerCase()}`);
    }
    const shown = await table();
    assert.equal(shown.parse.before, '400');
    assert.equal(shown.main.before, '800');
  });

  it('also show each profile alone', async () => {
    await open(pair(), '', LARGE);
    await press('3');
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('1');
    await answered();
    assert.deepEqual(
      (await rows('Functions')).filter(({ self }) => self !== '0').map(({ name, self }) => [name, self]),
      [
        ['draw', '330'],
        ['parse', '150'],
        ['fresh', '120'],
      ],
    );
  });

  it('choose threads by name in both runs; a profile alone lists its own', async () => {
    const renumbered = timedProfile(4)
      .replaceAll('100/100', '200/200')
      .replaceAll('100/101', '200/201')
      .replaceAll('100/102', '200/202');
    const files = [file('first.txt', timedProfile()), file('second.txt', renumbered)];
    await open(pageOf(...files), ABSOLUTE, LARGE);
    const offered = (name) => page.getByRole('combobox', { name, exact: true }).locator('option').allTextContents();
    assert.deepEqual(await offered('Thread'), ['all', 'main', 'worker-1', 'worker-2']);
    await page.getByRole('combobox', { name: 'Thread', exact: true }).selectOption({ label: 'worker-1' });
    await answered();
    const { rows: expected } = wickAnswer(
      'diff',
      ...files,
      '--thread',
      'worker-1',
      '--measure',
      'total',
      '--as',
      'run',
    );
    const shown = await table();
    for (const { name, total_before, total_after } of expected) {
      assert.deepEqual(
        [shown[name].before, shown[name].after].map(parseFloat),
        [total_before / 1e6, total_after / 1e6],
        name,
      );
    }
    await press('3');
    await page.getByRole('combobox', { name: 'Profile' }).selectOption('1');
    await answered();
    assert.deepEqual((await offered('Thread')).map((label) => label.replace(/ \u2013.*/, '')).sort(), [
      'all 3',
      'main 200',
      'worker-# (2 threads)',
      'worker-1 201',
      'worker-2 202',
    ]);
  });

  it('fit a phone', async () => {
    await open(pair(), '', { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375);
    assert.equal(
      await page.evaluate(() =>
        [...document.querySelectorAll('.grid-row > *')].every((cell) => cell.getBoundingClientRect().right <= 375),
      ),
      true,
    );
    assert.deepEqual((await rows('Changes by function')).map(({ name, evidence }) => [name, evidence])[0], [
      'parse',
      'less',
    ]);
    const heights = await page.evaluate(() =>
      ['.diff-picture', '.diff-body > .grid'].map(
        (part) => document.querySelector(part).getBoundingClientRect().height,
      ),
    );
    assert.ok(
      heights.every((height) => height >= 240),
      `the picture and the table have room: ${heights.join()}`,
    );
    await screenshot('phone-9');
  });

  it('sort by any column and follow the search', async () => {
    await open(pair(), ABSOLUTE, LARGE);
    const head = page.locator('[aria-label=Differences] .grid-head').getByRole('button', { name: 'Before' });
    await head.click();
    await answered();
    assert.equal((await rows('Changes by function'))[0].before, '800');
    await head.click();
    await answered();
    assert.equal((await rows('Changes by function'))[0].before, '\u2013');
    await press('/');
    await page.keyboard.type('parse');
    await page.waitForFunction(() => location.hash.includes('search=parse'));
    await answered();
    assert.deepEqual(
      (await rows('Changes by function')).map(({ name }) => name),
      ['parse'],
    );
  });
});
