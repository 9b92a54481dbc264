// SPDX-License-Identifier: Apache-2.0
// Labels: the names of the rows or boxes of one screen, each in its own number of columns. The rules are those of
// src/views/labels.h: the longest form that fits; different names never have equal labels on one screen. For the page
// and for the script of flame graph SVGs (web/src/svg/text.ts). test/labels.json, which C++ writes, holds both to it.
import { columnsOf, cutHead, cutMiddle, cutText, firstColumns } from './text_columns.ts';
import { formsOfText, withoutGap, type NameForms } from './label_forms.ts';

export interface LabelRow {
  readonly forms: NameForms;
  readonly columns: number;
}
// What distinguishes names that look alike although their labels say where they differ: a number, or one of them has
// the label and the others have none.
export type Alike = 'numbered' | 'blank';

const BRACKETS = 3; // " [" and "]" around what differs
const FEWEST_FOR_BOTH = 4 * BRACKETS;
const FEWEST_FOR_CUT = 5; // with fewer columns a picture shows whole forms only
const FEWEST_FOR_OTHER_CUT = 8; // with fewer columns the middle of a name says nothing
const WORD = /[A-Za-z0-9_\u0080-\uffff]/;

function fitted({ forms, endMatters }: NameForms, columns: number): string {
  for (const form of forms) if (form.length <= 2 * columns && columnsOf(form) <= columns) return form;
  const shortest = withoutGap(forms[forms.length - 1]);
  if (endMatters) return cutHead(shortest, columns);
  return columns < 3 || columns >= FEWEST_FOR_BOTH ? cutMiddle(shortest, columns) : cutText(shortest, columns);
}

const fits = ({ forms }: NameForms, columns: number): boolean => forms.some((form) => columnsOf(form) <= columns);

// The label of one name that shares its screen with no other.
export const labelOf = (forms: NameForms, columns: number): string => fitted(forms, Math.max(0, columns));

// At most `columns` columns of a text that is not the name of a function.
export const shortLabel = (text: string, columns: number): string =>
  columnsOf(text) <= columns ? text : labelOf(formsOfText(text), columns);

type Group = Map<string, NameForms>; // by key

// Labels that are those of several names, with their names.
function sharedLabels(rows: readonly LabelRow[], labels: string[]): Map<string, Group> {
  const first = new Map<string, NameForms>(),
    shared = new Map<string, Group>();
  labels.forEach((label, row) => {
    if (label === '') return;
    const { forms } = rows[row],
      known = first.get(label);
    if (known === undefined) first.set(label, forms);
    else if (known !== forms && known.key !== forms.key) {
      const group = shared.get(label);
      if (group === undefined)
        shared.set(
          label,
          new Map([
            [known.key, known],
            [forms.key, forms],
          ]),
        );
      else group.set(forms.key, forms);
    }
  });
  return shared;
}

// By key: the text that distinguishes a name from the others. That is the name, or the key if another has its name.
function textsOf(group: Group): Map<string, string> {
  const names = new Map<string, number>();
  for (const { name } of group.values()) names.set(name, (names.get(name) ?? 0) + 1);
  return new Map([...group.values()].map(({ name, key }) => [key, names.get(name) === 1 ? name : key]));
}

// Where texts begin to differ, at the start of a word.
function firstDifference(texts: string[]): number {
  const [first] = texts;
  let shared = first.length;
  for (const text of texts) {
    let at = 0;
    while (at < shared && at < text.length && text[at] === first[at]) at++;
    shared = at;
  }
  const splitsWord = (text: string): boolean => shared < text.length && WORD.test(text[shared]);
  while (shared > 0 && WORD.test(first[shared - 1]) && texts.some(splitsWord)) shared--;
  return shared;
}

function wordFrom(text: string, at: number): string {
  while (at < text.length && !WORD.test(text[at])) at++;
  let end = at;
  while (end < text.length && WORD.test(text[end])) end++;
  return text.slice(at, end);
}

// "push_back [char]"
function tellingLabel(forms: NameForms, word: string, columns: number): string {
  const shortest = withoutGap(forms.forms[forms.forms.length - 1]);
  if (columns < FEWEST_FOR_BOTH && columnsOf(shortest) > columns)
    return columns < FEWEST_FOR_OTHER_CUT ? fitted(forms, columns) : cutMiddle(shortest, columns);
  if (word === '' || columns < FEWEST_FOR_BOTH) return fitted(forms, columns);
  const part = cutMiddle(word, Math.floor((columns - BRACKETS) / 2));
  return `${fitted(forms, columns - BRACKETS - columnsOf(part))} [${part}]`;
}

