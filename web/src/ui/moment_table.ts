// SPDX-License-Identifier: Apache-2.0
// Marks and spans as a table, in the order of time or by duration. The search reduces it to its hits; a double click or
// Enter chooses the time of a span, or the time around a mark, as the range of all views.

import { markAt, type MomentList } from '../model/interface.ts';
import type { AppCore } from './app_core.ts';
import { el } from './dom.ts';
import { Grid } from './grid.ts';
import { Question } from './question.ts';
import { status } from './status.ts';
import { formsOfText, type NameForms } from './label_forms.ts';
import { threadLabels } from './profile_words.ts';
import { amount, plural, rowLabels, tickText, visible } from './text.ts';

const AROUND_A_MARK = 0.01; // of the time that is shown

interface Moment {
  begin: number;
  length: number; // NaN: a mark, or a span without an end
  name: string;
  kind: string;
  thread: number;
  cpu: number;
}

const nameOf = ({ name }: Moment): string => visible(name) || '[no name]';

export class MomentTable {
  readonly grid: Grid;
  onAnswer: () => void = () => {};
  private list: MomentList = { error: '', rows: new Int32Array(0), all: 0 };
  private label: (row: number) => string = () => ''; // of the rows that are drawn
  private readonly question: Question;

  constructor(
    private readonly app: AppCore,
    isShown: () => boolean,
  ) {
    this.question = new Question(isShown);
    this.grid = new Grid({
      name: 'Marks and spans',
      role: 'grid',
      columns: [
        { id: 'time', title: 'Time', width: '96px', right: true, sortable: true },
        { id: 'duration', title: 'Duration', width: '84px', right: true, sortable: true },
        { id: 'name', title: 'Name', width: 'minmax(120px, 1fr)' },
        { id: 'kind', title: 'Kind', width: '90px', from: 560 },
        { id: 'thread', title: 'Thread', width: 'minmax(80px, .4fr)', from: 640 },
        { id: 'cpu', title: 'CPU', width: '48px', right: true, from: app.info.cpus.length > 0 ? 760 : Infinity },
      ],
      rows: () => this.list.rows.length,
      cell: (row, column) => this.cell(this.moment(row), column, this.label(row)),
      drawing: (first, last, width) => {
        const forms = (row: number): NameForms => formsOfText(nameOf(this.moment(row)));
        this.label = rowLabels(first, last, forms, () => width('name'));
      },
      chosen: (row) => status.announce(this.inWords(this.moment(row))),
      opened: (row) => this.open(this.moment(row)),
      sorted: (column) => app.change({ momentSort: column === 'duration' ? 'duration' : 'time' }),
    });
  }

  update(): void {
    const { model, search, ignoreCase, momentSort } = this.app.state;
    this.grid.setSort(momentSort, momentSort === 'duration');
    const { range, threads, processes, profile } = model;
    if (this.question.isNew(profile, range, threads, processes, search, ignoreCase, momentSort)) void this.load();
    else this.grid.refresh();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model, search, ignoreCase, momentSort } = app.state;
    const list = await this.question.answer(
      app.ask('moments', 'moments', () => app.engine.moments(model, { search, ignoreCase, sort: momentSort })),
    );
    if (!list) return;
    this.list = list;
    this.grid.refresh();
    this.onAnswer();
  }

  words(): string {
    const { rows, all, error } = this.list;
    if (error) return error;
    return rows.length === all
      ? `${plural(all, 'mark or span', 'marks and spans')}. Double-click one to choose its time.`
      : `${plural(rows.length, 'mark or span', 'marks and spans')} of ${plural(all, 'entry', 'entries')} match the search.`;
  }

  private moment(row: number): Moment {
    const { marks, spans } = this.app.info,
      at = this.list.rows[row];
    if (at < marks.time.length) {
      const { time, label, kind, thread, cpu } = markAt(marks, at);
      return { begin: time, length: NaN, name: label, kind: kind || 'mark', thread, cpu };
    }
    const span = at - marks.time.length;
    return {
      begin: spans.begin[span],
      length: spans.end[span] - spans.begin[span],
      name: spans.names[spans.name[span]] ?? '',
      kind: spans.kinds[spans.kind[span]] ?? '',
      thread: spans.thread[span],
      cpu: spans.cpu[span],
    };
  }

  private cell(moment: Moment, column: string, label: string): Node | string {
    const { info } = this.app;
    switch (column) {
      case 'time':
        return Number.isNaN(moment.begin) ? '?' : tickText(moment.begin, info.duration / 1e4, info.duration);
      case 'duration':
        return Number.isNaN(moment.length) ? '' : amount(moment.length, 'nanoseconds');
      case 'kind':
        return visible(moment.kind);
      case 'thread':
        return threadLabels(info)[moment.thread] ?? '';
      case 'cpu':
        return moment.cpu < 0 ? '' : String(moment.cpu);
      default:
        return el('span', { class: 'name', title: nameOf(moment) }, label);
    }
  }

  private inWords(moment: Moment): string {
    const { info } = this.app,
      at = Number.isNaN(moment.begin) ? '' : ` at ${tickText(moment.begin, info.duration / 1e4, info.duration)}`,
      long = Number.isNaN(moment.length) ? '' : `, ${amount(moment.length, 'nanoseconds')}`,
      thread = moment.thread < 0 ? '' : `, ${threadLabels(info)[moment.thread] ?? ''}`;
    return `${visible(moment.kind)} ${visible(moment.name)}${at}${long}${thread}`;
  }

  private open({ begin, length }: Moment): void {
    const { app } = this,
      { duration } = app.info,
      [from, to] = app.shownTime,
      around = length > 0 ? 0 : ((to - from) * AROUND_A_MARK) / 2;
    if (Number.isNaN(begin)) return;
    const first = Math.max(0, Math.floor(begin - around)),
      last = Math.min(duration, Math.ceil(begin + (length > 0 ? length : 0) + around));
    if (first <= last) app.change({ zooms: [] }, { range: [first, last] });
  }

  step(direction: 1 | -1): void {
    const count = this.list.rows.length;
    if (count > 0) this.grid.select((this.grid.selected + direction + count) % count);
  }
}
