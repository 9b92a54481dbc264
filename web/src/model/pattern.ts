// SPDX-License-Identifier: Apache-2.0
// Regular expressions with the same meaning in the page as on the command line, where RE2 matches the characters of
// names. (Names that are not UTF-8 are matched as bytes there; a page has none.)
//
// JavaScript has another syntax and other classes, so a pattern is translated into a JavaScript expression with the flag
// for Unicode. The page refuses what wick refuses, and the few features that it does not translate (flags that are not
// at the start, \C). It says so in a sentence, and never matches something else.

import { inAllCases, type Range } from './letter_cases.ts';

export interface Pattern {
  test(text: string): boolean;
}

export class PatternError extends Error {}

const LAST_CHARACTER = 0x10ffff;
const LAST_ESCAPED = 0xff; // wick refuses higher ones, since it also compiles patterns for bytes
const MAX_REPEATS = 1000; // as in RE2
const DIGITS: Range[] = [[0x30, 0x39]];
const WORD: Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

const POSIX = new Map<string, Range[]>([
  [
    'alnum',
    [
      [0x30, 0x39],
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  [
    'alpha',
    [
      [0x41, 0x5a],
      [0x61, 0x7a],
    ],
  ],
  ['ascii', [[0x00, 0x7f]]],
  [
    'blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    'cntrl',
    [
      [0x00, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ['digit', DIGITS],
  ['graph', [[0x21, 0x7e]]],
  ['lower', [[0x61, 0x7a]]],
  ['print', [[0x20, 0x7e]]],
  [
    'punct',
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    'space',
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ['upper', [[0x41, 0x5a]]],
  ['word', WORD],
  [
    'xdigit',
    [
      [0x30, 0x39],
      [0x41, 0x46],
      [0x61, 0x66],
    ],
  ],
]);

const PERL = new Map<string, Range[]>([
  ['d', DIGITS],
  ['w', WORD],
  ['s', SPACE],
]);

const CONTROL = new Map<string, number>([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);

// `ranges` are in ascending order.
function complement(ranges: Range[]): Range[] {
  const out: Range[] = [];
  let next = 0;
  for (const [low, high] of ranges) {
    if (low > next) out.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST_CHARACTER) out.push([next, LAST_CHARACTER]);
  return out;
}

const escaped = (code: number): string => `\\u{${code.toString(16)}}`;
const classOf = (ranges: Range[], negated: boolean): string =>
  `[${negated ? '^' : ''}${ranges.map(([low, high]) => (low === high ? escaped(low) : `${escaped(low)}-${escaped(high)}`)).join('')}]`;

class Translator {
  private at = 0;
  private readonly pattern: string;
  private anyCharacter = false; // (?s): a dot also matches the end of a line
  private ignoresCase: boolean;
  // How often the last part is repeated, and the parts of each open group at most. RE2 limits their product.
  private lastRepeats = 1;
  private readonly groupRepeats = [1];

  constructor(pattern: string, ignoreCase: boolean) {
    this.pattern = pattern;
    this.ignoresCase = ignoreCase;
  }

  run(): string {
    this.readFlags();
    let out = '';
    while (this.at < this.pattern.length) out += this.readPart();
    return out;
  }

  // One or more of (?i), (?s) and (?is) at the start.
  private readFlags(): void {
    const flags = this.takeMatch(/(?:\(\?[is]+\))*/y)?.[0] ?? '';
    this.ignoresCase ||= flags.includes('i');
    this.anyCharacter = flags.includes('s');
  }

  private readPart(): string {
    const char = this.next();
    if (!/^[{*+?]$/.test(char)) this.lastRepeats = 1;
    switch (char) {
      case '\\':
        return this.readEscape();
      case '[':
        return this.readClass();
      case '(':
        return this.readGroup();
      case '{':
        return this.readRepeat();
      case '.':
        return this.anyCharacter ? '[^]' : '[^\\n]';
      case ']':
      case '}':
        return `\\${char}`;
      case ')':
        return this.endGroup();
      case '|':
      case '^':
      case '$':
      case '*':
      case '+':
      case '?':
        return char;
      default:
        return this.literal(char.codePointAt(0) ?? 0);
    }
  }

  private literal(code: number): string {
    const cases = this.inItsCases([[code, code]]);
    return cases.length === 1 && cases[0][0] === cases[0][1] ? escaped(code) : classOf(cases, false);
  }

  private inItsCases(ranges: Range[]): Range[] {
    return this.ignoresCase ? inAllCases(ranges) : ranges;
  }

  // The next character, which can be two units of a string.
  private next(): string {
    const char = String.fromCodePoint(this.pattern.codePointAt(this.at) ?? 0);
    this.at += char.length;
    return char;
  }

  // Consumes the text if it is next.
  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  // Consumes a match of the expression, which is sticky, at the current position.
  private takeMatch(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const match = expression.exec(this.pattern);
    if (match !== null) this.at += match[0].length;
    return match;
  }

  private endGroup(): string {
    if (this.groupRepeats.length > 1) this.lastRepeats = this.groupRepeats.pop() ?? 1;
    this.countRepeats(1);
    return ')';
  }

  private countRepeats(times: number): void {
    this.lastRepeats *= Math.max(1, times);
    if (this.lastRepeats > MAX_REPEATS) throw new PatternError(`it repeats more than ${MAX_REPEATS} times`);
    const group = this.groupRepeats.length - 1;
    this.groupRepeats[group] = Math.max(this.groupRepeats[group], this.lastRepeats);
  }

  private readGroup(): string {
    this.groupRepeats.push(1);
    if (!this.take('?')) return '(';
    if (this.take(':')) return '(?:';
    if (this.takeMatch(/P<[0-9A-Za-z_]+>/y) !== null) return '(';
    if (this.takeMatch(/[imsU-]+[:)]/y) !== null) {
      throw new PatternError('only (?i) and (?s) at the start of a pattern are supported here');
    }
    throw new PatternError(`(?${this.pattern.slice(this.at, this.at + 1)} is not supported`);
  }

  private readRepeat(): string {
    const match = this.takeMatch(/(0|[1-9]\d*)(?:,(0|[1-9]\d*)?)?\}/y);
    if (match === null) {
      this.lastRepeats = 1;
      return '\\{';
    }
    this.countRepeats(Number(match[2] ?? match[1]));
    return `{${match[0]}`;
  }

  private readEscape(): string {
    const char = this.pattern[this.at];
    if (char === 'b' || char === 'B') return `\\${this.next()}`;
    if (this.take('A')) return '^';
    if (this.take('z')) return '$';
    if (this.take('C')) throw new PatternError('\\C is not supported here');
    if (this.take('Q')) return this.readQuoted();
    const ranges = this.readPerlClass();
    return ranges !== null ? classOf(ranges, false) : this.literal(this.readEscaped());
  }

  private readQuoted(): string {
    const end = this.pattern.indexOf('\\E', this.at);
    const text = this.pattern.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.pattern.length : end + 2;
    return Array.from(text, (char) => this.literal(char.codePointAt(0) ?? 0)).join('');
  }

  // After a backslash.
  private readPerlClass(): Range[] | null {
    const char = this.pattern[this.at];
    if (char === 'p' || char === 'P') throw new PatternError(`\\${char} is not supported here`);
    const ranges = PERL.get(char?.toLowerCase() ?? '');
    if (ranges === undefined) return null;
    ++this.at;
    return this.namedClass(ranges, char !== char.toLowerCase());
  }

  // As in RE2, a class gets the other cases before it is negated.
  private namedClass(ranges: Range[], negated: boolean): Range[] {
    const cases = this.inItsCases(ranges);
    return negated ? complement(cases) : cases;
  }

  // After a backslash: the character that the escape means.
  private readEscaped(): number {
    if (this.at >= this.pattern.length)
      throw new PatternError('it ends with a backslash; write \\\\ for the character itself');
    const octal = this.takeMatch(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
    if (octal !== null) return this.checkEscaped(Number.parseInt(octal[0], 8));
    const hex = this.takeMatch(/x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y);
    if (hex !== null) return this.checkEscaped(Number.parseInt(hex[1] ?? hex[2], 16));
    const char = this.next();
    const control = CONTROL.get(char);
    if (control !== undefined) return control;
    if (/^[\x00-\x7f]$/.test(char) && !/[0-9A-Za-z]/.test(char)) return char.charCodeAt(0);
    throw new PatternError(`the escape \\${char} has no meaning; write \\\\ for a backslash`);
  }

  private checkEscaped(value: number): number {
    if (value > LAST_ESCAPED) throw new PatternError('escapes end at \\xff; write the character itself');
    return value;
  }

  private readClass(): string {
    const negated = this.take('^');
    const ranges: Range[] = [];
    for (let first = true; first || this.pattern[this.at] !== ']'; first = false) {
      if (this.at >= this.pattern.length) throw new PatternError('a [ has no ]; write \\[ for the character itself');
      ranges.push(...(this.readNamedClass() ?? this.readRange()));
    }
    ++this.at;
    return classOf(ranges, negated);
  }

  // [:alpha:], \d and the like.
  private readNamedClass(): Range[] | null {
    const posix = this.takeMatch(/\[:(\^?)(.*?):\]/sy);
    if (posix !== null) {
      const ranges = POSIX.get(posix[2]);
      if (ranges === undefined) throw new PatternError(`there is no class ${posix[0]}`);
      return this.namedClass(ranges, posix[1] === '^');
    }
    if (!this.take('\\')) return null;
    const ranges = this.readPerlClass();
    if (ranges === null) --this.at;
    return ranges;
  }

  private readRange(): Range[] {
    const low = this.readClassCharacter();
    if (this.pattern[this.at] !== '-' || this.pattern[this.at + 1] === ']') return this.inItsCases([[low, low]]);
    ++this.at;
    if (this.at >= this.pattern.length) throw new PatternError('a [ has no ]; write \\[ for the character itself');
    const high = this.readClassCharacter();
    if (high < low) throw new PatternError('a range in [] is reversed');
    return this.inItsCases([[low, high]]);
  }

  private readClassCharacter(): number {
    return this.take('\\') ? this.readEscaped() : (this.next().codePointAt(0) ?? 0);
  }
}

function expressionOf(translated: string): RegExp {
  try {
    const expression = new RegExp(translated, 'u');
    expression.test(''); // browsers compile it now, and may find that it is too large
    return expression;
  } catch (error) {
    // The browser's message quotes the translated expression before the reason.
    throw new PatternError((error as Error).message.replace(/^.*\/u: /s, '').toLowerCase());
  }
}

// Names in a page have visible escapes in place of control characters and of characters without a shape
// (base/escape.h). A pattern matches the characters themselves, as on the command line.
const ESCAPES =
  /\\x([01][0-9a-f]|7f)|\\u(00ad|034f|061c|115f|1160|17b[45]|180[b-f]|20[0-6][0-9a-f]|3164|fe0[0-9a-f]|feff|ffa0|fff[0-9ab])/g;

function withoutEscapes(name: string): string {
  if (!name.includes('\\')) return name;
  return name.replace(ESCAPES, (_, byte: string | undefined, code: string) =>
    String.fromCharCode(Number.parseInt(byte ?? code, 16)),
  );
}

// Throws a PatternError that says what is wrong.
export function compile(pattern: string, ignoreCase: boolean): Pattern {
  const expression = expressionOf(new Translator(pattern, ignoreCase).run());
  return { test: (text) => expression.test(withoutEscapes(text)) };
}
