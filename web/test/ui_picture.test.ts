// SPDX-License-Identifier: Apache-2.0
// Saved pictures: runs of pixels as paths, names as escaped text, canvas calls as elements, limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileName } from '../src/ui/download.ts';
import { svgDocument, type Picture } from '../src/ui/picture/document.ts';
import { laneTable, type Lane } from '../src/ui/picture/lane_table.ts';
import { element, escaped, text } from '../src/ui/picture/markup.ts';
import { hexOf, MOST_ROWS, runPaths, sceneRows } from '../src/ui/picture/scene_rows.ts';
import { SvgBrush } from '../src/ui/picture/svg_brush.ts';
import { formsOfText } from '../src/ui/label_forms.ts';
import type { Box, Lines, Look, Scene } from '../src/ui/scene.ts';
import { randomNumbers } from './support.ts';

// Boxes "row from until" on a scene of `extent` units; node i is the i-th box.
function boxes(extent: number, ...rows: [row: number, from: number, until: number][]): Scene {
  const found = (test: (box: Box) => boolean): Box | null =>
    rows.map(([row, start, end], node): Box => ({ node, row, start, end })).find(test) ?? null;
  return {
    rows: Math.max(...rows.map(([row]) => row)) + 1,
    extent: [0, extent],
    paint: ({ pixels, width, last, line, narrowest, label }: Lines, look: Look) => {
      rows.forEach(([row, from, until], node) => {
        if (row >= last) return;
        const a = (from / extent) * width,
          b = (until / extent) * width;
        pixels.fill(look.colour[2 * node + (row & 1)], line(row) * width + a, line(row) * width + b);
        if (b - a >= narrowest) label(node, row, a, b);
      });
    },
    boxAt: (row, x) => found((box) => box.row === row && box.start <= x && x < box.end),
    step: () => null,
    boxOfNode: (node) => found((box) => box.node === node),
  };
}

const look = (names: string[], striped: number[] = []): Look => ({
  colour: Uint32Array.from({ length: 2 * names.length }, (_, i) => (0xff000000 + (i >> 1) + 1) >>> 0),
  hit: null,
  striped: Uint8Array.from(names, (_, node) => (striped.includes(node) ? 1 : 0)),
  name: (node) => names[node],
  forms: (node) => formsOfText(names[node]),
});

const all = { left: 0, right: 100, rootBelow: false, width: 100 };
const count = (markup: string, part: string): number => markup.split(part).length - 1;

