// SPDX-License-Identifier: Apache-2.0
// The source lines and instructions of one function, with their costs.

import type { Annotation } from '../../model/interface.ts';
import { lateFunctionNote, ranBefore } from '../../model/words.ts';
import type { AppCore } from '../app_core.ts';
import { el, fill } from '../dom.ts';
import { barCell, Grid, type Column } from '../grid.ts';
import { emptyMessage, labelled, viewSection, type ViewPart } from '../part.ts';
import { Question } from '../question.ts';
import { status } from '../status.ts';
import { baseName, labelsOf, percent, visible } from '../text.ts';

const LONGEST_LIST = 300;

const COST: Column[] = [
  { id: 'share', title: 'Self %', width: '78px', right: true },
  { id: 'self', title: 'Self', width: '84px', right: true, from: 560 },
];

export class SourceView implements ViewPart {
  readonly element: HTMLElement;
  private readonly choose = el('select', { 'aria-label': 'Function' });
  private readonly about = el('span', { class: 'faint' });
  private readonly body = el('div', { class: 'split' });
  private readonly source: Grid;
  private readonly assembly: Grid;
  private annotation: Annotation | null = null;
  private readonly question = new Question(() => this.element.isConnected);

  constructor(private readonly app: AppCore) {
    this.choose.addEventListener('change', () => app.change({ selected: Number(this.choose.value) }));
    this.source = new Grid({
      name: 'Source lines',
      role: 'grid',
      columns: [
        ...COST,
        { id: 'line', title: 'Line', width: '56px', right: true },
        { id: 'text', title: 'Source', width: 'minmax(0, 1fr)' },
      ],
      rows: () => this.annotation?.source.length ?? 0,
      cell: (row, column) => this.sourceCell(row, column),
      chosen: (row) => this.announceSource(row),
    });
    this.assembly = new Grid({
      name: 'Instructions',
      role: 'grid',
      columns: [
        ...COST,
        { id: 'address', title: 'Address', width: '96px', right: true },
        { id: 'text', title: 'Instruction', width: 'minmax(0, 1fr)' },
      ],
      rows: () => this.annotation?.assembly.length ?? 0,
      cell: (row, column) => this.assemblyCell(row, column),
      chosen: (row) => this.announceInstruction(row),
    });
    this.element = viewSection('Source', [labelled('Function', this.choose), this.about], this.body);
  }

  update(): void {
    const { model, selected } = this.app.state;
    if (this.question.isNew(model, selected)) void this.load();
    else this.nameChoices();
  }

  // Functions that can be shown, hottest first.
  private async load(): Promise<void> {
    const { app } = this,
      { model } = app.state;
    const table = await this.question.answer(
      app.ask('source functions', 'functions', () => app.engine.functions(model)),
    );
    if (!table) return;
    const known = new Set(model.groupBy === 'function' ? app.info.annotated : []);
    const ranked = [...table.func].filter((func) => known.size === 0 || known.has(func)).slice(0, LONGEST_LIST);
    const selected = app.state.selected >= 0 ? app.state.selected : ranked[0];
    if (selected === undefined)
      return fill(this.body, emptyMessage('No function to show', 'No sample passes the filters and transforms.'));
    if (!ranked.includes(selected)) ranked.unshift(selected);
    fill(this.choose, ...ranked.map((func) => el('option', { value: String(func) })));
    this.nameChoices();
    this.choose.value = String(selected);
    const annotation = await this.question.answer(
      app.ask('source', 'annotate', () => app.engine.annotate(model, selected)),
    );
    if (!annotation) return;
    this.annotation = annotation;
    const ran =
      app.labels.late[selected] && table.amount.lateShare > 0 ? ranBefore(app.words, app.name(selected)) : undefined;
    this.draw(annotation, ran === undefined ? '' : lateFunctionNote(app.words, app.eventName, ran));
  }

  // Hits of the search are marked.
  private nameChoices(): void {
    const { app } = this;
    const options = [...this.choose.options],
      labels = labelsOf(
        options.map(({ value }) => ({ forms: app.forms(Number(value)), columns: 80 })),
        'numbered',
      );
    options.forEach((option, i) => {
      option.text = `${app.isHit(Number(option.value)) ? '\u25cf ' : ''}${labels[i]}`;
    });
  }

