// SPDX-License-Identifier: Apache-2.0
// The forms of a name, from the most complete to the shortest, from the ladder that wick wrote beside it
// (src/report/label_ladder.h). For the page and for the script of flame graph SVGs.

export interface NameForms {
  readonly name: string;
  readonly forms: readonly string[]; // at least one
  readonly endMatters: boolean; // a cut must leave the end: the offset of module+0x12
  readonly key: string; // the name and, after a zero, its origin: the module of one of several functions of that name
}

const OFFSET = /\+0x[0-9a-f]+$/;
const PATH = /^[^\s()<>]*\/[^\s()<>]*$/;

// "7,12,3": 7 characters are retained, 12 left out, 3 retained.
function partsOf(name: string, lengths: string): string {
  let out = '',
    at = 0;
  lengths.split(',').forEach((length, i) => {
    if (i % 2 === 0) out += name.slice(at, at + Number(length));
    at += Number(length);
  });
  return out;
}

function formOf(name: string, last: string, rung: string): string {
  const rest = rung.slice(1);
  switch (rung.charAt(0)) {
    case '':
      return name;
    case '"':
      return rest;
    case '.':
      return `..${last.slice(Number(rest))}`;
    case '-':
      return last.slice(Number(rest));
    case '/':
      return partsOf(name.replaceAll('/', '.'), rest);
    default:
      return partsOf(name, rung);
  }
}

export const withoutGap = (form: string): string => (form.length > 2 && form.startsWith('..') ? form.slice(2) : form);

// Without template arguments and parameters.
export const nameInText = ({ forms }: NameForms): string => forms[Math.min(1, forms.length - 1)];

const keyOf = (name: string, origin: string): string => (origin === '' ? name : `${name}\0${origin}`);

export function formsOf(name: string, ladder: string, origin = ''): NameForms {
  const rungs = ladder.split('\t'),
    endMatters = rungs[rungs.length - 1] === '$',
    forms: string[] = [];
  let last = name;
  for (const rung of endMatters ? rungs.slice(0, -1) : rungs) {
    const form = formOf(name, last, rung);
    forms.push(form);
    last = form.startsWith('..') ? form.slice(2) : form;
  }
  return { name, forms, endMatters, key: keyOf(name, origin) };
}

// Of a text that is not the name of a function: a path loses its directories, one by one.
export function formsOfText(text: string, origin = ''): NameForms {
  const forms = [text];
  for (
    let at = PATH.test(text) ? text.indexOf('/', 1) : -1;
    at >= 0 && at + 1 < text.length;
    at = text.indexOf('/', at + 1)
  )
    forms.push(`..${text.slice(at + 1)}`);
  return { name: text, forms, endMatters: OFFSET.test(text), key: keyOf(text, origin) };
}
