// SPDX-License-Identifier: Apache-2.0
// The layer of arrows over the rows of a table of tracks. It follows the table's scrolling and size.

import type { AppCore } from './app_core.ts';
import { el, oncePerFrame } from './dom.ts';
import type { Grid } from './grid.ts';
import { LANE_HEIGHT } from './lane_painter.ts';
import { sized, type TimeScale } from './time_axis.ts';
import { arrowsOf, drawArrows } from './track_arrows.ts';

export interface ArrowEnds {
  ofThread: Map<number, number>; // row
  ofReports: number[][]; // rows, by report and track
}

export class ArrowLayer {
  readonly drawSoon = oncePerFrame(() => this.draw());
  private readonly canvas = el('canvas', { class: 'track-arrows', 'aria-hidden': 'true' });
  private ends: ArrowEnds = { ofThread: new Map(), ofReports: [] };
  private chosenSpan = -1;

  constructor(
    private readonly app: AppCore,
    private readonly grid: Grid,
    private readonly isShown: () => boolean,
    private readonly scale: (width: number) => TimeScale,
  ) {
    new ResizeObserver(this.drawSoon).observe(grid.element);
    grid.body.addEventListener('scroll', this.drawSoon, { passive: true });
  }

  place(ends: ArrowEnds): void {
    this.ends = ends;
    this.drawSoon();
  }

  // The arrow of a span of the profile is drawn even where there are too many. -1: none.
  choose(span: number): void {
    this.chosenSpan = span;
    this.drawSoon();
  }

  private draw(): void {
    const { canvas, grid, app } = this,
      all = arrowsOf(app.info),
      { body } = grid,
      width = grid.columnWidth('activity'),
      head = grid.headCell('activity');
    canvas.hidden = all.length === 0 || !head || width <= 0 || !this.isShown();
    if (canvas.hidden || !head) return;
    if (canvas.parentElement !== grid.element) grid.element.append(canvas);
    const own = grid.element.getBoundingClientRect(),
      top = body.getBoundingClientRect().top,
      height = body.clientHeight;
    canvas.style.cssText = `left:${head.getBoundingClientRect().left - own.left}px;top:${top - own.top}px;width:${width}px;height:${height}px`;
    const middleOf = (report: number, id: number): number | null => {
      const row = report < 0 ? this.ends.ofThread.get(id) : this.ends.ofReports[report]?.[id],
        y = row === undefined ? null : grid.topOf(row);
      return y === null || y < -LANE_HEIGHT || y > height ? null : y + LANE_HEIGHT / 2;
    };
    drawArrows(sized(canvas, width, height), all, {
      scale: this.scale(width),
      height,
      middleOf,
      chosen: this.chosenSpan,
      theme: app.theme,
    });
  }
}
