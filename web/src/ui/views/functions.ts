// SPDX-License-Identifier: Apache-2.0
// The table of functions with self, total and intervals of the shares. For the chosen one, callers above and callees
// below (the sandwich).
//
// The table and the sandwich are two questions: the table depends on the filters, the sandwich also on the chosen row.
// A search reduces the table to its hits.

import type { CallTree, FunctionTable, Sandwich } from '../../model/interface.ts';
import { lateNote } from '../../model/words.ts';
import type { AppCore } from '../app_core.ts';
import { coloured } from '../colouring.ts';
import { el, fill } from '../dom.ts';
import { fitNames } from '../fitted_names.ts';
import { FlamePanel } from '../flame_panel.ts';
import { nameInText } from '../label_forms.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, plainFacts, showHovered, treeFacts } from '../frame_text.ts';
import { barCell, Grid } from '../grid.ts';
import { emptyMessage, nothingLeft, saveButton, type ViewPart } from '../part.ts';
import { caption, pictureWidth, type Picture } from '../picture/document.ts';
import { Question } from '../question.ts';
import { pathOf } from '../paths.ts';
import type { Box } from '../scene.ts';
import { status } from '../status.ts';
import { percent, plural, rowLabels } from '../text.ts';
import { TreeScene } from '../tree_scene.ts';

const LATE_WIDTH = 36; // of the mark, in pixels

const interval = (low: number, high: number): string => `${(100 * low).toFixed(1)}\u2013${(100 * high).toFixed(1)}`;

export class FunctionsView implements ViewPart {
  readonly element: HTMLElement;
  private readonly grid: Grid;
  private readonly left = el('div', { class: 'left-part' });
  private readonly right = el('div', { class: 'right-part' });
  private readonly count = el('span', { class: 'faint' });
  private readonly late = el('p', { class: 'note', hidden: true });
  private readonly callersLabel = el('div', { class: 'sandwich-label' });
  private readonly calleesLabel = el('div', { class: 'sandwich-label' });
  private readonly callers: FlamePanel;
  private readonly callees: FlamePanel;
  private table: FunctionTable | null = null;
  private rows: number[] = []; // of the table, filtered and sorted
  private label: (row: number) => string = () => ''; // of the rows that are drawn
  private sandwich: Sandwich | null = null;
  private readonly question = new Question(() => this.element.isConnected);
  private askedSandwich = '';

  constructor(private readonly app: AppCore) {
    this.grid = new Grid({
      name: 'Functions',
      role: 'grid',
      columns: [
        { id: 'self', title: 'Self', width: '68px', right: true, sortable: true, help: 'Time in the function itself' },
        { id: 'selfShare', title: 'Self %', width: '66px', right: true },
        {
          id: 'interval',
          title: app.words.confidence,
          width: '80px',
          right: true,
          from: 520,
          help: `${app.words.confidence} confidence interval of the self share`,
        },
        {
          id: 'total',
          title: 'Total',
          width: '68px',
          right: true,
          sortable: true,
          from: 620,
          help: 'Time in the function and its callees',
        },
        { id: 'totalShare', title: 'Total %', width: '66px', right: true },
        { id: 'name', title: 'Function', width: 'minmax(120px, 1fr)', sortable: true },
        {
          id: 'module',
          title: 'Module',
          width: 'minmax(110px, .5fr)',
          sortable: true,
          from: app.info.hasModules ? 760 : Infinity,
        },
      ],
      rows: () => this.rows.length,
      cell: (row, column) => (column === 'name' ? this.nameCell(row) : this.cell(this.rows[row], column)),
      drawing: (first, last, width) => {
        const lateWidth = (i: number): number => (this.table!.late[i] ? LATE_WIDTH : 0);
        this.label = rowLabels(
          first,
          last,
          (row) => app.forms(this.table!.func[this.rows[row]]),
          (row) => width('name') - lateWidth(this.rows[row]),
        );
      },
      rowAttributes: (row) => ({
        class: app.isHit(this.table!.func[this.rows[row]]) ? 'hit' : undefined,
        'data-function': String(this.table!.func[this.rows[row]]),
      }),
      chosen: (row) => this.choose(this.rows[row]),
      menu: (_, x, y) => openFrameMenu(app, x, y),
      sorted: (column) => app.change({ sort: app.state.sort === column ? `-${column}` : column }, {}, true),
    });
    this.left.append(el('div', { class: 'sandwich-label' }, this.count), this.late, this.grid.element);
    this.callers = this.makePanel('Callers', () => this.sandwich?.callers ?? null);
    this.callees = this.makePanel('Callees', () => this.sandwich?.callees ?? null);
    this.element = el('section', { 'aria-label': 'Functions' }, el('div', { class: 'split' }, this.left, this.right));
  }

