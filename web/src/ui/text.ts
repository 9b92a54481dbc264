// Text as the page shows it: foreign names made harmless, labels cut to their room, amounts in words.
//
// Names come from files of strangers. They reach the page only through textContent or a canvas, so markup
// in them is dead already; what remains are characters that change how the text around them reads (controls,
// bidirectional overrides, invisible ones): visible() spells those out. Amounts and labels follow the same rules
// as the flame graph SVG (src/views/svg/text.js), so that a number reads alike everywhere.

// Longer names are never useful on a screen; the middle goes, and says how much it was.
const LONGEST_NAME = 4096;

const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/gu;

function spellOut(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

// The name with nothing in it that hides, reorders or floods.
export function visible(name: string): string {
  let text = name;
  if (text.length > LONGEST_NAME) {
    const left = text.slice(0, LONGEST_NAME - 512),
      right = text.slice(-512);
    text = `${left} \u2026 ${thousands(name.length - LONGEST_NAME)} more characters \u2026 ${right}`;
  }
  return text.replace(HIDDEN, spellOut);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARKS = /[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u1ab0-\u1aff\u20d0-\u20ff]/;
const PLAIN = /^[\x20-\u02ff]*$/;

function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const c of text) columns += c < '\u0300' ? 1 : WIDE.test(c) ? 2 : MARKS.test(c) ? 0 : 1;
  return columns;
}

function firstColumns(text: string, columns: number): string {
  let out = '';
  for (const c of text) {
    columns -= columnsOf(c);
    if (columns < 0) break;
    out += c;
  }
  return out;
}

const OPERATOR = /^operator(\(\)|\[\]|[<>=!+\-*/%^&|~,]{2}=|[<>=!+\-*/%^&|~,]{0,2})/;
const WORD = /[\w$\u0080-\uffff]/;
const WORD_OR_ANGLE = /[\w$>\u0080-\uffff]/;

// Template arguments and parameter lists removed; the name itself when its brackets do not match.
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

// At most `columns` columns of a name that visible() has seen; the telling end stays.
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

// Of the fixed-width font in tables, at 12 pixels.
const COLUMN_WIDTH = 7.4;

// A name cut to so many pixels of a table; all of it when the room is not known.
export function fitLabel(name: string, width: number): string {
  return width > 0 ? shortLabel(name, Math.max(8, Math.floor(width / COLUMN_WIDTH))) : name;
}

// The last component of a path: what people call a module or file.
export function baseName(path: string): string {
  const end = path.lastIndexOf('/');
  return end >= 0 && end + 1 < path.length ? path.slice(end + 1) : path;
}

export const thousands = (value: number): string => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');

const SCALES = new Map<string, [number, string][]>([
  [
    'nanoseconds',
    [
      [1e9, 's'],
      [1e6, 'ms'],
      [1e3, '\u00b5s'],
      [1, 'ns'],
    ],
  ],
  [
    'bytes',
    [
      [2 ** 30, 'GiB'],
      [2 ** 20, 'MiB'],
      [2 ** 10, 'KiB'],
      [1, 'B'],
    ],
  ],
]);

// "1.25 s", "1,234 samples".
export function amount(weight: number, unit: string): string {
  if (weight < 0) return '\u2212' + amount(-weight, unit);
  const scales = SCALES.get(unit);
  if (scales) {
    if (weight === 0) return `0 ${unit === 'bytes' ? 'B' : 's'}`;
    const [factor, suffix] = scales.find(([size]) => weight >= size) ?? scales[scales.length - 1];
    const value = weight / factor;
    return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${suffix}`;
  }
  const whole = Number.isInteger(weight) || weight >= 1e6;
  const number = whole ? thousands(weight) : weight < 1 ? String(Number(weight.toPrecision(4))) : weight.toFixed(2);
  const word = weight === 1 ? unit.replace(/s$/, '') : unit;
  return unit ? `${number} ${word}` : number;
}

// For columns of numbers: the unit only where it differs from row to row.
export function cellAmount(weight: number, unit: string): string {
  return SCALES.has(unit) ? amount(weight, unit) : amount(weight, '');
}

// "12.34 %"; never rounds something down to nothing.
export function percent(fraction: number): string {
  if (!(fraction > 0)) return '0 %';
  return fraction < 0.0001 ? 'under 0.01 %' : `${(100 * fraction).toFixed(2)} %`;
}

// For sentences: "57 %", "4.2 %", "under 1 %".
export function roundPercent(fraction: number): string {
  if (fraction > 0 && fraction < 0.001) return 'under 0.1 %';
  return `${(100 * fraction).toFixed(fraction < 0.0995 ? 1 : 0)} %`;
}

export function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : value < 0 ? `\u2212${text.replace(/^\u2212/, '')}` : text;
}

const TIME_UNITS: [number, string][] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, '\u00b5s'],
  [1, 'ns'],
];
const timeUnit = (ns: number): [number, string] => TIME_UNITS.find(([size]) => ns >= 2 * size) ?? [1, 'ns'];

// A moment or length on the time axis, with digits that suit a window of `span` nanoseconds.
export function clock(ns: number, span: number): string {
  const [factor, suffix] = timeUnit(span);
  const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(span / factor / 400))));
  return `${(ns / factor).toFixed(digits)} ${suffix}`;
}

// A round time on an axis: as many digits as its steps need.
export function tickText(ns: number, step: number, largest: number): string {
  const [factor, suffix] = timeUnit(largest);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / factor) - 1e-9)));
  return `${(ns / factor).toFixed(digits)} ${suffix}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${thousands(count)} ${count === 1 ? one : many}`;
}

// "alpha", "alpha and beta", "alpha, beta and gamma", and "5 hosts" where there are more.
export function listed(names: string[], many: string): string {
  if (names.length < 2) return names.join('');
  return names.length > 3
    ? `${thousands(names.length)} ${many}`
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

// A probability in a table; nothing where none is known.
export function chanceText(chance: number): string {
  if (Number.isNaN(chance)) return '\u2013';
  return chance < 0.001 ? '< 0.001' : chance.toFixed(3);
}
