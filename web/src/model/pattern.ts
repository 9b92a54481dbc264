// SPDX-License-Identifier: Apache-2.0
// Regular expressions with the same meaning in the page as on the command line, where RE2 matches the characters of
// names. (Names that are not UTF-8 are matched as bytes there; a page has none.)
//
// JavaScript has another syntax and other classes, so a pattern is translated into a JavaScript expression with the flag
// for Unicode. The page refuses what wick refuses, in the words of src/base/pattern.cc. It also refuses what it does not
// translate (flags that are not at the start, \C), and very large patterns sooner. It never matches something else.

import { inAllCases, type Range } from './letter_cases.ts';

export interface Pattern {
  test(text: string): boolean;
}

export class PatternError extends Error {}

const LAST_CHARACTER = 0x10ffff;
const LAST_ESCAPED = 0xff; // wick refuses higher ones, since it also compiles patterns for bytes
const MAX_REPEATS = 1000; // as in RE2
// Characters of a pattern, those of repeated parts as often as they are repeated. What is too large for wick has more:
// it takes 700,000 steps, and no character (of .{1000} and the like) takes more than 30.
const MAX_SIZE = 20_000;
const SHOWN_CHARACTERS = 60;
const TOO_LARGE = 'it is too large; use a shorter one, or fewer repetitions';
const NO_BRACKET = 'a [ has no ]; write \\[ for the character itself';
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

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= SHOWN_CHARACTERS ? text : `${characters.slice(0, SHOWN_CHARACTERS).join('')}...`;
}

// What to know about a kind of group that patterns do not have.
function insteadOfGroup(start: string): string {
  if (start === '(?<') return ': a named group is (?P<name>...), and a pattern cannot look back';
  return start === '(?=' || start === '(?!' ? ': a pattern cannot look ahead' : '';
}

// What is known of a group that is still open: how often it repeats its parts at most, and its size.
interface Group {
  repeats: number;
  size: number;
}

class Translator {
  private at = 0;
  private readonly pattern: string;
  private anyCharacter = false; // (?s): a dot also matches the end of a line
  private ignoresCase: boolean;
  private readonly groups: Group[] = [{ repeats: 1, size: 0 }];
  // Of the part before the current position: whether there is one that can be repeated, how often it repeats its own
  // parts, its size, and where its repetition begins, -1 if it has none.
  private canRepeat = false;
  private lastRepeats = 1;
  private lastSize = 0;
  private repetition = -1;

  constructor(pattern: string, ignoreCase: boolean) {
    this.pattern = pattern;
    this.ignoresCase = ignoreCase;
  }

  run(): string {
    for (const [escape] of this.pattern.matchAll(/\\(?:Q[^]*?(?:\\E|$)|[^])/g)) {
      if (/^\\p/i.test(escape)) throw new PatternError('classes of Unicode (\\p) are not supported');
    }
    this.readFlags();
    let out = '';
    while (this.at < this.pattern.length) out += this.readRepetition() ?? this.readPart();
    if (this.groups.length > 1) throw new PatternError('a ( has no ); write \\( for the character itself');
    return out;
  }

  // One or more of (?i), (?s) and (?is) at the start.
  private readFlags(): void {
    const flags = this.takeMatch(/(?:\(\?[is]+\))*/y)?.[0] ?? '';
    this.ignoresCase ||= flags.includes('i');
    this.anyCharacter = flags.includes('s');
  }

  private readPart(): string {
    const start = this.at;
    this.lastRepeats = 1;
    this.repetition = -1;
    this.canRepeat = true;
    const translated = this.readPartAt(start);
    if (this.pattern[start] !== ')') this.lastSize = this.at - start;
    this.addSize(this.at - start);
    return translated;
  }

  private readPartAt(start: number): string {
    const char = this.next();
    switch (char) {
      case '\\':
        return this.readEscape();
      case '[':
        return this.readClass();
      case '(':
        return this.readGroup(start);
      case '.':
        return this.anyCharacter ? '[^]' : '[^\\n]';
      case '{':
      case ']':
      case '}':
        return `\\${char}`;
      case ')':
        return this.endGroup();
      case '|':
        this.canRepeat = false;
        return char;
      case '^':
      case '$':
        return this.assertion(char);
      default:
        return this.literal(char.codePointAt(0) ?? 0);
    }
  }

  // JavaScript only repeats an assertion that is in a group.
  private assertion(text: string): string {
    return /^[*+?{]/.test(this.pattern.slice(this.at, this.at + 1)) ? `(?:${text})` : text;
  }

  private addSize(size: number): void {
    const group = this.groups[this.groups.length - 1];
    group.size += size;
    if (group.size > MAX_SIZE) throw new PatternError(TOO_LARGE);
  }

  // The characters from `start` to the current position, as messages quote them.
  private quote(start: number): string {
    return shortened(this.pattern.slice(start, this.at));
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
    const group = this.groups.pop();
    if (group === undefined || this.groups.length === 0) {
      throw new PatternError('a ) has no (; write \\) for the character itself');
    }
    this.lastRepeats = group.repeats;
    this.lastSize = group.size + 1;
    this.addSize(group.size);
    this.countRepeats();
    return ')';
  }

  private countRepeats(): void {
    const group = this.groups[this.groups.length - 1];
    group.repeats = Math.max(group.repeats, this.lastRepeats);
  }

  private readGroup(start: number): string {
    this.groups.push({ repeats: 1, size: 0 });
    this.canRepeat = false;
    if (!this.take('?')) return '(';
    if (this.pattern.startsWith('P<', this.at) && this.at + 2 < this.pattern.length) return this.readGroupName(start);
    const flags = this.takeMatch(/[imsU]*(?:-[imsU]+)?[:)]/y)?.[0];
    if (flags === ':') return '(?:';
    if (flags !== undefined) throw new PatternError('the page supports only the flags (?i) and (?s), at the start');
    this.takeMatch(/[imsU]*(?:-[imsU]*)?[^]?/uy);
    throw new PatternError(`${this.quote(start)} is not supported${insteadOfGroup(this.quote(start))}`);
  }