  private makePanel(name: string, tree: () => CallTree | null): FlamePanel {
    const { app } = this,
      panel: FlamePanel = new FlamePanel({
        name: `${name} of the chosen function. Arrow keys move, Enter chooses the function.`,
        theme: () => app.theme,
        chosen: (box) => this.choseFrame(tree(), box, name === 'Callers'),
        hovered: (box, x, y) => {
          const known = tree(),
            facts = box && known ? treeFacts(app, known, box.node) : null;
          showHovered(facts, x, y);
        },
        menu: (_, x, y) => openFrameMenu(app, x, y),
        zoomedTo: (box) => {
          const known = tree();
          if (box && known && box.node > 0) app.change({ selected: known.func[box.node] });
        },
        moved: () => {},
      });
    return panel;
  }

  private choseFrame(tree: CallTree | null, box: Box | null, isCaller: boolean): void {
    const { app } = this;
    if (!tree || !box) return app.select(null);
    const inside = pathOf(tree, box.node),
      func = tree.func[box.node];
    app.select({ func: func < 0 ? app.state.selected : func, path: [], inverted: false });
    status.announce(
      `${isCaller ? 'Caller' : 'Callee'} at distance ${inside.length}: ${inOneLine(treeFacts(app, tree, box.node))}`,
    );
  }

