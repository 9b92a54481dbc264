// SPDX-License-Identifier: Apache-2.0
// Tracks of reports, made up: read by role and shape, arranged in rows, and drawn: lines with bands and gaps, nested
// spans, arrows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeProfile, marksOf } from '../src/model/fake.ts';
import { initialState, type ProfileInfo, type ReportTracks } from '../src/model/interface.ts';
import { Model } from '../src/model/model.ts';
import { readTracks, type RoleColumn, type ShapedSection } from '../src/model/tracks.ts';
import { allGaps } from '../src/ui/gaps.ts';
import { LanePainter, lineColumns } from '../src/ui/lane_painter.ts';
import { markUnit, momentRows, spanRows } from '../src/ui/moment_rows.ts';
import { reportSpanTrack } from '../src/ui/moments.ts';
import { palette } from '../src/ui/palette.ts';
import { SvgBrush } from '../src/ui/picture/svg_brush.ts';
import { arrowsOf, drawArrows } from '../src/ui/track_arrows.ts';

const NONE = new Float64Array(0);
const numbers = (role: string, ...values: number[]): RoleColumn => ({
  role,
  text: [],
  number: Float64Array.from(values),
  low: NONE,
  high: NONE,
});
const texts = (role: string, ...text: string[]): RoleColumn => ({ role, text, number: NONE, low: NONE, high: NONE });
const table = (shape: string, ...columns: RoleColumn[]): ShapedSection => ({
  shape,
  rows: Math.max(columns[0].text.length, columns[0].number.length),
  columns,
});

// IPC with a band and a gap from 4 to 6, calls, states, marks, and a wake-up.
const value = {
  ...numbers('value', 2, 3, NaN, 1, 7, 8),
  low: Float64Array.from([1, 2, NaN, 0.5, NaN, NaN]),
  high: Float64Array.from([3, 4, NaN, 2, NaN, NaN]),
};
const SECTIONS = [
  table(
    'tracks',
    texts('name', 'IPC', 'calls', 'states', 'requests'),
    texts('category', 'series', 'spans', 'spans', 'marks'),
    numbers('depth', 0, 1, 0, 0),
  ),
  table(
    'points',
    numbers('track', 0, 0, 0, 0, 0, 0),
    texts('name', 'linear', 'linear', 'linear', 'linear', 'user', 'user'),
    numbers('time', 0, 2, 4, 6, 0, 5),
    value,
    texts('unit', 'IPC', 'IPC', 'IPC', 'IPC', 'IPC', 'IPC'),
  ),
  table(
    'spans',
    numbers('track', 1, 1, 1, 2, 2),
    numbers('time', 0, 1, 2, 0, 5),
    numbers('until', 10, 9, 3, 5, 10),
    numbers('depth', 0, 1, 2, 0, 0),
    texts('state', 'work', 'work', 'work', 'running', 'blocked'),
    texts('name', 'main', 'serve', 'parse', '', 'lock'),
    texts('category', 'call', 'call', 'call', '', 'lock'),
    numbers('stack', 0, 1, 2, NaN, 1),
  ),
  table(
    'marks',
    numbers('track', 3, 3),
    numbers('time', 1, 8),
    texts('name', 'first', 'second'),
    numbers('value', NaN, 12),
    texts('unit', '', 's'),
  ),
  table('gaps', numbers('track', 0), numbers('time', 4), numbers('until', 6), texts('reason', 'overflow')),
  table(
    'arrows',
    numbers('track', 1, 2),
    numbers('to_track', 2, 1),
    numbers('time', 6, 1),
    numbers('until', 7, 2),
    texts('name', 'wake-up', 'wake-up'),
    numbers('stack', 1, NaN),
  ),
  table('stacks', numbers('depth', 0, 1, 2), numbers('parent', NaN, 0, 1), texts('name', 'main', 'serve', 'parse')),
];
const made = (): ReportTracks => readTracks(SECTIONS)[0];
const infoWith = (parts: object): ProfileInfo => ({
  ...fakeProfile(10).runs[0].info,
  marks: marksOf(fakeProfile(10).columns, []),
  counters: [],
  tracks: [made()],
  ...parts,
});

test('tracks are read by shape and role, without a name', () => {
  const { tracks, arrows, frames } = made();
  assert.deepEqual(
    tracks.map(({ title, kind, level }) => [title, kind, level]),
    [
      ['IPC', 'series', 0],
      ['calls', 'spans', 1],
      ['states', 'spans', 0],
      ['requests', 'marks', 0],
    ],
  );
  assert.deepEqual(
    tracks[0].lines.map(({ name, value: own, low }) => [name, [...own], low.length]),
    [
      ['linear', [2, 3, NaN, 1], 4],
      ['user', [7, 8], 0],
    ],
  );
  assert.deepEqual([...tracks[2].spans.state], [1, 3]);
  assert.deepEqual(tracks[0].gaps.reason, ['overflow']);
  assert.deepEqual(
    [[...arrows.from], [...arrows.to]],
    [
      [1, 2],
      [2, 1],
    ],
  );
  assert.deepEqual([...frames.parent], [-1, 0, 1]);
  assert.equal(readTracks([...SECTIONS, ...SECTIONS]).length, 2);
  assert.deepEqual(readTracks([SECTIONS[0]])[0].tracks[1].spans.names, []);
});

