// SPDX-License-Identifier: Apache-2.0
// Names and amounts as the page shows them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formsOfText } from '../src/ui/label_forms.ts';
import {
  amount,
  boundsText,
  cellAmount,
  clock,
  cutText,
  distinctPaths,
  listed,
  percent,
  rangeText,
  roundPercent,
  rowLabels,
  tickText,
  valueText,
  visible,
} from '../src/ui/text.ts';

describe('names', () => {
  it('hide nothing', () => {
    assert.equal(visible('a\u202eb\u0007\u200bc\u007f'), 'a\u27e8U+202E\u27e9b\u2407\u27e8U+200B\u27e9c\u2421');
    assert.equal(visible('Größe 漢字 🙂'), 'Größe 漢字 🙂');
    assert.equal(visible('<b>&amp;'), '<b>&amp;');
    assert.equal(visible('lone \ud800 half'), 'lone \u27e8U+D800\u27e9 half');
  });

  it('lose their middle when they are very long', () => {
    const shown = visible('a'.repeat(1 << 20) + 'end');
    assert.ok(
      shown.length < 4200 && shown.endsWith('end') && shown.includes('1,044,483 more characters'),
      shown.slice(3500, 3700),
    );
  });

  it('of threads retain their beginning', () => {
    assert.equal(cutText('worker 1234 (alpha)', 40), 'worker 1234 (alpha)');
    assert.equal(cutText('worker 1234 (node-17.rack-3.example.org)', 24), 'worker 1234 (node-17.r..');
  });

  it('of a proportional font have as many letters as there is room for', () => {
    const names = ['iiiiiiiiiiiiiiiiiiii', 'mmmmmmmmmmmmmmmmmmmm', 'iiiiiiiiiiiimmmmmmmm'],
      widthOf = (_: number, label: string): number => [...label].reduce((sum, c) => sum + (c === 'm' ? 10 : 4), 0),
      room = 120,
      label = rowLabels(
        0,
        3,
        (row) => formsOfText(names[row]),
        () => room,
        widthOf,
      );
    assert.equal(label(0), names[0]);
    assert.match(label(1), /^m{5,6}\.\.m{4,5}$/);
    for (const row of [0, 1, 2]) assert.ok(widthOf(row, label(row)) <= room, label(row));
  });

  it('are listed when they are few', () => {
    const hosts = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((count) => listed(hosts.slice(0, count), 'hosts')),
      ['', 'alpha', 'alpha and beta', 'alpha, beta and gamma', '4 hosts', '5 hosts'],
    );
  });
});

describe('modules', () => {
  it('of one file name show what distinguishes them', () => {
    assert.deepEqual(distinctPaths(['/usr/lib/libc.so.6', '[vdso]', '', '/usr/bin/a']), [
      'libc.so.6',
      '[vdso]',
      '',
      'a',
    ]);
    assert.deepEqual(distinctPaths(['/opt/one/lib/a.so', '/opt/two/lib/a.so', '/a.so', '/opt/one/lib/a.so']), [
      '..one/lib/a.so',
      '..two/lib/a.so',
      'a.so',
      '..one/lib/a.so',
    ]);
    assert.deepEqual(distinctPaths(['/x/a.so', '/y/a.so']), ['/x/a.so', '/y/a.so']);
  });
});

describe('amounts', () => {
  it('have the unit that suits them', () => {
    assert.deepEqual(
      [0, 12, 1500, 2.5e6, 3.21e9, 45e9].map((ns) => amount(ns, 'nanoseconds')),
      ['0 s', '12.0 ns', '1.50 us', '2.50 ms', '3.21 s', '45.0 s'],
    );
    assert.deepEqual(
      [0, 1, 1234567, 0.5].map((count) => amount(count, 'samples')),
      ['0 samples', '1 sample', '1,234,567 samples', '0.5 samples'],
    );
    assert.deepEqual(
      ['cache-misses', 'branches', 'queries', 'series', 'cycles', ''].map((unit) => amount(1, unit)),
      ['1 cache-miss', '1 branch', '1 query', '1 series', '1 cycle', '1'],
    );
    assert.deepEqual([amount(0, 'bytes'), amount(3 * 2 ** 20, 'bytes')], ['0 B', '3.00 MiB']);
    assert.equal(amount(-5, 'samples'), '\u22125 samples');
    assert.deepEqual([cellAmount(1500, 'nanoseconds'), cellAmount(1500, 'samples')], ['1.50 us', '1,500']);
  });

  it('are never rounded to zero', () => {
    assert.deepEqual([0, 1e-9, 0.5, 1].map(percent), ['0 %', 'under 0.01 %', '50.00 %', '100.00 %']);
    assert.deepEqual([0.0001, 0.042, 0.57, 1].map(roundPercent), ['under 0.1 %', '4.2 %', '57 %', '100 %']);
  });

  it('are round on an axis', () => {
    assert.deepEqual(
      [0, 5e8, 1e9].map((ns) => tickText(ns, 5e8, 5e9)),
      ['0.0 s', '0.5 s', '1.0 s'],
    );
    assert.equal(tickText(4e9, 2e9, 10e9), '4 s');
    assert.equal(tickText(20e6, 20e6, 300e6), '20 ms');
    assert.equal(clock(1.2345e9, 10e9), '1.23 s');
  });
});

describe('values over time', () => {
  it('have the steps of their unit', () => {
    assert.equal(valueText(2756139000, 'nanoseconds'), '2.76 s');
    assert.equal(valueText(3.49112, 'IPC'), '3.491 IPC');
    assert.equal(valueText(1732012345, ''), '1,732,012,345');
    assert.equal(boundsText(1.5, 2.5, 'IPC'), '1.5 and 2.5 IPC');
    assert.equal(boundsText(0, 2 ** 20, 'bytes'), '0 B and 1.00 MiB');
  });
});

describe('ranges of time', () => {
  it('have the digits that distinguish their ends, in the unit of the whole', () => {
    assert.equal(rangeText(0, 60e9, 60e9, ' to '), '0.0 s to 60.0 s');
    assert.equal(rangeText(30e9, 30e9 + 5e6, 60e9, ' to '), '30.00000 s to 30.00500 s');
    assert.equal(rangeText(1e9, 1e9 + 3, 60e9, ' to '), '1.000000000 s to 1.000000003 s');
    assert.equal(rangeText(5, 5, 900, ' to '), '5 ns to 5 ns');
  });
});
