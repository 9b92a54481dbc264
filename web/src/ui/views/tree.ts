// SPDX-License-Identifier: Apache-2.0
// The call tree as a tree grid: the view for keyboards and screen readers, with the same numbers as the flame graph.
//
//     right  open, or to the first child      left  close, or to the parent      *  open all below      Enter  open or close
//
// Only opened rows are listed; open rows are stored by call path, so they stay open when filters change.

import type { CallTree } from '../../model/interface.ts';
import { lateNote } from '../../model/words.ts';
import type { AppCore } from '../app_core.ts';
import { el, fill } from '../dom.ts';
import { openFrameMenu } from '../frame_menu.ts';
import { inOneLine, treeFacts } from '../frame_text.ts';
import { barCell, Grid } from '../grid.ts';
import { isLateNode } from '../late_marks.ts';
import { selfTime } from '../self_time.ts';
import { button, nothingLeft, saveButton, Segments, viewSection, type ViewPart } from '../part.ts';
import { pictureWidth, type Picture } from '../picture/document.ts';
import { treeTable, type TreeRow } from '../picture/tree_table.ts';
import { Question } from '../question.ts';
import { nodeOf, pathHashes, pathOf } from '../paths.ts';
import { status } from '../status.ts';
import { rowLabels } from '../text.ts';
import { widestChild } from '../tree_scene.ts';

const MAX_OPENED = 20_000; // rows that "open all" adds
const DEEPEST_INDENT = 40;
const INDENT = 13;
const NARROW = 320; // a column of names on a phone
const NARROW_INDENT = 6;
// In pixels: around a name and its sign, in and around a tag, and of the mark of late samples.
const NAME_MARGIN = 40;
const TAG_LETTER = 7;
const TAG_MARGIN = 20;
const LATE_WIDTH = 36;

// At most half of the column, on a phone a third; deeper rows have their depth as a number.
function indents(width: number): { step: number; deepest: number } {
  const isNarrow = width > 0 && width < NARROW,
    step = isNarrow ? NARROW_INDENT : INDENT,
    room = isNarrow ? width / 3 : width > 0 ? width / 2 : Infinity;
  return { step, deepest: Math.min(DEEPEST_INDENT, Math.floor(room / step)) };
}

function indentOf(depth: number, width: number): number {
  const { step, deepest } = indents(width);
  return Math.min(depth, deepest) * step;
}