  private readGroupName(start: number): string {
    const name = this.takeMatch(/P<[^>]*(?:>|$)/y)?.[0] ?? '';
    if (!/^P<[0-9A-Za-z_]+>$/.test(name)) {
      throw new PatternError(`${this.quote(start)} is not a named group, (?P<name>...)`);
    }
    return '(';
  }

  // Null if there is none.
  private readRepetition(): string | null {
    const start = this.at;
    const match = this.takeMatch(/(?:[*+?]|\{(0|[1-9]\d{0,8})(?:,(0|[1-9]\d{0,8})?)?\})\??/y);
    if (match === null) return null;
    const text = this.quote(start);
    if (this.repetition >= 0) throw new PatternError(`${this.quote(this.repetition)} repeats a repetition`);
    const least = Number(match[1] ?? 0);
    const most = Number(match[2] ?? least);
    if (most < least) throw new PatternError(`the repetition ${text} is reversed`);
    this.lastRepeats *= Math.max(1, most);
    if (most > MAX_REPEATS) throw this.tooOften(text);
    if (!this.canRepeat) {
      throw new PatternError(
        `there is nothing before ${text} to repeat; write .* for any text, or \\${text} for the character`,
      );
    }
    if (this.lastRepeats > MAX_REPEATS) throw this.tooOften(text);
    this.countRepeats();
    this.addSize(this.lastSize * Math.max(0, most - 1) + match[0].length);
    this.repetition = start;
    return match[0];
  }

  private tooOften(text: string): PatternError {
    return new PatternError(`${text} repeats too often, at most ${MAX_REPEATS} times`);
  }

  private readEscape(): string {
    const char = this.pattern[this.at];
    if (char === 'b' || char === 'B') return this.assertion(`\\${this.next()}`);
    if (this.take('A')) return this.assertion('^');
    if (this.take('z')) return this.assertion('$');
    if (this.take('C')) throw new PatternError('the page does not support \\C');
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
    const start = this.at - 1;
    if (this.at >= this.pattern.length) {
      throw new PatternError('it ends with a backslash; write \\\\ for the character itself');
    }
    const octal = this.takeMatch(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
    if (octal !== null) return this.checkEscaped(Number.parseInt(octal[0], 8));
    if (this.take('x')) return this.readHex(start);
    const char = this.next();
    const control = CONTROL.get(char);
    if (control !== undefined) return control;
    if (/^[\x00-\x7f]$/.test(char) && !/[0-9A-Za-z]/.test(char)) return char.charCodeAt(0);
    if (/[1-9]/.test(char)) {
      throw new PatternError(`${this.quote(start)} is not supported: a pattern cannot refer back to a group`);
    }
    throw this.badEscape(start);
  }

  // After \x.
  private readHex(start: number): number {
    const pair = this.takeMatch(/[0-9A-Fa-f]{2}/y);
    if (pair !== null) return Number.parseInt(pair[0], 16);
    const digits = this.takeMatch(/\{([0-9A-Fa-f]+)(?:\}|$)/y);
    const value = Number.parseInt(digits?.[1] ?? '0', 16);
    if (digits?.[0].endsWith('}') || value > LAST_ESCAPED) return this.checkEscaped(value);
    if (digits === null) this.takeMatch(/\{[0-9A-Fa-f]*[^]?|[^]{0,2}/uy);
    throw this.badEscape(start);
  }

  private badEscape(start: number): PatternError {
    return new PatternError(`the escape ${this.quote(start)} has no meaning; write \\\\ for a backslash`);
  }

  private checkEscaped(value: number): number {
    if (value > LAST_ESCAPED) {
      throw new PatternError('the highest character of an escape is \\xff; write the character itself');
    }
    return value;
  }

  private readClass(): string {
    const negated = this.take('^');
    const ranges: Range[] = [];
    for (let first = true; first || this.pattern[this.at] !== ']'; first = false) {
      if (this.at >= this.pattern.length) throw new PatternError(NO_BRACKET);
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
      if (ranges === undefined) throw new PatternError(`there is no class ${shortened(posix[0])}`);
      return this.namedClass(ranges, posix[1] === '^');
    }
    if (!this.take('\\')) return null;
    const ranges = this.readPerlClass();
    if (ranges === null) --this.at;
    return ranges;
  }

  private readRange(): Range[] {
    const start = this.at;
    const low = this.readClassCharacter();
    if (!/^-[^\]]/.test(this.pattern.slice(this.at, this.at + 2))) return this.inItsCases([[low, low]]);
    ++this.at;
    const high = this.readClassCharacter();
    if (high < low) throw new PatternError(`the range ${this.quote(start)} is reversed`);
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
    const isTooLarge = error instanceof RangeError || /too (large|big|much)/i.test((error as Error).message);
    throw new PatternError(isTooLarge ? TOO_LARGE : 'it cannot be compiled');
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