test('every track is a row, and in a table every level of spans', () => {
  const info = infoWith({});
  const labels = (isTable: boolean): string[] =>
    momentRows(info, isTable)
      .rows.filter(({ kind }) => kind !== 'losses')
      .map(({ label }) => label);
  assert.deepEqual(labels(false), ['IPC', 'calls', 'states', 'requests']);
  assert.deepEqual(labels(true), ['IPC', 'calls', 'calls, level 2', 'calls, level 3', 'states', 'requests']);
  assert.deepEqual(momentRows(info, true).ofReports, [[0, 1, 4, 5]]);
  const marks = momentRows(info, false).rows[3];
  assert.equal(marks.kind === 'marks' && markUnit(marks.track, info), 's');
  const track = reportSpanTrack(made(), made().tracks[1]);
  assert.deepEqual(track.framesOf!(2), ['parse', 'serve', 'main']);
  assert.equal(track.source.state(0), 'work');
});

test('a line has the last value of each pixel, the widest bounds, and none in a gap', () => {
  const [line] = made().tracks[0].lines;
  const { value: own, low, high } = lineColumns(line, { from: 0, to: 8, left: 0, width: 4 });
  assert.deepEqual([...own], [2, 3, NaN, 1]);
  assert.deepEqual([...low], [1, 2, NaN, 0.5]);
  assert.deepEqual([...high], [3, 4, NaN, 2]);
  assert.ok(
    lineColumns({ ...line, time: NONE, value: NONE }, { from: 0, to: 8, left: 0, width: 4 }).value.every(Number.isNaN),
  );
  // A million points cost what the width costs.
  const time = Float64Array.from({ length: 1e6 }, (_, i) => i);
  const start = performance.now();
  for (let i = 0; i < 10; i++)
    lineColumns({ ...line, time, value: time, low: NONE, high: NONE }, { from: 0, to: 1e6, left: 0, width: 1000 });
  assert.ok(performance.now() - start < 2000);
});

test('rows draw bands, hatched gaps and states', () => {
  const info = infoWith({});
  for (const theme of ['light', 'dark'] as const) {
    const markups = momentRows(info, false).rows.map((row) => {
      const brush = new SvgBrush();
      new LanePainter(brush, { from: 0, to: 10, left: 0, width: 400 }, theme, info, []).other(row);
      return brush.markup;
    });
    const colour = (hex: string): RegExp => new RegExp(hex, 'i');
    assert.match(markups[0], colour(theme === 'dark' ? '#6e4a1a' : '#f9cfa3'), 'band');
    assert.match(markups[0], colour(theme === 'dark' ? '#22252b' : '#efece6'), 'gap');
    assert.match(markups[2], colour(theme === 'dark' ? '#4a4a4a' : '#c9c4bb'), 'blocked');
    assert.match(markups[1], /<rect|<path/);
  }
});

test('what is not known is a gap with a reason: before the first point, between points and at the end', () => {
  const counter = {
    label: 'heap',
    name: 'heap',
    unit: 'bytes',
    time: Float64Array.from([2, 4, 5, 8]),
    value: Float64Array.from([1, NaN, 3, NaN]),
    low: Float64Array.from([NaN, NaN, NaN, NaN]),
    high: Float64Array.from([NaN, NaN, NaN, NaN]),
  };
  const info = infoWith({ counters: [counter], tracks: [], duration: 10 }),
    [row] = momentRows(info, false).rows;
  assert.ok(row.kind === 'series');
  assert.deepEqual([...row.gaps.begin], [0, 4, 8]);
  assert.deepEqual([...row.gaps.end], [2, 5, 10]);
  assert.deepEqual([...new Set(row.gaps.reason)], ['the value is not known']);
  const brush = new SvgBrush();
  new LanePainter(brush, { from: 0, to: 10, left: 0, width: 100 }, 'light', info, []).other(row);
  assert.match(brush.markup, new RegExp(palette('light').gap, 'i'));
  // A reason of the report comes first.
  const gaps = allGaps(row.lines, { begin: NONE, end: NONE, reason: [] }, 10),
    explained = allGaps(row.lines, { begin: Float64Array.of(3), end: Float64Array.of(4.5), reason: ['overflow'] }, 10);
  assert.equal(gaps.begin.length, 3);
  assert.deepEqual([...explained.begin], [0, 3, 4.5, 8]);
  assert.equal(explained.reason[1], 'overflow');
});

test('many counters end with the number of those without a row', () => {
  const counter = { label: 'c', name: 'c', unit: '', time: NONE, value: NONE, low: NONE, high: NONE },
    info = infoWith({ counters: Array.from({ length: 203 }, () => counter), tracks: [] }),
    { rows } = momentRows(info, false);
  assert.equal(rows[200].label, '3 more counters');
});

