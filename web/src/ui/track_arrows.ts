// SPDX-License-Identifier: Apache-2.0
// Arrows between the rows of tracks: from the thread that ended a wait to the thread that waited, and those of reports.
//
// They are drawn over the rows that are in view. Of many arrows between two rows at one pixel one is drawn, and of more
// than there is room for none but those of the chosen span: a picture full of lines says nothing.

import type { ProfileInfo } from '../model/interface.ts';
import type { Brush } from './brush.ts';
import { firstFrom } from './moments.ts';
import { palette, type Theme } from './palette.ts';
import { xAt, type TimeScale } from './time_axis.ts';

const MOST_DRAWN = 300;
const MOST_LOOKED_AT = 200_000;
const HEAD = 5; // pixels

// In the order of `end`. The ends are threads, or the tracks of report number `report`.
export interface Arrows {
  begin: Float64Array;
  end: Float64Array;
  from: Int32Array;
  to: Int32Array;
  span: Int32Array; // of the profile, that ended there; -1: none
  longest: number; // the time from begin to end
  report: number; // -1: ends are threads
}

const known = new WeakMap<ProfileInfo, Arrows[]>();

export function arrowsOf(info: ProfileInfo): Arrows[] {
  let arrows = known.get(info);
  if (!arrows) {
    arrows = [wakeUps(info), ...info.tracks.map((_, report) => ofReport(info, report))].filter(
      ({ end }) => end.length > 0,
    );
    known.set(info, arrows);
  }
  return arrows;
}

function sorted(arrows: Omit<Arrows, 'longest'>): Arrows {
  const order = Int32Array.from(arrows.end.keys()).sort((a, b) => arrows.end[a] - arrows.end[b]);
  return {
    longest: arrows.end.reduce((most, end, row) => Math.max(most, end - arrows.begin[row]), 0),
    begin: Float64Array.from(order, (row) => arrows.begin[row]),
    end: Float64Array.from(order, (row) => arrows.end[row]),
    from: order.map((row) => arrows.from[row]),
    to: order.map((row) => arrows.to[row]),
    span: order.map((row) => arrows.span[row]),
    report: arrows.report,
  };
}

// A wake-up has no length: it is at the end of the wait.
function wakeUps({ spans }: ProfileInfo): Arrows {
  const rows = Int32Array.from(spans.waker.keys()).filter(
      (row) => spans.waker[row] >= 0 && spans.thread[row] >= 0 && !Number.isNaN(spans.end[row]),
    ),
    end = Float64Array.from(rows, (row) => spans.end[row]);
  return sorted({
    begin: end,
    end,
    from: rows.map((row) => spans.waker[row]),
    to: rows.map((row) => spans.thread[row]),
    span: rows,
    report: -1,
  });
}

function ofReport(info: ProfileInfo, report: number): Arrows {
  const { begin, end, from, to } = info.tracks[report].arrows;
  return sorted({ begin, end, from, to, span: new Int32Array(from.length).fill(-1), report });
}

export interface ArrowPicture {
  scale: TimeScale;
  height: number;
  // The middle of the row of a thread or track; null if it is not in view.
  middleOf: (report: number, id: number) => number | null;
  chosen: number; // span of the profile; -1: none
  theme: Theme;
}

interface Line {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  isChosen: boolean;
}

// The arrows in view; false if there are too many.
function linesIn(arrows: Arrows, { scale, middleOf, chosen }: ArrowPicture, lines: Line[]): boolean {
  const painted = new Set<string>(),
    first = firstFrom(arrows.end, scale.from);
  let isWhole = true;
  for (let i = first; i < arrows.end.length && arrows.end[i] - arrows.longest <= scale.to; i++) {
    if (arrows.begin[i] > scale.to) continue;
    const isChosen = chosen >= 0 && arrows.span[i] === chosen;
    if (!isChosen && (i - first > MOST_LOOKED_AT || lines.length > MOST_DRAWN)) {
      isWhole = false;
      continue;
    }
    const y1 = middleOf(arrows.report, arrows.from[i]),
      y2 = middleOf(arrows.report, arrows.to[i]);
    if (y1 === null || y2 === null || y1 === y2) continue;
    const x1 = xAt(scale, Math.max(scale.from, arrows.begin[i])),
      x2 = xAt(scale, Math.min(scale.to, arrows.end[i])),
      key = `${Math.round(x1)} ${Math.round(x2)} ${y1} ${y2}`;
    if (painted.has(key) && !isChosen) continue;
    painted.add(key);
    lines.push({ x1, y1, x2, y2, isChosen });
  }
  return isWhole;
}

function drawLine(brush: Brush, { x1, y1, x2, y2 }: Line): void {
  const angle = Math.atan2(y2 - y1, x2 - x1),
    wing = (by: number): [number, number] => [x2 - HEAD * Math.cos(angle + by), y2 - HEAD * Math.sin(angle + by)];
  brush.beginPath();
  brush.moveTo(x1, y1);
  brush.lineTo(x2, y2);
  brush.stroke();
  brush.beginPath();
  brush.moveTo(x2, y2);
  brush.lineTo(...wing(0.45));
  brush.lineTo(...wing(-0.45));
  brush.fill();
}

// The number of arrows that were drawn.
export function drawArrows(brush: Brush, all: Arrows[], picture: ArrowPicture): number {
  const { arrow, focus } = palette(picture.theme),
    lines: Line[] = [];
  let isWhole = true;
  for (const arrows of all) isWhole = linesIn(arrows, picture, lines) && isWhole;
  const drawn = lines.filter(({ isChosen }) => isWhole || isChosen);
  for (const line of drawn) {
    brush.strokeStyle = brush.fillStyle = line.isChosen ? focus : arrow;
    brush.lineWidth = line.isChosen ? 2 : 1;
    drawLine(brush, line);
  }
  return drawn.length;
}
