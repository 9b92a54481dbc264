// SPDX-License-Identifier: Apache-2.0
// Cuts names to a number of columns of a fixed-width font, for the page and for the script of flame graph SVGs
// (web/src/svg/text.ts). The rules are those of src/views/svg/label.cc, so a picture looks the same when its script
// lays it out again.

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u1ab0-\u1aff\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f]/;
const PLAIN = /^[\x20-\u02ff]*$/;

export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const c of text) columns += c < '\u0300' ? 1 : WIDE.test(c) ? 2 : MARKS.test(c) ? 0 : 1;
  return columns;
}

export function firstColumns(text: string, columns: number): string {
  let out = '';
  for (const c of text) {
    columns -= columnsOf(c);
    if (columns < 0) break;
    out += c;
  }
  return out;
}

export function wrappedLines(text: string, columns: number): string[] {
  const lines: string[] = [];
  while (text) {
    let line = firstColumns(text, Math.max(1, columns)) || text[0];
    const space = line.lastIndexOf(' ');
    if (line.length < text.length && text[line.length] !== ' ' && space > 0) line = line.slice(0, space);
    lines.push(line);
    text = text.slice(line.length).replace(/^ +/, '');
  }
  return lines;
}

const OPERATOR = /^operator(\(\)|\[\]|[<>=!+\-*/%^&|~,]{2}=|[<>=!+\-*/%^&|~,]{0,2})/;
const WORD = /[\w$\u0080-\uffff]/;
const WORD_OR_ANGLE = /[\w$>\u0080-\uffff]/;

// The name without template arguments and parameter lists; unchanged if its brackets do not match.
export function withoutArguments(name: string): string {
  let out = '',
    depth = 0;
  for (let i = 0; i < name.length; i++) {
    const c = name.charAt(i),
      before = name.charAt(i - 1);
    const opens = c === '<' || c === '(',
      closes = c === ')' || (c === '>' && i > 0 && before !== '-');
    if (depth > 0) {
      depth += opens ? 1 : closes ? -1 : 0;
      continue;
    }
    const sign = c === 'o' && !WORD.test(before) ? OPERATOR.exec(name.slice(i, i + 12)) : null;
    if (sign) {
      out += sign[0];
      i += sign[0].length - 1;
      const opener = /^( ?<|\()/.exec(name.slice(i + 1, i + 3));
      if (opener) {
        depth = 1;
        i += opener[0].length;
      }
    } else if (opens && WORD_OR_ANGLE.test(before)) {
      depth = 1;
    } else {
      out += c;
    }
  }
  return depth > 0 ? name : out.replace(/ const$/, '');
}

function componentStarts(name: string): number[] {
  const result: number[] = [];
  for (let i = 0, depth = 0; i + 1 < name.length; i++) {
    const c = name.charAt(i);
    if (c === '<' || c === '(' || c === '{') depth++;
    else if ((c === '>' && i > 0 && name[i - 1] !== '-') || c === ')' || c === '}') depth = Math.max(0, depth - 1);
    else if (depth === 0 && (c === '/' || (c === ':' && name[i - 1] === ':' && name[i + 1] !== ':')))
      result.push(i + 1);
  }
  return result;
}

// The beginning of a text that is not the name of a function: "worker 7 (host)".
export function cutText(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : firstColumns(text, Math.max(0, columns - 2)) + '..';
}

// At most `columns` columns of a name; retains its end, which says most.
export function shortLabel(name: string, columns: number): string {
  if (columns < 3) return '';
  if (columnsOf(name) <= columns) return name;
  const plain = withoutArguments(name);
  if (columnsOf(plain) <= columns) return plain;
  let rest = plain;
  for (const start of componentStarts(plain)) {
    rest = plain.slice(start);
    if (columnsOf(rest) + 2 <= columns) return '..' + rest;
  }
  return cutText(rest, columns);
}