test("spans of several names in one pixel have no name's colour", () => {
  const colours = (name: (row: number) => number): string[] => {
    const count = 5000,
      times = Float64Array.from({ length: count }, (_, row) => 10 * row),
      spans = {
        begin: times,
        end: times.map((time) => time + 10),
        depth: new Int32Array(count),
        state: new Uint8Array(count),
        name: Int32Array.from(times, (_, row) => name(row)),
        names: ['a', 'b'],
        kind: new Int32Array(count),
        kinds: ['region'],
        frame: new Int32Array(count).fill(-1),
      },
      report = made(),
      track = { ...report.tracks[0], kind: 'spans', spans, gaps: { begin: NONE, end: NONE, reason: [] } },
      brush = new SvgBrush(),
      painter = new LanePainter(brush, { from: 0, to: 10 * count, left: 0, width: 400 }, 'light', infoWith({}), []);
    for (const row of spanRows(reportSpanTrack(report, track), 1, false)) painter.other(row);
    return brush.markup.match(/#[0-9a-f]{6}/g) ?? [];
  };
  const { other, slots } = palette('light');
  const mixed = colours((row) => row % 2),
    pure = colours(() => 1);
  assert.ok(mixed.filter((colour) => colour === other).length > 0.9 * mixed.length, mixed.join());
  assert.ok(
    pure.every((colour) => slots.includes(colour)),
    pure.join(),
  );
});

test('arrows are drawn between rows in view, and of many only the chosen one', () => {
  const info = infoWith({});
  const [arrows] = arrowsOf(info);
  assert.deepEqual([...arrows.end], [2, 7], 'in the order of time');
  const draw = (all: typeof arrows, chosen = -1, middle: (id: number) => number | null = (id) => 10 * id): number =>
    drawArrows(new SvgBrush(), [all], {
      scale: { from: 0, to: 10, left: 0, width: 400 },
      height: 100,
      middleOf: (_, id) => middle(id),
      chosen,
      theme: 'light',
    });
  assert.equal(draw(arrows), 2);
  assert.equal(
    draw(arrows, -1, (id) => (id === 1 ? 10 : null)),
    0,
    'one end is not in view',
  );
  const many = (count: number): typeof arrows => ({
    begin: Float64Array.from({ length: count }, (_, i) => (10 * i) / count),
    end: Float64Array.from({ length: count }, (_, i) => (10 * i) / count),
    from: Int32Array.from({ length: count }, (_, i) => i % 7),
    to: Int32Array.from({ length: count }, (_, i) => 8 + (i % 5)),
    span: Int32Array.from({ length: count }, (_, i) => i),
    longest: 0,
    report: -1,
  });
  assert.equal(draw(many(100)), 100);
  assert.equal(draw(many(10_000)), 0);
  assert.equal(draw(many(10_000), 9999), 1);
});

test('a long arrow that ends after a later one is in view at its begin', () => {
  const tracks = made();
  tracks.arrows.begin.set([8, 1]);
  tracks.arrows.end.set([9, 20]);
  const drawn = drawArrows(new SvgBrush(), arrowsOf(infoWith({ tracks: [tracks] })), {
    scale: { from: 0, to: 5, left: 0, width: 400 },
    height: 100,
    middleOf: (_, id) => 10 * id,
    chosen: -1,
    theme: 'light',
  });
  assert.equal(drawn, 1);
});

test('wake-ups of spans are arrows at the end of the wait', () => {
  const { spans } = fakeProfile(10).runs[0].info;
  const info = infoWith({ tracks: [], spans: { ...spans, waker: Int32Array.from([0, -1]) } });
  const [wakeUps] = arrowsOf(info);
  assert.deepEqual([[...wakeUps.from], [...wakeUps.to], [...wakeUps.end]], [[0], [1], [2e9]]);
  assert.deepEqual(arrowsOf(infoWith({ tracks: [] })), []);
});

test('the stack of a span is a path of the tree', () => {
  const model = new Model(fakeProfile(100));
  const state = initialState();
  const { stack } = model.profile.samples;
  const { path } = model.stackPath(state, stack[5]);
  assert.ok(path.length > 1);
  assert.deepEqual(path, model.stackPath({ ...state, levels: 'thread' }, stack[5]).path);
  assert.deepEqual(model.stackPath(state, 0).path, []);
  assert.deepEqual(model.stackPath(state, 1e9).path, []);
});

test('CPU lanes can be divided by thread', () => {
  const model = new Model(fakeProfile(1000));
  const { duration, threads } = model.profile.runs[0].info;
  const bands = Uint8Array.from(threads, (_, thread) => Math.min(thread, 2));
  const line = model.timeline(initialState(), {
    lanes: 'cpu',
    from: 0,
    to: duration,
    buckets: 10,
    colours: { count: 3, threads: bands },
  });
  const sumOf = (band: number): number => line.sum.slice(10 * band, 10 * band + 10).reduce((sum, w) => sum + w, 0);
  const { thread, weight } = model.profile.samples;
  const expected = [0, 0, 0];
  thread.forEach((id, row) => (expected[bands[id]] += weight[row]));
  for (const band of [0, 1, 2]) assert.ok(Math.abs(sumOf(band) / expected[band] - 1) < 0.02, String(band));
});
