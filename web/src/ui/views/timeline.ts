// SPDX-License-Identifier: Apache-2.0
// The timeline: all tracks with their costs, by thread or by CPU, or the marks and spans as a table.

import type { AppCore } from '../app_core.ts';
import { el, fill } from '../dom.ts';
import { AXIS_HEIGHT, Lanes } from '../lanes.ts';
import { LANE_HEIGHT } from '../lane_painter.ts';
import { MomentTable } from '../moment_table.ts';
import { nothingLeft, saveButton, Segments, viewSection, type ViewPart } from '../part.ts';
import { pictureWidth, type Picture } from '../picture/document.ts';
import { laneTable } from '../picture/lane_table.ts';
import { plural } from '../text.ts';

export class TimelineView implements ViewPart {
  readonly element: HTMLElement;
  private readonly lanes: Lanes;
  private readonly table: MomentTable;
  private readonly body = el('div', { class: 'flame-body' });
  private readonly kind: Segments<'thread' | 'cpu' | 'moments'>;
  private readonly about = el('span', { class: 'faint' });
  private readonly gestures = el(
    'span',
    { class: 'faint hint' },
    'Drag to select a time range; double-click a lane to filter by it.',
  );

  constructor(private readonly app: AppCore) {
    const { marks, spans, cpus } = app.info;
    this.kind = new Segments(
      'Lanes',
      [
        ['thread', 'By thread'],
        ...(cpus.length > 0 ? [['cpu', 'By CPU'] as const] : []),
        ...(marks.time.length + spans.begin.length > 0 ? [['moments', 'Marks and spans'] as const] : []),
      ],
      (chosen) =>
        app.change(chosen === 'moments' ? { moments: true } : { moments: false, lane: chosen, chartLane: -2 }),
    );
    this.lanes = new Lanes(app, {
      name: 'Timeline',
      columns: [
        { id: 'name', title: 'Lane', width: 'minmax(80px, min(230px, 46%))' },
        { id: 'weight', title: 'Cost', width: '84px', right: true, from: 560 },
        { id: 'share', title: '%', width: '58px', right: true, from: 460 },
        { id: 'activity', title: '', width: 'minmax(40%, 1fr)' },
      ],
      withNumbers: true,
      isShown: () => this.element.isConnected && !app.state.moments,
    });
    this.table = new MomentTable(app, () => this.element.isConnected && app.state.moments);
    this.lanes.onAnswer = () => this.show();
    this.table.onAnswer = () => this.describe();
    this.element = viewSection(
      'Timeline',
      [this.kind.element, this.about, this.gestures, el('span', { class: 'grow' }), saveButton(app)],
      this.body,
    );
  }

  update(): void {
    const { moments, lane } = this.app.state;
    this.kind.show(moments ? 'moments' : lane);
    this.show();
    if (moments) this.table.update();
    else this.lanes.update();
  }

  private show(): void {
    const { app, lanes, table } = this,
      shown = app.state.moments ? table.grid.element : lanes.isEmpty ? null : lanes.grid.element;
    if (!shown) fill(this.body, nothingLeft(app));
    else if (!shown.isConnected) fill(this.body, shown);
    this.describe();
  }

  private describe(): void {
    const { lane, moments, model } = this.app.state,
      { lanes } = this;
    this.gestures.hidden = moments;
    if (moments) {
      this.about.textContent = this.table.words();
      return;
    }
    const scale = lanes.scaleText();
    this.about.textContent =
      lanes.laneCount === 0
        ? ''
        : `${plural(lanes.laneCount, lane === 'cpu' ? 'CPU' : 'thread')}, busiest first.${scale ? ` A full row is ${scale}.` : ''}${model.range ? ' Cost and share are those of the time range.' : ''}`;
  }

  // All rows that are open, with the columns of the table.
  savedPicture(): Picture | null {
    const { app, lanes } = this,
      { element } = lanes.grid;
    if (!element.isConnected || lanes.rows.length === 0) return null;
    const width = pictureWidth(element.clientWidth);
    return {
      name: 'timeline',
      title: `Timeline by ${app.state.lane === 'cpu' ? 'CPU' : 'thread'}`,
      lines: [],
      width,
      parts: [
        laneTable(lanes.savedLanes(), width, {
          axis: (brush, axisWidth) => lanes.paintAxis(brush, axisWidth, 'light'),
          axisHeight: AXIS_HEIGHT,
          laneHeight: LANE_HEIGHT,
        }),
      ],
      legend: [],
    };
  }

  timeColumn(): HTMLElement | null {
    const head = this.app.state.moments ? null : this.lanes.grid.headCell('activity');
    return head?.isConnected ? head : null;
  }

  step(direction: 1 | -1): void {
    if (this.app.state.moments) this.table.step(direction);
    else this.lanes.step(direction);
  }

  theme(): void {
    this.update();
  }

  focus(): void {
    (this.app.state.moments ? this.table.grid : this.lanes.grid).body.focus();
  }
}