  private draw(annotation: Annotation, late: string): void {
    const { file, source } = annotation,
      note = [late, annotation.note].filter(Boolean).join(' ');
    // Lines say more than addresses without text.
    const assembly = annotation.hasAssembly || source.length === 0 ? annotation.assembly : [];
    this.about.textContent = visible(file);
    if (source.length === 0 && assembly.length === 0) {
      return fill(
        this.body,
        emptyMessage(
          'This function has no source lines',
          note ||
            'The profile has neither line numbers nor instructions for it. Build with debug information (-g) and record again.',
        ),
      );
    }
    fill(
      this.body,
      source.length > 0
        ? el(
            'div',
            { class: assembly.length > 0 ? 'left-part' : 'right-part' },
            note ? el('p', { class: 'note' }, visible(note)) : null,
            this.source.element,
          )
        : null,
      assembly.length > 0
        ? el(
            'div',
            { class: 'right-part' },
            late && source.length === 0 ? el('p', { class: 'note' }, late) : null,
            this.assembly.element,
          )
        : null,
    );
    this.source.refresh();
    this.assembly.refresh();
    const hottest = (rows: { self: number }[]): number =>
      rows.reduce((best, row, i) => (row.self > rows[best].self ? i : best), 0);
    if (source.length > 0) this.source.select(hottest(source), false);
    if (assembly.length > 0) this.assembly.select(hottest(assembly), false);
  }

  private whole(rows: { self: number }[]): number {
    return rows.reduce((sum, row) => sum + row.self, 0) || 1;
  }

  private cost(row: { self: number }, rows: { self: number }[], column: string): Node | string {
    if (row.self <= 0) return '';
    const share = row.self / this.whole(rows);
    return column === 'share' ? barCell((100 * share).toFixed(1), share) : this.app.cell(row.self);
  }

  private sourceCell(at: number, column: string): Node | string {
    const { source: rows, file, hasSource } = this.annotation!,
      row = rows[at];
    if (column === 'line') return row.line > 0 ? String(row.line) : '';
    if (column !== 'text') return this.cost(row, rows, column);
    const location = row.line > 0 ? `${baseName(visible(file))}:${row.line}` : 'unknown line';
    const text = hasSource && row.line > 0 ? visible(row.text.replace(/\t/g, '    ')) : location;
    return el('code', { class: 'mono code', title: text }, text);
  }

  private assemblyCell(at: number, column: string): Node | string {
    const rows = this.annotation!.assembly,
      row = rows[at];
    if (column === 'address') return el('span', { class: 'mono' }, row.address.toString(16));
    if (column === 'text') return el('code', { class: 'mono code' }, visible(row.text.replace(/\t/g, ' ')) || '\u2013');
    return this.cost(row, rows, column);
  }

  private announceSource(at: number): void {
    const rows = this.annotation!.source,
      row = rows[at];
    status.announce(
      `line ${row.line}: self ${this.app.amount(row.self)} (${percent(row.self / this.whole(rows))} of the function), total ${this.app.amount(row.total)}`,
    );
    const instruction = this.annotation!.assembly.findIndex(({ line }) => line === row.line);
    if (instruction >= 0) this.assembly.select(instruction, false);
  }

  private announceInstruction(at: number): void {
    const rows = this.annotation!.assembly,
      row = rows[at];
    status.announce(
      `${row.address.toString(16)}: self ${this.app.amount(row.self)} (${percent(row.self / this.whole(rows))} of the function)${row.line > 0 ? `, line ${row.line}` : ''}`,
    );
    const line = this.annotation!.source.findIndex((source) => source.line === row.line);
    if (line >= 0) this.source.select(line, false);
  }

  // To the next function of the list that the search matches.
  step(direction: 1 | -1): void {
    const { app } = this,
      funcs = [...this.choose.options].map(({ value }) => Number(value)),
      at = funcs.indexOf(app.state.selected),
      next = funcs.map((_, i) => funcs[(at + direction * (i + 1) + 2 * funcs.length) % funcs.length]);
    const hit = next.find((func) => app.isHit(func));
    if (hit !== undefined) app.change({ selected: hit });
  }

  focus(): void {
    (this.source.element.isConnected ? this.source : this.assembly).body.focus();
  }
}
