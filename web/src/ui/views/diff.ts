// Before against after: the union of both call trees, blue for less and orange for more, and the table of changes.

import type { DiffTable, DiffTree } from '../../model/interface.ts';
import type { AppCore } from '../app_core.ts';
import { colouredDiff } from '../colouring.ts';
import { el, fill } from '../dom.ts';
import { FlamePanel } from '../flame_panel.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, plainFacts, tooltip, type FrameFacts } from '../frame_text.ts';
import { Grid } from '../grid.ts';
import { button, nothingLeft, Segments, type ViewPart } from '../part.ts';
import { Question } from '../question.ts';
import { legendRow } from './flame.ts';
import { pathOf } from '../paths.ts';
import type { Box } from '../scene.ts';
import { status } from '../status.ts';
import { fitLabel, percent, plural, signed, shortLabel, visible } from '../text.ts';
import { TreeScene } from '../tree_scene.ts';

const EVIDENCE = 0.05; // as wick diff

export class DiffView implements ViewPart {
  readonly element: HTMLElement;
  private readonly panel: FlamePanel;
  private readonly grid: Grid;
  private readonly headline = el('p', { class: 'diff-headline' });
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
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.width = new Segments(
      'Width',
      [
        ['larger', 'Larger side', 'As wide as the larger side: nothing vanishes'],
        ['before', 'Before'],
        ['after', 'After'],
      ],
      (diffWidth) => app.change({ diffWidth }),
    );
    this.by = new Segments(
      'Change of',
      [
        ['total', 'Total', 'With what was called'],
        ['self', 'Self', 'The function\u2019s own time'],
      ],
      (diffBy) => app.change({ diffBy }),
    );
    this.scaled = new Segments(
      'Values',
      [
        ['no', 'Absolute'],
        ['yes', 'Normalised', 'Before is scaled so that both runs weigh the same'],
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
      hovered: (box, x, y) => {
        const facts = box && this.tree ? this.facts(box.node) : null;
        tooltip.show(facts, x, y);
        status.hover(facts ? inOneLine(facts) : '');
      },
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
        { id: 'change', title: 'Change', width: '92px', right: true, sortable: true },
        {
          id: 'points',
          title: 'Points',
          width: '74px',
          right: true,
          from: 560,
          help: 'Difference of the shares, in percentage points',
        },
        { id: 'before', title: 'Before', width: '88px', right: true, sortable: true },
        { id: 'after', title: 'After', width: '88px', right: true, sortable: true },
        {
          id: 'sigma',
          title: 'Evidence',
          width: '122px',
          right: true,
          sortable: true,
          help: 'Likely: equal runs would show any such change in less than 5 % of comparisons, corrected for all functions compared (Holm)',
        },
        { id: 'name', title: 'Function', width: 'minmax(120px, 1fr)', sortable: true },
        { id: 'module', title: 'Module', width: 'minmax(60px, .3fr)', from: app.info.hasModules ? 560 : Infinity },
      ],
      rows: () => this.rows.length,
      cell: (row, column, width) => this.cell(this.rows[row], column, width),
      rowAttributes: (row) => ({ class: app.isHit(this.table!.func[this.rows[row]]) ? 'hit' : undefined }),
      chosen: (row) => this.choseRow(this.rows[row]),
      opened: (row) =>
        app.change({
          search: `^${this.app.labels.name[this.table!.func[this.rows[row]]].replace(/[.*+?^${}()|[\]\\]/g, '\\$&').slice(0, 500)}$`,
        }),
      menu: (_, x, y) => openFrameMenu(app, x, y),
      sorted: (column) => app.change({ diffSort: app.state.diffSort === column ? `-${column}` : column }, {}, true),
    });
    this.picture.append(this.panel.element, this.legend);
    this.body.append(this.picture, this.grid.element);
    this.element = el(
      'section',
      { 'aria-label': 'Differences' },
      el(
        'div',
        { class: 'toolbar', role: 'toolbar', 'aria-label': 'Difference options' },
        this.group('Change of', this.by.element),
        this.group('Width', this.width.element),
        this.scaled.element,
        this.inverted.element,
        el('span', { class: 'grow' }),
        this.reset,
      ),
      this.headline,
      this.body,
    );
  }

  readonly keys: Record<string, () => void> = {
    '0': () => this.panel.zoomOut(),
    '+': () => this.panel.zoomBy(0.7),
    '-': () => this.panel.zoomBy(1 / 0.7),
  };

  private group(label: string, control: HTMLElement): HTMLElement {
    return el('div', { class: 'group' }, el('span', null, label), control);
  }

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

  private draw(keep: boolean): void {
    const { app, tree } = this;
    if (!tree || !this.table) return;
    const { look, legend } = colouredDiff(app, tree);
    if (keep) this.panel.recolour(look);
    else this.panel.show(new TreeScene(tree), look, { rootBelow: app.state.rootBelow });
    fill(this.legend, legendRow(app, legend));
    this.reset.disabled = !this.panel.isZoomed();
    this.tellHeadline(tree);
    this.arrange();
  }

  private tellHeadline({ totalBefore, totalAfter }: DiffTree): void {
    const { app } = this,
      table = this.table!,
      compared = app.state.diffBy === 'self' ? table.selfCompared : table.totalCompared,
      [before, after] = app.engine.loaded.profiles,
      change = totalAfter[0] - totalBefore[0],
      share = totalBefore[0] > 0 ? change / totalBefore[0] : 0;
    const { events } = app.info,
      event = visible(events[app.state.model.event]?.name ?? ''),
      without = [before, after].find(({ events: own }) => (own[app.state.model.event]?.samples ?? 0) === 0);
    const words = without && events.length > 1
      ? `${shortLabel(visible(without.title), 60)} has no samples of the event ${event}: nothing can be compared.`
      : app.state.normalised
      ? 'Both runs are scaled to the same total.'
      : change === 0
        ? 'Both runs cost the same.'
        : `After costs ${percent(Math.abs(share))} ${change > 0 ? 'more' : 'less'}: ${app.amount(totalBefore[0])} before, ${app.amount(totalAfter[0])} after.`;
    fill(
      this.headline,
      el('b', null, words),
      ` Before: ${shortLabel(visible(before.title), 60)}. After: ${shortLabel(visible(after.title), 60)}.`,
      ` Evidence is corrected for the ${plural(compared, 'function')} compared and takes samples as independent; wick diff also allows for bursts.`,
    );
  }

  private values(i: number): [number, number, number] {
    const table = this.table!,
      self = this.app.state.diffBy === 'self';
    return self
      ? [table.selfBefore[i], table.selfAfter[i], table.selfChance[i]]
      : [table.totalBefore[i], table.totalAfter[i], table.totalChance[i]];
  }

  private arrange(): void {
    const { app } = this,
      table = this.table!,
      found = app.found && !app.found.error ? app.found : null,
      rows: number[] = [];
    for (let i = 0; i < table.func.length; i++) if (!found || found.matches[table.func[i]] === 1) rows.push(i);
    const descending = !app.state.diffSort.startsWith('-'),
      column = app.state.diffSort.replace(/^-/, '');
    const value: Record<string, ((i: number) => number) | undefined> = {
      change: (i) => Math.abs(this.values(i)[1] - this.values(i)[0]),
      before: (i) => this.values(i)[0],
      after: (i) => this.values(i)[1],
      sigma: (i) => 1 - (this.values(i)[2] || 0) - (Number.isNaN(this.values(i)[2]) ? 2 : 0),
    };
    const by = value[column];
    if (by) rows.sort((a, b) => by(b) - by(a) || a - b);
    else rows.sort((a, b) => (app.name(table.func[a]) < app.name(table.func[b]) ? -1 : 1));
    if (!descending) rows.reverse();
    this.rows = rows;
    this.grid.setSort(column, by ? descending : !descending);
    this.grid.refresh();
  }

  private cell(i: number, column: string, width: number): Node | string {
    const { app } = this,
      table = this.table!,
      [before, after, chance] = this.values(i),
      change = after - before;
    switch (column) {
      case 'change':
        return el(
          'span',
          { class: change > 0 ? 'up' : change < 0 ? 'down' : '' },
          signed(app.cell(Math.abs(change)), change),
        );
      case 'points': {
        const points = 100 * (after / (table.amountAfter.weight || 1) - before / (table.amountBefore.weight || 1));
        return signed(Math.abs(points).toFixed(2), points);
      }
      case 'before':
        return before > 0 ? app.cell(before) : '\u2013';
      case 'after':
        return after > 0 ? app.cell(after) : '\u2013';
      case 'sigma':
        if (Number.isNaN(chance)) return 'not compared';
        if (chance >= EVIDENCE) return 'no evidence';
        return chance < 0.001 ? 'likely (p < 0.001)' : `likely (p ${chance.toFixed(3)})`;
      case 'name':
        return el(
          'span',
          null,
          el('span', { class: 'name', title: app.name(table.func[i]) }, fitLabel(app.name(table.func[i]), width - 70)),
          before === 0
            ? el('span', { class: 'tag' }, 'new')
            : after === 0
              ? el('span', { class: 'tag' }, 'vanished')
              : null,
        );
      default:
        return app.moduleName(app.moduleOf(table.func[i]));
    }
  }

  private facts(node: number): FrameFacts {
    const { app } = this,
      tree = this.tree!,
      pair = (before: number, after: number): string =>
        `${app.amount(before)} \u2192 ${app.amount(after)} (${signed(app.amount(Math.abs(after - before)), after - before)})`;
    return plainFacts(app, tree.func[node], [
      ['total', pair(tree.totalBefore[node], tree.totalAfter[node])],
      ['self', pair(tree.selfBefore[node], tree.selfAfter[node])],
    ]);
  }

  private chosen(box: Box | null): void {
    const { app, tree } = this;
    if (!tree || !box) return app.select(null);
    status.say(inOneLine(this.facts(box.node)));
    if (box.node === 0) return app.select(null);
    app.select({ func: tree.func[box.node], path: pathOf(tree, box.node), inverted: app.state.inverted });
  }

  private choseRow(i: number): void {
    const { app } = this,
      func = this.table!.func[i],
      [before, after] = this.values(i);
    app.select({ func, path: [], inverted: false });
    status.say(
      inOneLine(
        plainFacts(app, func, [
          ['before', app.amount(before)],
          ['after', app.amount(after)],
        ]),
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
