// SPDX-License-Identifier: Apache-2.0
// Text in columns of a fixed-width font, for the page and for the script of flame graph SVGs. The rules are those of
// src/views/names.cc.

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u1ab0-\u1aff\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f]/;
const PLAIN = /^[\x20-\u02ff]*$/;
const GAP = '..';

export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const c of text) columns += c < '\u0300' ? 1 : WIDE.test(c) ? 2 : MARKS.test(c) ? 0 : 1;
  return columns;
}

export function firstColumns(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let out = '';
  for (const c of text) {
    columns -= columnsOf(c);
    if (columns < 0) break;
    out += c;
  }
  return out;
}

// As whole characters.
function lastColumns(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(Math.max(0, text.length - columns));
  let excess = columnsOf(text) - columns,
    at = 0;
  for (const c of text) {
    if (excess <= 0) break;
    excess -= columnsOf(c);
    at += c.length;
  }
  return text.slice(at);
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

// The beginning of a text that is not a name: "worker 7 (host)".
export function cutText(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : firstColumns(text, Math.max(0, columns - 2)) + GAP;
}

// Both ends of a name.
export function cutMiddle(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  if (columns <= GAP.length + 1) return GAP.slice(0, Math.max(0, columns));
  const room = columns - GAP.length,
    head = firstColumns(text, Math.floor(room / 2));
  return head + GAP + lastColumns(text.slice(head.length), room - columnsOf(head));
}

// The end of a name whose end says most.
export function cutHead(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  if (columns <= GAP.length) return GAP.slice(0, Math.max(0, columns));
  return GAP + lastColumns(text, columns - GAP.length);
}