// By key: the word that the other names of its group lack.
function wordsOf(group: Group): Map<string, string> {
  const texts = textsOf(group),
    difference = firstDifference([...texts.values()]);
  return new Map([...texts].map(([key, text]) => [key, wordFrom(text, difference)]));
}

// True if there was nothing to do.
function tellApart(rows: readonly LabelRow[], labels: string[]): boolean {
  const words = new Map([...sharedLabels(rows, labels)].map(([label, group]) => [label, wordsOf(group)]));
  if (words.size === 0) return true;
  rows.forEach(({ forms, columns }, row) => {
    const own = words.get(labels[row]);
    if (own) labels[row] = tellingLabel(forms, own.get(forms.key) ?? '', columns);
  });
  return false;
}

const inOrder = (a: readonly [string, unknown], b: readonly [string, unknown]): number => (a[0] < b[0] ? -1 : 1);

// The last resort. A number that another label has by chance is not used.
function numberEqualLabels(rows: readonly LabelRow[], labels: string[]): void {
  const shared = [...sharedLabels(rows, labels)].sort(inOrder),
    taken = new Set(labels),
    numbered = new Map<string, Map<string, string>>(), // by label, then by key
    columnsOfKey = new Map<string, number>();
  for (const { forms, columns } of [...rows].reverse()) columnsOfKey.set(forms.key, columns);
  for (const [label, group] of shared) {
    const own = new Map<string, string>();
    numbered.set(label, own);
    let number = 1;
    for (const [key] of [...group].sort(inOrder).slice(1)) {
      let text: string;
      do {
        const mark = ` (${++number})`;
        text = firstColumns(label, Math.max(0, columnsOfKey.get(key)! - mark.length)) + mark;
      } while (taken.has(text));
      taken.add(text);
      own.set(key, text);
    }
  }
  rows.forEach(({ forms, columns }, row) => {
    const text = numbered.get(labels[row])?.get(forms.key);
    if (text !== undefined) labels[row] = firstColumns(text, columns);
  });
}

// Another cut of a name that shows more than its last part: "alp..:run", not "..run". Empty if every such cut is the
// label of another name, too.
function otherCut({ forms: { forms, key }, columns }: LabelRow, keys: Map<string, string>): string {
  for (let i = forms.length - 1; i > 0 && columns >= FEWEST_FOR_OTHER_CUT; i--) {
    const cut = cutMiddle(withoutGap(forms[i]), columns);
    if ((keys.get(cut) ?? key) === key) return cut;
  }
  return '';
}

// A complete name retains its label, otherwise the widest row: its label says most.
function cutOrBlankEqualLabels(rows: readonly LabelRow[], labels: string[]): void {
  if (sharedLabels(rows, labels).size === 0) return;
  const best = new Map<string, number>();
  const isWhole = (row: number): boolean => labels[row] === rows[row].forms.name;
  const isBetter = (row: number, known: number): boolean =>
    isWhole(row) === isWhole(known) ? rows[row].columns > rows[known].columns : isWhole(row);
  labels.forEach((label, row) => {
    const known = best.get(label);
    if (known === undefined || isBetter(row, known)) best.set(label, row);
  });
  const keys = new Map([...best].map(([label, row]) => [label, rows[row].forms.key]));
  rows.forEach((row, i) => {
    if (labels[i] === '' || keys.get(labels[i]) === row.forms.key) return;
    labels[i] = otherCut(row, keys);
    if (labels[i] !== '' && !keys.has(labels[i])) keys.set(labels[i], row.forms.key);
  });
}

// The labels of the rows, in their order. `fit` may remember the label of a name in some columns.
export function labelsOf(
  rows: readonly LabelRow[],
  alike: Alike,
  fit: (forms: NameForms, columns: number) => string = fitted,
): string[] {
  const labels = rows.map(({ forms, columns }) => {
    if (alike === 'blank' && columns < FEWEST_FOR_CUT && !fits(forms, columns)) return '';
    const label = fit(forms, columns);
    return alike === 'blank' && forms.endMatters && !label.includes('+') ? '' : label; // half an offset says nothing
  });
  if (tellApart(rows, labels)) return labels;
  if (tellApart(rows, labels)) return labels; // those that share the word differ later
  if (alike === 'blank') cutOrBlankEqualLabels(rows, labels);
  else numberEqualLabels(rows, labels);
  return labels;
}
