// SPDX-License-Identifier: Apache-2.0
// Compares two profiles: the union of both call trees, blue for less and orange for more, and the table of changes.
//
// The headline says whether there is evidence of a change. Verdicts are those of `wick diff`, or the page's own if
// filters are set (model/judgement.ts); the notes below the headline say which. All parts show self or total, as shares
// or as absolute values.

import type { DiffTable, DiffTree, Judgement } from '../../model/interface.ts';
import { type ChangeWords, changeWords, wholeText } from '../../model/words.ts';
import type { AppCore } from '../app_core.ts';
import { colouredDiff } from '../colouring.ts';
import { el, fill } from '../dom.ts';
import { FlamePanel, zoomKeys } from '../flame_panel.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, plainFacts, showHovered, type FrameFacts } from '../frame_text.ts';
import { Grid } from '../grid.ts';
import { button, labelled, nothingLeft, saveButton, Segments, viewSection, type ViewPart } from '../part.ts';
import { pictureWidth, type Picture } from '../picture/document.ts';
import { Question } from '../question.ts';
import { legendRow } from './flame.ts';
import { pathOf } from '../paths.ts';
import type { Box } from '../scene.ts';
import { status } from '../status.ts';
import { chanceText, percent, rowLabels, signed, shortLabel, verdictCounts, visible } from '../text.ts';
import { onPrinting } from '../theme.ts';
import { TreeScene } from '../tree_scene.ts';

const TAG_WIDTH = 60; // of "new" and "gone", in pixels
const NAME_MARGIN = 10;