describe('runs of pixels', () => {
  it('are one path for each colour', () => {
    const pixels = Uint32Array.from([1, 1, 0, 2, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
    assert.deepEqual(
      [...runPaths(pixels, 5, (line) => 10 * line + 9)],
      [
        [1, 'M0 9h2m2 0h1M0 19h1'],
        [2, 'M3 9h1M0 29h5'],
      ],
    );
  });

  it('paint the same pixels again', () => {
    const random = randomNumbers(7),
      width = 37,
      lines = 11,
      pixels = Uint32Array.from({ length: width * lines }, () => random(3)),
      painted = new Uint32Array(width * lines);
    for (const [colour, data] of runPaths(pixels, width, (line) => line)) {
      let x = 0,
        line = 0;
      for (const [, command, first, second] of data.matchAll(/([Mmh])(\d+)(?: (\d+))?/g)) {
        if (command === 'M') [x, line] = [Number(first), Number(second)];
        else if (command === 'm') x += Number(first);
        else painted.fill(colour, line * width + x, line * width + (x += Number(first)));
      }
    }
    assert.deepEqual(painted, pixels);
  });

  it('have the colours of the screen', () => {
    assert.equal(hexOf(0xff0a0bfc), '#fc0b0a');
  });
});

describe('the rows of a saved picture', () => {
  it('have a title where one can point at a box, and a label where there is room', () => {
    const scene = boxes(100, [0, 0, 100], [1, 0, 60], [1, 60, 70], [1, 70, 72]),
      { markup, height } = sceneRows(
        scene,
        look(['all', 'work', 'tiny', 'dot']),
        all,
        ({ node, end }) => `${node}:${end}`,
      );
    assert.equal(height, 38);
    assert.deepEqual(
      [...markup.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title),
      ['0:100', '1:60', '2:70'],
    );
    assert.deepEqual(
      [...markup.matchAll(/<text[^>]*>([^<]*)</g)].map(([, label]) => label),
      ['all', 'work'],
    );
    assert.match(markup, /<path stroke="#040000" d="M70 28h2"\/>/);
    assert.equal(count(markup, '<path'), 3); // the gaps at the ends of wide boxes, as the scene painted them
  });

  it('begin at the bottom if the root does', () => {
    const scene = boxes(100, [0, 0, 100], [1, 0, 50]);
    const ys = (rootBelow: boolean): string[] =>
      [
        ...sceneRows(scene, look(['a', 'b']), { ...all, rootBelow }, () => '').markup.matchAll(/<rect[^>]* y="(\d+)"/g),
      ].map(([, y]) => y);
    assert.deepEqual(ys(false), ['0', '19']);
    assert.deepEqual(ys(true), ['19', '0']);
  });

  it('hatch what exists on one side only', () => {
    const scene = boxes(100, [0, 0, 50], [0, 50, 100]);
    assert.equal(count(sceneRows(scene, look(['old', 'same'], [0]), all, () => '').markup, 'url(#hatching)'), 1);
  });

  it('end with the last row that has a box, and at a stated limit', () => {
    const deep = boxes(100, [0, 0, 100], [100_000, 0, 100]),
      part = sceneRows(deep, look(['a', 'b']), all, () => '');
    assert.equal(part.height, 19);
    assert.equal(part.note, `The picture has the first ${MOST_ROWS} of 100,001 rows of frames.`);
    assert.equal(sceneRows(boxes(100, [0, 0, 100]), look(['a']), all, () => '').note, undefined);
  });
});

describe('names in a saved picture', () => {
  const HOSTILE = `<script>alert(1)</script>]]>" onload='x' &lt;\u0000\u001b\ud800\uffff`;

  it('are text, of characters that XML can contain', () => {
    assert.equal(
      escaped(HOSTILE),
      '&#60;script&#62;alert(1)&#60;/script&#62;]]&#62;&#34; onload=&#39;x&#39; &#38;lt;\ufffd\ufffd\ufffd\ufffd',
    );
    assert.equal(escaped('日本語 \u{1f525}\t\n'), '日本語 \u{1f525}\t\n');
  });

  it('are escaped in labels, titles, headings, legends, notes and attributes', () => {
    const scene = boxes(100, [0, 0, 100]),
      rows = sceneRows(scene, look([HOSTILE]), { ...all, width: 1000 }, () => HOSTILE),
      lane: Lane = {
        name: HOSTILE,
        indented: false,
        numbers: [HOSTILE, HOSTILE],
        faded: true,
        title: HOSTILE,
        paint: (brush) => brush.fillText(HOSTILE, 0, 0),
      };
    const lanes = laneTable([lane], 1000, { axis: () => {}, axisHeight: 22, laneHeight: 22 });
    const picture: Picture = {
      name: HOSTILE,
      title: HOSTILE,
      lines: [HOSTILE],
      width: 1000,
      parts: [{ ...rows, note: HOSTILE }, lanes],
      legend: [{ colour: HOSTILE, text: HOSTILE }],
    };
    const file = svgDocument(HOSTILE, [HOSTILE], picture);
    assert.doesNotMatch(file, /<(script|style|image|foreignObject|a)\b|[\u0000-\u0008\u000b-\u001f]/);
    assert.doesNotMatch(file.replace(/"[^"]*"/g, ''), /["']|onload=x/);
    assert.ok(count(file, 'alert(1)') >= 10, file);
    assert.ok(!element('g', { id: HOSTILE }, text(0, 0, HOSTILE)).includes('<script'));
  });

  it('make plain names of files', () => {
    assert.equal(fileName(['/tmp/../a b', 'flame-graph'], 'svg'), 'tmp_.._a_b-flame-graph.svg');
    assert.equal(fileName(['..', ''], 'svg'), 'profile.svg');
    assert.equal(fileName(['日本語', 'operator<<(std::ostream&)'], 'svg'), '日本語-operator_std_ostream.svg');
    assert.equal(fileName(['x'.repeat(500), 'timeline'], 'svg').length, 60 + '-timeline.svg'.length);
  });
});

describe('canvas calls in a saved picture', () => {
  it('are rectangles, paths and text', () => {
    const brush = new SvgBrush();
    brush.fillStyle = 'rgba(246,245,242,.74)';
    brush.fillRect(1, 2, 3.456, 4);
    brush.fillRect(1, 2, 0, 4);
    brush.strokeStyle = '#123456';
    brush.beginPath();
    brush.moveTo(0.5, 0);
    brush.lineTo(0.5, 22);
    brush.stroke();
    brush.fillStyle = '#111111';
    brush.font = '11px system-ui';
    brush.textBaseline = 'top';
    brush.fillText('1 s', 4, 2);
    assert.deepEqual(brush.markup.split(/(?<=>)(?=<[rpt])/), [
      '<rect x="1" y="2" width="3.46" height="4" fill="rgb(246,245,242)" fill-opacity=".74"/>',
      '<path d="M0.5 0V22" fill="none" stroke-width="1" stroke="#123456"/>',
      '<text x="4" y="11.46" font-size="11" fill="#111111">1 s</text>',
    ]);
  });

  it('that fill many rectangles of one colour are one path', () => {
    const brush = new SvgBrush();
    brush.fillStyle = '#111111';
    for (const [x, width] of [
      [0, 1],
      [1, 2],
      [5, 1],
    ])
      brush.fillRect(x, 4, width, 8);
    brush.fillStyle = '#222222';
    brush.fillRect(7, 4, 1, 8);
    assert.equal(
      brush.markup,
      '<path d="M0 4h3v8h-3zM5 4h1v8h-1z" fill="#111111"/><rect x="7" y="4" width="1" height="8" fill="#222222"/>',
    );
  });

  it('have no points between the ends of a straight line', () => {
    const brush = new SvgBrush();
    brush.beginPath();
    brush.moveTo(0, 10);
    for (const [x, y] of [
      [1, 10],
      [2, 10],
      [2, 5],
      [4, 5],
      [6, 5],
      [6, 10],
      [9, 1],
    ])
      brush.lineTo(x, y);
    brush.fill();
    assert.match(brush.markup, /d="M0 10H2V5H6V10L9 1"/);
  });
});

describe('a saved timeline', () => {
  const lane = (i: number): Lane => ({
    name: `worker-${i}`,
    indented: i > 0,
    numbers: ['1 ms', '2.0'],
    faded: false,
    title: `worker-${i}: 1 ms`,
    paint: () => {},
  });

  it('has every lane up to a stated limit', () => {
    const part = laneTable(
      Array.from({ length: 1200 }, (_, i) => lane(i)),
      1000,
      { axis: () => {}, axisHeight: 22, laneHeight: 22 },
    );
    assert.equal(part.note, 'The picture has the first 500 of 1,200 lanes.');
    assert.equal(part.height, 22 + 500 * 25);
    assert.ok(part.markup.includes('worker-499: 1 ms') && !part.markup.includes('worker-500'));
  });
});
