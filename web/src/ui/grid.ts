// SPDX-License-Identifier: Apache-2.0
// A table or tree of any length: all rows have the same height, and only visible rows exist as elements.
//
// The body has the focus; aria-activedescendant says which row is active, and aria-rowcount how many rows there are.
// The owner provides the content of rows, by number.

import { el, fill, oncePerFrame } from './dom.ts';
import { onPrinting } from './theme.ts';

export interface Column {
  id: string;
  title: string;
  help?: string;
  width: string; // of CSS grid
  right?: boolean;
  from?: number; // shown if the grid has at least this width in pixels
  sortable?: boolean;
}

export interface GridOwner {
  name: string;
  role: 'grid' | 'treegrid';
  columns: Column[];
  rows: () => number;
  cell: (row: number, column: string, width: number) => Node | string; // width in pixels; 0: unknown
  drawing?: (first: number, last: number, width: (column: string) => number) => void; // before the cells of these rows
  rowAttributes?: (row: number) => Record<string, string | undefined>;
  chosen: (row: number) => void;
  opened?: (row: number) => void; // double click, Enter
  menu?: (row: number, x: number, y: number) => void;
  sorted?: (column: string) => void;
  key?: (event: KeyboardEvent, row: number) => boolean; // true: handled
}

export const GRID_ROW = 25;
const SPARE_ROWS = 6;
const PRINTED_ROWS = 120;
// Browsers limit the height of an element. For more rows the scroll bar is scaled.
const TALLEST = 8_000_000;

export class Grid {
  readonly element: HTMLElement;
  readonly body: HTMLElement;
  private readonly head: HTMLElement;
  private readonly space = el('div', { class: 'grid-space', role: 'rowgroup' });
  private readonly id = `grid${Math.random().toString(36).slice(2, 8)}`;
  private selectedRow = -1;
  private headFor = -1;
  private drawnAt = -1; // scrolled by
  private printing = false;
  private sort = { column: '', descending: true };
  private readonly drawSoon = oncePerFrame(() => this.draw());

  constructor(private readonly owner: GridOwner) {
    this.head = el('div', { class: 'grid-head', role: 'row' });
    this.body = el(
      'div',
      { class: 'grid-body', tabindex: '0', role: owner.role, 'aria-label': owner.name },
      this.space,
    );
    this.element = el('div', { class: 'grid' }, this.head, this.body);
    this.drawHead();
    this.body.addEventListener('scroll', this.drawSoon, { passive: true });
    this.body.addEventListener('keydown', (event) => this.pressed(event));
    this.body.addEventListener('click', (event) => {
      const row = this.rowOf(event.target);
      if (row >= 0) this.select(row);
    });
    this.body.addEventListener('dblclick', (event) => {
      const row = this.rowOf(event.target);
      if (row >= 0) this.owner.opened?.(row);
    });
    this.body.addEventListener('contextmenu', (event) => {
      const row = this.rowOf(event.target);
      if (row < 0 || !this.owner.menu) return;
      event.preventDefault();
      this.select(row);
      this.owner.menu(row, event.clientX, event.clientY);
    });
    new ResizeObserver(this.drawSoon).observe(this.body);
    onPrinting((printing) => {
      this.printing = printing;
      if (this.element.isConnected) this.draw();
    });
  }

  get selected(): number {
    return this.selectedRow;
  }

  // The rows have changed; the owner restores the selection.
  refresh(): void {
    const rows = this.owner.rows();
    this.selectedRow = Math.min(this.selectedRow, rows - 1);
    this.body.setAttribute('aria-rowcount', String(rows + 1));
    this.element.style.setProperty('--rows', `${Math.min(TALLEST, rows * GRID_ROW)}px`); // a short list may be as short
    this.draw();
  }

  setSort(column: string, descending: boolean): void {
    this.sort = { column, descending };
    this.drawHead();
  }

  select(row: number, notify = true): void {
    this.selectedRow = row;
    if (row >= 0) this.scrollTo(row);
    if (!this.markSelected()) this.draw();
    if (notify && row >= 0) this.owner.chosen(row);
  }

  // Marks the selected row among those that are drawn; false if others must be drawn. New elements between the clicks of
  // a double click would prevent it.
  private markSelected(): boolean {
    const element = document.getElementById(`${this.id}-${this.selectedRow}`);
    if (!element || this.body.scrollTop !== this.drawnAt) return false;
    for (const row of this.space.children) row.setAttribute('aria-selected', String(row === element));
    this.body.setAttribute('aria-activedescendant', element.id);
    return true;
  }

  headCell(column: string): HTMLElement | null {
    return this.head.querySelector(`[data-column="${column}"]`);
  }

  // Where a row is now, in pixels below the top of the body.
  topOf(row: number): number {
    return row * GRID_ROW - this.body.scrollTop * this.scale();
  }

  columnWidth(column: string): number {
    return this.headCell(column)?.clientWidth ?? 0;
  }

  private scale(): number {
    const whole = this.owner.rows() * GRID_ROW;
    return whole > TALLEST ? (whole - this.body.clientHeight) / (TALLEST - this.body.clientHeight) : 1;
  }