export class DiffView implements ViewPart {
  readonly element: HTMLElement;
  private readonly panel: FlamePanel;
  private readonly grid: Grid;
  private readonly headline = el('div', { class: 'diff-headline' });
  private readonly sureness = el('details', { class: 'sureness' });
  private readonly legend = el('div');
  private readonly body = el('div', { class: 'diff-body' });
  private readonly picture = el('div', { class: 'diff-picture' });
  private readonly width: Segments<'larger' | 'before' | 'after'>;
  private readonly by: Segments<'total' | 'self'>;
  private readonly scaled: Segments<'no' | 'yes'>;
  private readonly inverted: Segments<'no' | 'yes'>;
  private readonly reset: HTMLButtonElement;
  private tree: DiffTree | null = null;
  private table: DiffTable | null = null;
  private rows: number[] = [];
  private label: (row: number) => string = () => ''; // of the rows that are drawn
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.width = new Segments(
      'Width',
      [
        ['larger', 'Larger side', 'The larger of both sides: every frame stays visible'],
        ['before', 'Before'],
        ['after', 'After'],
      ],
      (diffWidth) => app.change({ diffWidth }),
    );
    this.by = new Segments(
      'Change of',
      [
        ['self', 'Self', 'Time in the function itself'],
        ['total', 'Total', 'Time in the function and its callees'],
      ],
      (diffBy) => app.change({ diffBy }),
    );
    this.scaled = new Segments(
      'Values',
      [
        ['yes', 'Shares', 'Shares of each run\u2019s total: the default of wick diff'],
        ['no', 'Absolute', 'The cost of each run: for runs that did the same work (wick diff --as run)'],
      ],
      (value) => app.change({ normalised: value === 'yes' }),
    );
    this.inverted = new Segments(
      'Stacks',
      [
        ['no', 'Callees'],
        ['yes', 'Inverted'],
      ],
      (value) => app.change({ inverted: value === 'yes' }),
    );
    this.panel = new FlamePanel({
      name: 'Differences as a flame graph. Arrow keys move, Enter zooms.',
      theme: () => app.theme,
      chosen: (box) => this.chosen(box),
      hovered: (box, x, y) => showHovered(box && this.tree ? this.facts(box.node) : null, x, y),
      menu: (_, x, y) =>
        openFrameMenu(app, x, y, [
          { label: 'Zoom to frame', key: 'Enter', run: () => this.panel.zoomByReader(this.panel.focus) },
        ]),
      zoomedTo: () => {},
      moved: () => {
        this.reset.disabled = !this.panel.isZoomed();
      },
    });
    this.reset = button('Reset zoom', () => this.panel.zoomOut(), { disabled: true });
    this.grid = new Grid({
      name: 'Changes by function',
      role: 'grid',
      columns: [
        {
          id: 'change',
          title: 'Change',
          width: '92px',
          right: true,
          sortable: true,
          help: 'After minus before; shares in percentage points (pp)',
        },
        {
          id: 'relative',
          title: 'Change %',
          width: '78px',
          right: true,
          from: 640,
          help: 'Relative to the value before',
        },
        { id: 'before', title: 'Before', width: '80px', right: true, sortable: true, from: 480 },
        { id: 'after', title: 'After', width: '80px', right: true, sortable: true, from: 480 },
        {
          id: 'evidence',
          title: 'Verdict',
          width: '94px',
          sortable: true,
          help: `There is evidence of a change if equal runs would show one in less than ${100 * app.words.level} % of comparisons, corrected for the number of functions (Holm)`,
        },
        {
          id: 'chance',
          title: 'p',
          width: '62px',
          right: true,
          from: 640,
          help: 'The probability of such a change by chance, corrected for the number of functions (Holm)',
        },
        { id: 'name', title: 'Function', width: 'minmax(120px, 1fr)', sortable: true },
        { id: 'module', title: 'Module', width: 'minmax(60px, .3fr)', from: app.info.hasModules ? 560 : Infinity },
      ],
      rows: () => this.rows.length,
      cell: (row, column) => (column === 'name' ? this.nameCell(row) : this.cell(this.rows[row], column)),
      drawing: (first, last, width) => {
        this.label = rowLabels(
          first,
          last,
          (row) => app.forms(this.table!.func[this.rows[row]]),
          (row) => Math.max(0, width('name') - NAME_MARGIN - (this.tagOf(row) === '' ? 0 : TAG_WIDTH)),
        );
      },
      rowAttributes: (row) => ({ class: app.isHit(this.table!.func[this.rows[row]]) ? 'hit' : undefined }),
      chosen: (row) => this.choseRow(this.rows[row]),
      opened: (row) =>
        app.change({
          search: `^${this.app.labels.name[this.table!.func[this.rows[row]]].replace(/[.*+?^${}()|[\]\\]/g, '\\$&').slice(0, 500)}$`,
        }),
      menu: (_, x, y) => openFrameMenu(app, x, y),
      sorted: (column) => app.change({ diffSort: app.state.diffSort === column ? `-${column}` : column }, {}, true),
    });
    let wasOpen = false;
    onPrinting((printing) => {
      if (printing) wasOpen = this.sureness.open;
      this.sureness.open = printing || wasOpen; // a printed page cannot be unfolded
    });
    this.picture.append(this.panel.element, this.legend);
    this.body.append(this.picture, this.grid.element);
    this.element = viewSection(
      'Differences',
      [
        labelled('Change of', this.by.element),
        labelled('Width', this.width.element),
        this.scaled.element,
        this.inverted.element,
        el('span', { class: 'grow' }),
        this.reset,
        saveButton(app),
      ],
      this.headline,
      this.body,
    );
  }

  readonly keys = zoomKeys(() => this.panel);

  update(): void {
    const { state } = this.app;
    this.width.show(state.diffWidth);
    this.by.show(state.diffBy);
    this.scaled.show(state.normalised ? 'yes' : 'no');
    this.inverted.show(state.inverted ? 'yes' : 'no');
    if (this.question.isNew(state.model, state.diffWidth, state.normalised, state.inverted)) void this.load();
    else this.draw(true);
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model, inverted, diffWidth, normalised } = app.state,
      options = { order: 'weight' as const, inverted, width: diffWidth, normalised };
    const both = Promise.all([
      app.ask('diff tree', 'diffTree', () => app.engine.diffTree(model, options)),
      app.ask('diff table', 'diffTable', () => app.engine.diffTable(model, options)),
    ]);
    const answers = await this.question.answer(both.then(([tree, table]) => (tree && table ? { tree, table } : null)));
    if (!answers) return;
    const { tree } = answers;
    this.tree = tree;
    this.table = answers.table;
    if (tree.size <= 1) return fill(this.body, nothingLeft(app));
    if (!this.grid.element.isConnected) fill(this.body, this.picture, this.grid.element);
    this.draw(false);
  }

  private draw(keepView: boolean): void {
    const { app, tree } = this;
    if (!tree || !this.table) return;
    const { look, legend } = colouredDiff(app, tree);
    if (keepView) this.panel.recolour(look);
    else this.panel.show(new TreeScene(tree), look, { rootBelow: app.state.rootBelow });
    fill(this.legend, legendRow(app, legend));
    this.reset.disabled = !this.panel.isZoomed();
    this.showHeadline(this.table);
    this.arrange();
  }

  savedPicture(): Picture | null {
    const { app, tree } = this;
    if (!tree || !this.table) return null;
    const { look, legend } = colouredDiff(app, tree, 'light'),
      { diffBy, diffWidth, normalised, inverted } = app.state,
      width = pictureWidth(this.panel.canvas.clientWidth),
      rows = this.panel.rows(look, width, (box) => inOneLine(this.facts(box.node)));
    const title = `Differences of ${diffBy} ${normalised ? 'shares' : 'costs'}${inverted ? ', inverted' : ''}`,
      widths = diffWidth === 'larger' ? 'the larger of both sides' : `the cost ${diffWidth}`;
    return (
      rows && {
        name: 'differences',
        title: `${title}; the width of a frame is ${widths}`,
        lines: [this.headline.querySelector('b')?.textContent ?? ''],
        width,
        parts: [rows],
        legend,
      }
    );
  }

  private judgement(): Judgement {
    return this.app.state.diffBy === 'self' ? this.table!.self : this.table!.total;
  }

  private showHeadline({ costBefore, costAfter }: DiffTable): void {
    const { app } = this,
      [before, after] = app.engine.loaded.profiles,
      judgement = this.judgement(),
      titles = ` Before: ${shortLabel(visible(before.title), 60)}. After: ${shortLabel(visible(after.title), 60)}.`;
    const { events } = app.info,
      event = visible(events[app.state.model.event]?.name ?? ''),
      without = [before, after].find(({ events: own }) => (own[app.state.model.event]?.samples ?? 0) === 0);
    if (without && events.length > 1) {
      const words = `${shortLabel(visible(without.title), 60)} has no samples of the event ${event}, so there is nothing to compare. wick diff compares the shares of different events if both count time.`;
      return fill(this.headline, el('b', null, words), titles);
    }
    fill(
      this.headline,
      el(
        'b',
        null,
        this.wholeText(costBefore, costAfter, judgement.whole),
        app.state.normalised ? ` ${this.countVerdicts(judgement)}` : '',
      ),
      titles,
      this.sureness,
    );
    fill(
      this.sureness,
      el(
        'summary',
        null,
        judgement.byWick ? 'Statistics: verdicts of wick diff' : 'Statistics: verdicts of this page, with the filters',
      ),
      el('ul', null, ...judgement.notes.map((note) => el('li', null, note))),
    );
  }

  private countVerdicts({ verdict }: Judgement): string {
    const count = (sign: number): number => verdict.filter((one) => one === sign).length;
    return verdictCounts(count(-1), count(1), this.words());
  }

  private wholeText(before: number, after: number, verdict: number): string {
    const { app } = this,
      sure = verdict === 0 && after !== before ? ` ${app.words.whole.chance}` : '';
    return `${wholeText(app.words, before, after, (weight) => app.amount(weight))}${sure}`;
  }

  private words(): ChangeWords {
    return changeWords(this.app.words, this.app.unit, this.app.state.normalised);
  }

  private values(i: number): [before: number, after: number] {
    const table = this.table!;
    return this.app.state.diffBy === 'self'
      ? [table.selfBefore[i], table.selfAfter[i]]
      : [table.totalBefore[i], table.totalAfter[i]];
  }

  private arrange(): void {
    const { app } = this,
      table = this.table!,
      { rank } = this.judgement(),
      result = app.searchResult && !app.searchResult.error ? app.searchResult : null,
      rows: number[] = [];
    for (let i = 0; i < table.func.length; i++) {
      const [before, after] = this.values(i);
      if ((before > 0 || after > 0) && (!result || result.matches[table.func[i]] === 1)) rows.push(i);
    }
    const descending = !app.state.diffSort.startsWith('-'),
      column = app.state.diffSort.replace(/^-/, '');
    const value: Record<string, ((i: number) => number) | undefined> = {
      change: (i) => Math.abs(this.values(i)[1] - this.values(i)[0]),
      before: (i) => this.values(i)[0],
      after: (i) => this.values(i)[1],
      evidence: (i) => -rank[i],
    };
    const by = value[column];
    if (by) rows.sort((a, b) => by(b) - by(a) || a - b);
    else rows.sort((a, b) => (app.name(table.func[a]) < app.name(table.func[b]) ? -1 : 1));
    if (!descending) rows.reverse();
    this.rows = rows;
    this.grid.setSort(column, by ? descending : !descending);
    this.grid.refresh();
  }

  // A value of either side: `before` is scaled to the weight of `after` if shares are compared.
  private share(weight: number): number {
    return weight / (this.table!.amountAfter.weight || this.table!.amountBefore.weight || 1);
  }
  private shown(weight: number): string {
    return this.app.state.normalised ? percent(this.share(weight)) : this.app.amount(weight);
  }
  private changeText(change: number, amount: (weight: number) => string): string {
    const size = Math.abs(change);
    return signed(this.app.state.normalised ? `${(100 * this.share(size)).toFixed(2)} pp` : amount(size), change);
  }

  private tagOf(row: number): string {
    const i = this.rows[row],
      { totalBefore, totalAfter } = this.table!;
    return totalBefore[i] === 0 ? 'new' : totalAfter[i] === 0 ? 'gone' : '';
  }

  private nameCell(row: number): Node {
    const tag = this.tagOf(row);
    return el(
      'span',
      null,
      el('span', { class: 'name', title: this.app.name(this.table!.func[this.rows[row]]) }, this.label(row)),
      tag ? el('span', { class: 'tag' }, tag) : null,
    );
  }

  private cell(i: number, column: string): Node | string {
    const { app } = this,
      table = this.table!,
      judgement = this.judgement(),
      [before, after] = this.values(i),
      change = after - before,
      verdict = judgement.verdict[i];
    const value = (weight: number): string =>
      weight <= 0 ? '\u2013' : app.state.normalised ? percent(this.share(weight)) : app.cell(weight);
    switch (column) {
      case 'change':
        return el(
          'span',
          { class: change > 0 ? 'up' : change < 0 ? 'down' : '', title: this.intervalText(i) || undefined },
          this.changeText(change, (weight) => app.cell(weight)),
        );
      case 'relative':
        return before > 0 ? signed(percent(Math.abs(change) / before), change) : '\u2013';
      case 'before':
        return value(before);
      case 'after':
        return value(after);
      case 'evidence':
        return verdict === 0
          ? el('span', { class: 'faint' }, app.words.verdicts.none)
          : el('b', null, this.words()[verdict > 0 ? 1 : 0]);
      case 'chance':
        return chanceText(judgement.chance[i]);
      default:
        return app.moduleName(app.moduleOf(table.func[i]));
    }
  }

  // "95 % interval +1.2 to +3.4 points; a change of 2 % would have been detected four times in five".
  private intervalText(i: number): string {
    const { low, high, detectable } = this.judgement(),
      { app } = this,
      shares = app.state.normalised;
    const end = (value: number): string =>
      signed(shares ? `${(100 * Math.abs(value)).toFixed(2)} pp` : app.amount(Math.abs(value) * app.scale), value);
    const parts: string[] = [];
    if (!Number.isNaN(low[i])) parts.push(`${this.app.words.confidence} interval ${end(low[i])} to ${end(high[i])}`);
    if (!Number.isNaN(detectable[i]))
      parts.push(`a change of ${percent(detectable[i])} would have been detected four times in five`);
    return parts.join('; ');
  }

  private facts(node: number): FrameFacts {
    const { app } = this,
      tree = this.tree!,
      pair = (before: number, after: number): string =>
        `${this.shown(before)} \u2192 ${this.shown(after)} (${this.changeText(after - before, (weight) => app.amount(weight))})`;
    return plainFacts(app, tree.func[node], [
      ['total', pair(tree.totalBefore[node], tree.totalAfter[node])],
      ['self', pair(tree.selfBefore[node], tree.selfAfter[node])],
    ]);
  }

  private chosen(box: Box | null): void {
    const { app, tree } = this;
    if (!tree || !box) return app.select(null);
    status.announce(inOneLine(this.facts(box.node)));
    if (box.node === 0) return app.select(null);
    app.select({ func: tree.func[box.node], path: pathOf(tree, box.node), inverted: app.state.inverted });
  }

  private choseRow(i: number): void {
    const { app } = this,
      func = this.table!.func[i],
      [before, after] = this.values(i);
    app.select({ func, path: [], inverted: false });
    status.announce(
      inOneLine(
        plainFacts(
          app,
          func,
          [
            ['before', this.shown(before)],
            ['after', this.shown(after)],
            ['change', this.changeText(after - before, (weight) => app.amount(weight))],
            ['statistics', this.intervalText(i)],
          ].filter(([, text]) => text !== '') as [string, string][],
        ),
      ),
    );
  }

  step(direction: 1 | -1): void {
    if (this.rows.length > 0) this.grid.select((this.grid.selected + direction + this.rows.length) % this.rows.length);
  }

  theme(): void {
    this.draw(true);
  }

  focus(): void {
    this.panel.canvas.focus({ preventScroll: true });
  }
}