export class TreeView implements ViewPart {
  readonly element: HTMLElement;
  private readonly grid: Grid;
  private nameColumn = 0; // in pixels; 0: unknown
  private readonly body = el('div', { class: 'flame-body' });
  private readonly inverted: Segments<'no' | 'yes'>;
  private tree: CallTree | null = null;
  private hashes: Float64Array = new Float64Array(0);
  private rows: number[] = []; // nodes
  private label: (row: number) => string = () => ''; // of the rows that are drawn
  private readonly opened = new Set<number>();
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.inverted = new Segments(
      'Stacks',
      [
        ['no', 'Top down', 'From callers to callees'],
        ['yes', 'Inverted', 'From the functions that spend the time to their callers (i)'],
      ],
      (value) => app.change({ inverted: value === 'yes', zoom: [] }),
    );
    this.grid = new Grid({
      name: 'Call tree',
      role: 'treegrid',
      columns: [
        { id: 'total', title: 'Total', width: '88px', right: true, from: 560 },
        { id: 'totalShare', title: 'Total %', width: '82px', right: true },
        { id: 'self', title: 'Self', width: '88px', right: true, from: 560 },
        { id: 'selfShare', title: 'Self %', width: '74px', right: true, from: 420 },
        { id: 'name', title: 'Function', width: 'minmax(140px, 1fr)' },
        { id: 'module', title: 'Module', width: 'minmax(60px, .25fr)', from: app.info.hasModules ? 560 : Infinity },
      ],
      rows: () => this.rows.length,
      cell: (row, column) => (column === 'name' ? this.nameCell(row) : this.cell(this.rows[row], column)),
      drawing: (first, last, width) => {
        this.nameColumn = width('name');
        this.label = rowLabels(
          first,
          last,
          (row) => app.forms(this.tree!.func[this.rows[row]]),
          (row) => this.nameWidth(this.rows[row]),
        );
      },
      rowAttributes: (row) => this.attributes(this.rows[row]),
      chosen: (row) => this.choose(this.rows[row]),
      opened: (row) => this.toggle(row),
      menu: (_, x, y) => openFrameMenu(app, x, y),
      key: (event, row) => this.key(event, row),
    });
    this.grid.body.addEventListener('click', (event) => {
      const twisty = event.target instanceof Element ? event.target.closest('.twisty') : null,
        row = twisty?.closest<HTMLElement>('.grid-row');
      if (row) this.toggle(Number(row.dataset['row']));
    });
    this.body.append(this.grid.element);
    this.element = viewSection(
      'Call tree',
      [
        this.inverted.element,
        button('Open hottest path', () => this.openHottest()),
        button('Close all', () => this.closeAll()),
        el('span', { class: 'grow' }),
        saveButton(app),
      ],
      this.body,
    );
  }

  update(): void {
    const { state } = this.app;
    this.inverted.show(state.inverted ? 'yes' : 'no');
    if (this.question.isNew(state.model, state.inverted)) {
      void this.load();
    } else {
      this.reveal();
      this.grid.refresh();
    }
  }

  private async load(): Promise<void> {
    const { app } = this,
      { model, inverted } = app.state;
    const tree = await this.question.answer(
      app.ask('tree', 'callTree', () => app.engine.callTree(model, { order: 'weight', inverted })),
    );
    if (!tree) return;
    this.tree = tree;
    if (tree.amount.weight <= 0) return fill(this.body, nothingLeft(app));
    if (!this.grid.element.isConnected) fill(this.body, this.grid.element);
    this.hashes = pathHashes(tree);
    if (this.opened.size === 0) this.openPath(this.hottest(0));
    this.list();
    if (!this.reveal()) this.grid.select(0, false);
  }

  // The selected frame of another view, if it is in this tree.
  private reveal(): boolean {
    const { app, tree } = this,
      { selection } = app;
    if (!tree || !selection || selection.path.length === 0 || selection.inverted !== app.state.inverted) return false;
    const { node, whole } = nodeOf(tree, selection.path);
    if (!whole) return false;
    this.openPath(tree.parent[node]);
    this.list();
    this.grid.select(this.rows.indexOf(node), false);
    return true;
  }

  private hottest(from: number): number {
    const tree = this.tree!;
    let node = from;
    for (;;) {
      const child = widestChild(tree, node);
      if (child < 0 || tree.total[child] < tree.total[from] / 3) return node;
      node = child;
    }
  }

  private openPath(node: number): void {
    for (let n = node; n >= 0; n = this.tree!.parent[n]) this.opened.add(this.hashes[n]);
  }

  private hasChildren(node: number): boolean {
    return this.tree!.end[node] > node + 1;
  }

  private isOpen(node: number): boolean {
    return this.opened.has(this.hashes[node]);
  }

  // Depth first over opened rows; skips the descendants of closed rows.
  private list(): void {
    const tree = this.tree!;
    this.rows = [];
    for (let node = 0; node < tree.size; node = this.isOpen(node) ? node + 1 : tree.end[node]) this.rows.push(node);
    this.grid.refresh();
  }

  private share(weight: number): number {
    return weight / (this.tree!.amount.weight || 1);
  }

  private numbers(node: number): TreeRow['numbers'] {
    const { app } = this,
      tree = this.tree!,
      own = selfTime(tree, node) ?? 0,
      share = (weight: number): string => (100 * this.share(weight)).toFixed(2);
    return [
      app.cell(tree.total[node]),
      share(tree.total[node]),
      ...(own > 0 ? ([app.cell(own), share(own)] as const) : (['', ''] as const)),
    ];
  }

  // Whether a row is open or closed, or has frames below that are too small to be listed.
  private sign(node: number): string {
    if (this.hasChildren(node)) return this.isOpen(node) ? '\u25be' : '\u25b8';
    return this.tree!.cut?.[node] ? '\u2026' : '';
  }

  private cell(node: number, column: string): string | Node {
    const { app } = this,
      tree = this.tree!,
      [total, totalShare, self, selfShare] = this.numbers(node);
    switch (column) {
      case 'total':
        return total;
      case 'totalShare':
        return barCell(totalShare, this.share(tree.total[node]));
      case 'self':
        return self;
      case 'selfShare':
        return selfShare;
      default:
        return app.moduleName(app.moduleOf(tree.func[node]));
    }
  }

  // In pixels; 0 if unknown.
  private nameWidth(node: number): number {
    const width = this.nameColumn,
      depth = this.tree!.depth[node],
      tag = this.tagOf(node),
      isDeep = depth > indents(width).deepest,
      isLate = isLateNode(this.app.labels, this.tree!, node),
      tags = [tag, isDeep ? String(depth) : ''].filter(Boolean),
      others =
        NAME_MARGIN +
        tags.reduce((sum, text) => sum + TAG_LETTER * text.length + TAG_MARGIN, 0) +
        (isLate ? LATE_WIDTH : 0);
    return width > 0 ? Math.max(60, width - indentOf(depth, width) - others) : 0;
  }

  private tagOf(node: number): string {
    const kind = this.app.kindName(this.tree!.func[node]);
    return ['user', 'process', 'thread'].includes(kind) ? '' : kind;
  }

  private nameCell(row: number): HTMLElement {
    const { app } = this,
      tree = this.tree!,
      node = this.rows[row],
      depth = tree.depth[node],
      name = app.name(tree.func[node]),
      tag = this.tagOf(node),
      width = this.nameColumn;
    return el(
      'div',
      { class: 'tree-name', style: `padding-left:${indentOf(depth, width)}px` },
      depth > indents(width).deepest ? el('span', { class: 'tag' }, String(depth)) : null,
      el('span', { class: 'twisty', 'aria-hidden': 'true' }, this.sign(node)),
      isLateNode(app.labels, tree, node)
        ? el(
            'span',
            { class: 'late', title: lateNote(app.words, app.eventName, tree.amount.lateShare) },
            app.words.late.mark,
          )
        : null,
      el('span', { class: 'name', title: name }, this.label(row)),
      tag ? el('span', { class: 'tag' }, tag) : null,
    );
  }

  private attributes(node: number): Record<string, string | undefined> {
    const tree = this.tree!;
    return {
      'aria-level': String(tree.depth[node] + 1),
      'aria-expanded': this.hasChildren(node) ? String(this.isOpen(node)) : undefined,
      'aria-label': inOneLine(treeFacts(this.app, tree, node)),
      class: this.app.isHit(tree.func[node]) ? 'hit' : undefined,
    };
  }

  private choose(node: number): void {
    const { app } = this,
      tree = this.tree!;
    app.select(node === 0 ? null : { func: tree.func[node], path: pathOf(tree, node), inverted: app.state.inverted });
    status.announce(inOneLine(treeFacts(app, tree, node)));
  }

  private toggle(row: number): void {
    const node = this.rows[row];
    if (node === undefined || !this.hasChildren(node)) return;
    if (this.isOpen(node)) this.opened.delete(this.hashes[node]);
    else this.opened.add(this.hashes[node]);
    this.list();
    this.grid.select(row, false);
  }

  private key(event: KeyboardEvent, row: number): boolean {
    const tree = this.tree,
      node = this.rows[row];
    if (!tree || node === undefined) return false;
    switch (event.key) {
      case 'ArrowRight':
        if (this.hasChildren(node) && !this.isOpen(node)) this.toggle(row);
        else if (this.hasChildren(node)) this.grid.select(row + 1);
        return true;
      case 'ArrowLeft':
        if (this.isOpen(node) && this.hasChildren(node)) this.toggle(row);
        else if (node > 0) this.grid.select(this.rows.lastIndexOf(tree.parent[node], row));
        return true;
      case '*':
        this.openBelow(node);
        this.grid.select(row, false);
        return true;
      default:
        return false;
    }
  }

  private openBelow(node: number): void {
    const tree = this.tree!,
      last = Math.min(tree.end[node], node + MAX_OPENED);
    for (let n = node; n < last; n++) if (this.hasChildren(n)) this.opened.add(this.hashes[n]);
    this.list();
    if (last < tree.end[node]) status.announce(`Only the first ${MAX_OPENED} rows were opened.`);
  }

  private openHottest(): void {
    if (!this.tree) return;
    const from = Math.max(0, this.rows[this.grid.selected] ?? 0),
      node = this.hottest(from);
    this.openPath(node);
    this.list();
    this.grid.select(this.rows.indexOf(node));
    this.focus();
  }

  private closeAll(): void {
    if (!this.tree) return;
    this.opened.clear();
    this.opened.add(this.hashes[0]);
    this.list();
    this.grid.select(0);
  }

  step(direction: 1 | -1): void {
    const { tree, app } = this;
    if (!tree || !app.searchResult) return;
    const from = this.rows[this.grid.selected] ?? 0;
    for (let i = 1; i <= tree.size; i++) {
      const node = (from + direction * i + 2 * tree.size) % tree.size;
      if (!app.isHit(tree.func[node])) continue;
      this.openPath(tree.parent[node]);
      this.list();
      return this.grid.select(this.rows.indexOf(node));
    }
  }

  // The open rows.
  savedPicture(): Picture | null {
    const { app } = this;
    if (!this.tree || !this.grid.element.isConnected) return null;
    const width = pictureWidth(this.grid.element.clientWidth);
    return {
      name: 'call-tree',
      title: app.state.inverted ? 'Call tree, inverted: from functions to their callers' : 'Call tree',
      lines: [],
      width,
      parts: [
        treeTable(
          this.rows.map((node) => this.savedRow(node)),
          width,
        ),
      ],
      legend: [],
    };
  }

  private savedRow(node: number): TreeRow {
    const { app } = this,
      tree = this.tree!,
      func = tree.func[node];
    return {
      numbers: this.numbers(node),
      share: this.share(tree.total[node]),
      indent: indentOf(tree.depth[node], 0),
      sign: this.sign(node),
      forms: app.forms(func),
      module: app.moduleName(app.moduleOf(func)),
      isHit: app.isHit(func),
      title: inOneLine(treeFacts(app, tree, node)),
    };
  }

  focus(): void {
    this.grid.body.focus();
  }
}