  private scrollTo(row: number): void {
    const scale = this.scale(),
      top = this.body.scrollTop * scale,
      height = this.body.clientHeight;
    if (row * GRID_ROW < top) this.body.scrollTop = (row * GRID_ROW) / scale;
    else if ((row + 1) * GRID_ROW > top + height) this.body.scrollTop = ((row + 1) * GRID_ROW - height) / scale;
  }

  private drawHead(): void {
    const columns = this.columns();
    this.headFor = columns.length;
    this.head.style.gridTemplateColumns = columns.map((column) => column.width).join(' ');
    fill(
      this.head,
      ...columns.map((column) => {
        const sorted = this.sort.column === column.id;
        const arrow = sorted ? (this.sort.descending ? ' \u25be' : ' \u25b4') : '';
        return el(
          'div',
          {
            role: 'columnheader',
            'data-column': column.id,
            class: this.cellClass(column),
            title: column.help,
            'aria-sort': sorted ? (this.sort.descending ? 'descending' : 'ascending') : undefined,
          },
          column.sortable
            ? el('button', { type: 'button', onclick: () => this.owner.sorted?.(column.id) }, column.title + arrow)
            : column.title,
        );
      }),
    );
  }

  // The columns that fit.
  private columns(): Column[] {
    const width = this.body.clientWidth;
    return this.owner.columns.filter((column) => width >= (column.from ?? 0));
  }

  private cellClass(column: Column): string {
    return column.right ? 'right' : '';
  }

  private draw(): void {
    const rows = this.owner.rows(),
      scale = this.scale();
    const top = this.body.scrollTop * scale;
    this.drawnAt = this.body.scrollTop;
    // A printed page has no scroll bar: it shows the first rows.
    const first = this.printing ? 0 : Math.max(0, Math.floor(top / GRID_ROW) - SPARE_ROWS);
    const last = Math.min(
      rows,
      this.printing ? PRINTED_ROWS : Math.ceil((top + this.body.clientHeight) / GRID_ROW) + SPARE_ROWS,
    );
    this.space.style.height = `${this.printing ? last * GRID_ROW : Math.min(TALLEST, rows * GRID_ROW)}px`;
    const shift = this.printing ? 0 : this.body.scrollTop - top,
      columns = this.columns(),
      template = columns.map((column) => column.width).join(' ');
    if (this.headFor !== columns.length) this.drawHead();
    this.head.style.paddingRight = `${16 + this.body.offsetWidth - this.body.clientWidth}px`;
    const widths = columns.map((column) => this.columnWidth(column.id));
    this.owner.drawing?.(first, last, (column) => widths[columns.findIndex(({ id }) => id === column)] ?? 0);
    const elements: HTMLElement[] = [];
    for (let row = first; row < last; row++) {
      const attributes = this.owner.rowAttributes?.(row) ?? {};
      elements.push(
        el(
          'div',
          {
            role: 'row',
            id: `${this.id}-${row}`,
            'data-row': String(row),
            'aria-rowindex': String(row + 2),
            'aria-selected': row === this.selectedRow ? 'true' : 'false',
            style: `top:${row * GRID_ROW + shift}px;grid-template-columns:${template}`,
            ...attributes,
            class: `grid-row ${attributes['class'] ?? ''}`,
          },
          ...columns.map((column, i) =>
            el(
              'div',
              { role: 'gridcell', class: this.cellClass(column), 'data-column': column.id },
              this.owner.cell(row, column.id, widths[i]),
            ),
          ),
        ),
      );
    }
    this.space.replaceChildren(...elements);
    if (this.selectedRow >= first && this.selectedRow < last)
      this.body.setAttribute('aria-activedescendant', `${this.id}-${this.selectedRow}`);
    else this.body.removeAttribute('aria-activedescendant');
  }

  private rowOf(target: EventTarget | null): number {
    const row = target instanceof Element ? target.closest('.grid-row') : null;
    return row instanceof HTMLElement ? Number(row.dataset['row']) : -1;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.owner.key?.(event, this.selectedRow)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const page = Math.max(1, Math.floor(this.body.clientHeight / GRID_ROW) - 1),
      last = this.owner.rows() - 1;
    const targets: Record<string, number> = {
      ArrowDown: this.selectedRow + 1,
      ArrowUp: this.selectedRow - 1,
      PageDown: this.selectedRow + page,
      PageUp: this.selectedRow - page,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target !== undefined && last >= 0) this.select(Math.max(0, Math.min(last, target)));
    else if (event.key === 'Enter' && this.selectedRow >= 0 && this.owner.opened) this.owner.opened(this.selectedRow);
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) this.menuByKey();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private menuByKey(): void {
    const row = document.getElementById(`${this.id}-${this.selectedRow}`)?.getBoundingClientRect();
    if (row) this.owner.menu?.(this.selectedRow, row.left + 40, row.bottom);
  }
}

// A number over a bar that shows its share.
export function barCell(text: string, share: number): HTMLElement {
  return el(
    'div',
    { class: 'cell-bar' },
    el('i', { style: `width:${Math.max(0, Math.min(100, share * 100)).toFixed(1)}%` }),
    el('span', null, text),
  );
}