  update(): void {
    const { app } = this,
      { model } = app.state;
    if (this.question.isNew(model)) void this.load();
    else this.arrange();
    void this.loadSandwich();
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model } = app.state;
    const table = await this.question.answer(app.ask('functions', 'functions', () => app.engine.functions(model)));
    if (!table) return;
    this.table = table;
    this.arrange();
    // By default the hottest function.
    if (app.state.selected < 0 && this.rows.length > 0) app.change({ selected: table.func[this.rows[0]] }, {}, true);
  }

  private arrange(): void {
    const { app, table } = this;
    if (!table) return;
    const result = app.searchResult && !app.searchResult.error ? app.searchResult : null;
    const rows: number[] = [];
    for (let i = 0; i < table.func.length; i++) if (!result || result.matches[table.func[i]] === 1) rows.push(i);
    const descending = !app.state.sort.startsWith('-'),
      column = app.state.sort.replace(/^-/, '');
    const by = this.comparison(column);
    if (by) rows.sort((a, b) => by(a, b) || a - b);
    if (!descending) rows.reverse();
    this.rows = rows;
    this.grid.setSort(column, column === 'name' || column === 'module' ? !descending : descending);
    this.count.textContent = result
      ? `${plural(rows.length, 'function')} of ${table.func.length} match the search`
      : plural(rows.length, 'function');
    this.late.hidden = table.amount.lateShare === 0;
    this.late.textContent = lateNote(app.words, app.eventName, table.amount.lateShare);
    if (table.amount.weight <= 0) fill(this.right, nothingLeft(app));
    const selected = rows.findIndex((i) => table.func[i] === app.state.selected);
    this.grid.refresh();
    this.grid.select(selected, false);
  }

  private comparison(column: string): ((a: number, b: number) => number) | null {
    const { app, table } = this;
    if (!table || column === 'self') return null; // the table has this order
    if (column === 'total') return (a, b) => table.total[b] - table.total[a];
    const text =
      column === 'module'
        ? (i: number) => app.moduleName(app.moduleOf(table.func[i]))
        : (i: number) => app.name(table.func[i]);
    return (a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0);
  }

  private nameCell(row: number): Node {
    const { app } = this,
      i = this.rows[row];
    return el(
      'span',
      { class: 'name', title: app.name(this.table!.func[i]) },
      this.table!.late[i] ? el('span', { class: 'late' }, app.words.late.mark) : null,
      this.label(row),
    );
  }

  private cell(i: number, column: string): Node | string {
    const { app } = this,
      table = this.table!,
      whole = table.amount.weight || 1,
      func = table.func[i];
    switch (column) {
      case 'self':
        return app.cell(table.self[i]);
      case 'selfShare':
        return barCell(((100 * table.self[i]) / whole).toFixed(2), table.self[i] / whole);
      case 'interval':
        return table.selfLow.length > 0 ? interval(table.selfLow[i], table.selfHigh[i]) : '';
      case 'total':
        return app.cell(table.total[i]);
      case 'totalShare':
        return barCell(((100 * table.total[i]) / whole).toFixed(2), table.total[i] / whole);
      default:
        return app.moduleName(app.moduleOf(func));
    }
  }

  private choose(i: number): void {
    const { app, table } = this;
    if (!table) return;
    const func = table.func[i],
      whole = table.amount.weight || 1,
      share = (weight: number): string => `${app.amount(weight)} (${percent(weight / whole)})`;
    app.select({ func, path: [], inverted: false });
    status.announce(
      inOneLine(
        plainFacts(app, func, [
          ['self', share(table.self[i])],
          ['total', share(table.total[i])],
        ]),
      ),
    );
    if (app.state.selected !== func) app.change({ selected: func }, {}, true);
  }

  private async loadSandwich(): Promise<void> {
    const { app } = this,
      { model, selected } = app.state,
      asked = JSON.stringify([model, selected]);
    if (asked === this.askedSandwich) return this.drawSandwich();
    if (selected < 0 || selected >= app.labels.name.length) {
      this.askedSandwich = '';
      this.sandwich = null;
      return fill(this.right, emptyMessage('Choose a function', 'Its callers and callees are shown here.'));
    }
    const sandwich = await app.ask('sandwich', 'sandwich', () =>
      app.engine.sandwich(model, selected, { order: 'weight', inverted: false }),
    );
    if (!sandwich) return;
    this.askedSandwich = asked;
    this.sandwich = sandwich;
    this.drawSandwich();
    this.callers.show(new TreeScene(sandwich.callers), coloured(app, sandwich.callers).look, { rootBelow: true });
    this.callees.show(new TreeScene(sandwich.callees), coloured(app, sandwich.callees).look, { rootBelow: false });
  }

  // "self 12 ms (4.00 %)", "total 30 ms (10.00 %)"
  private costs({ self, total, amount }: Sandwich): string[] {
    const share = (weight: number): string => `${this.app.amount(weight)} (${percent(weight / (amount.weight || 1))})`;
    return [`self ${share(self)}`, `total ${share(total)}`];
  }

  private drawSandwich(): void {
    const { app, sandwich } = this;
    if (!sandwich) return;
    if (sandwich.total <= 0)
      return fill(
        this.right,
        emptyMessage('Not in these samples', `${app.name(sandwich.func)} does not occur in the filtered samples.`),
      );
    const forms = app.forms(sandwich.func),
      name = el('span', { class: 'name', title: forms.name }, forms.forms[0]);
    const middle = el(
      'div',
      { class: 'sandwich-middle' },
      name,
      ...this.costs(sandwich).map((cost) => el('span', { class: 'number' }, cost)),
      saveButton(app),
    );
    fitNames(middle, [{ element: name, forms }]);
    this.callersLabel.textContent =
      sandwich.callers.size > 1 ? 'Callers, upwards' : 'It has no callers: stacks begin with it';
    this.calleesLabel.textContent =
      sandwich.callees.size > 1 ? 'Callees, downwards' : 'It has no callees in the samples';
    if (this.callers.element.isConnected) {
      this.right.querySelector('.sandwich-middle')?.replaceWith(middle);
      this.callers.recolour(coloured(app, sandwich.callers).look);
      this.callees.recolour(coloured(app, sandwich.callees).look);
      return;
    }
    fill(
      this.right,
      el('div', { class: 'sandwich-half' }, this.callersLabel, this.callers.element),
      middle,
      el('div', { class: 'sandwich-half' }, this.callees.element, this.calleesLabel),
    );
  }

  savedPicture(): Picture | null {
    const { app, sandwich } = this;
    if (!sandwich) return null;
    const width = pictureWidth(this.callers.canvas.clientWidth),
      callers = coloured(app, sandwich.callers, 'light'),
      callees = coloured(app, sandwich.callees, 'light');
    const above = this.callers.rows(callers.look, width, (box) =>
        inOneLine(treeFacts(app, sandwich.callers, box.node)),
      ),
      below = this.callees.rows(callees.look, width, (box) => inOneLine(treeFacts(app, sandwich.callees, box.node)));
    if (!above || !below) return null;
    return {
      name: `${nameInText(app.forms(sandwich.func))}-sandwich`,
      title: `Callers and callees of ${app.shortName(sandwich.func, 100)}: ${this.costs(sandwich).join(', ')}`,
      lines: [],
      width,
      parts: [
        caption(this.callersLabel.textContent ?? '', width),
        above,
        below,
        caption(this.calleesLabel.textContent ?? '', width),
      ],
      legend: callers.legend,
    };
  }

  step(direction: 1 | -1): void {
    if (this.rows.length === 0) return;
    this.grid.select((this.grid.selected + direction + this.rows.length) % this.rows.length);
  }

  theme(): void {
    this.drawSandwich();
  }

  focus(): void {
    this.grid.body.focus();
  }
}
