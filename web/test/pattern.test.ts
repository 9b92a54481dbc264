// SPDX-License-Identifier: Apache-2.0
// A pattern matches the same names in the page and on the command line, or the page refuses it with a sentence.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compile, PatternError } from '../src/model/pattern.ts';
import { file, WICK } from './support.ts';

const NAMES = [
  'main',
  'Main',
  'MAIN',
  'a1b',
  'ab',
  'a b',
  'a\tb',
  'a\vb',
  'a-b',
  'a_b',
  'a]b',
  'a[b',
  'a{b',
  'a}b',
  'a{2}',
  'aa',
  'aaa',
  'a\\b',
  'a.b',
  'a^b',
  'a$b',
  'std::vector<int>::at(unsigned)',
  'operator()',
  'operator[]',
  'f(int*)',
  '{lambda#1}',
  '~T',
  'Größe',
  'größe',
  'GRÖSSE',
  'naïve',
  'a\u00a0b',
  'a\u2028b',
  '名前',
  '😀',
  'ÿ',
  'µ',
  'x'.repeat(40),
  '[unknown]',
  '0x1f',
  'é',
  'sK',
  'Maſse',
  'µs',
  'μ',
  'K',
  'ks',
  'ı',
];

const SHARED = [
  'main',
  '^main$',
  '(?i)main',
  '(?i)größe',
  '(?s)a.b',
  '(?is)A.B',
  '(?i)(?s)A.B',
  'a.b',
  '^..$',
  '^.$',
  '^...$',
  '[[:digit:]]',
  '[[:^digit:]]',
  '^[[:alpha:]]+$',
  '[[:upper:][:digit:]]',
  '[^[:word:]]',
  '[[:punct:]]',
  '[[:space:]]',
  '[[:blank:]]',
  '[[:xdigit:]]{4}',
  '[[:ascii:]]',
  '[^[:ascii:]]',
  '[[:print:]]',
  '[[:graph:]]',
  '[[:cntrl:]]',
  '[[:lower:]]',
  '[[:alnum:]]',
  '\\d',
  '\\D\\d',
  '\\w+',
  '\\W',
  'a\\sb',
  'a\\Sb',
  '[\\s]',
  '[\\S]',
  '[\\d\\]]',
  '[^\\w]',
  '[\\W]',
  '\\bmain\\b',
  '\\Bain',
  '\\Amain\\z',
  '\\Qa.b\\E',
  '\\Qa{2}',
  '\\x61',
  '\\x{61}b',
  '\\141',
  '\\12',
  '\\0',
  '\\t',
  '\\v',
  '[\\t]',
  '[\\x61-\\x63]b',
  'a{2}',
  'a{2,}',
  'a{2,3}',
  'a{',
  'a{,2}',
  'a{x}',
  '}',
  ']',
  'a]b',
  '[]a]',
  '[^]a]',
  '[a-]',
  '[-a]b',
  '[a\\-z]',
  '[+--]',
  '[[]',
  '[[:]',
  '[[:x]',
  '(a|b)b',
  '(?:a)b',
  '(?P<name>a)b',
  'a*?b',
  'a+?b',
  'a??b',
  '(a)(b)',
  '',
  '|',
  'a|',
  '\\.',
  '\\[',
  '\\{',
  '\\}',
  '\\/',
  '/',
  '\\-',
  '\\ ',
  'ö',
  '[ö]',
  '[^ö]',
  'é$',
  '[äöü]',
  '😀',
  '^.{4}$',
  '名.',
  '\\xc3',
  '[\\xc3]',
  '[[:^ascii:]]{3}',
  'x{40}',
  '(?i)[a-m]AIN',
  '(?i)[^a-z]',
  '(?i)[[:^lower:]]',
  '(?i)\\x{e9}',
  '(?i)[\\xe0-\\xff]',
  '$',
  '^',
  '^$',
  '.*',
  '\\b',
  '~',
  '#',
  '&&',
  '[a&&b]',
  'a\\nb',
  'a\\_b',
  'ö?main',
  'ö*main',
  '名{0}main',
  '(?i)\\W',
  '(?i)[\\Wx]',
  '(?i)[[:^word:]]',
  '(?i)[[:^alnum:]]',
  '(?i)[[:^alpha:]]',
  '(?i)[[:^upper:]]',
  '(?i)[[:^ascii:]]',
  '(?i)\\bs',
  '(?i)k\\b',
  '(?i)\\B.',
  '(?i)ſ',
  '(?i)[ſ]',
  '(?i)K',
  '(?i)^[k-s]+$',
  '(?i)[À-ſ]',
  '(?i)µ',
  '(?i)\\Qmain\\E',
  '\\Q\\pL\\E',
  'a{00002}',
  'a{0}b',
  '(a{10}){100}',
  '((a){10}b{20}){50}',
];
// RE2 and the page refuse these.
const WRONG = [
  '(',
  ')',
  'a)',
  '[',
  '[a',
  '[z-a]',
  '*',
  '+a',
  '**',
  'a**',
  'a{1001}',
  'a{2,1}',
  '\\',
  '\\1',
  '(a)\\1',
  '\\8',
  '\\y',
  '[a--b]',
  '\\Z',
  '\\G',
  '(?=a)',
  '(?!a)',
  '(?<=a)',
  '(?<!a)',
  '(?<name>a)',
  '(?',
  '(?x)a',
  '[[:nope:]]',
  '[\\b]',
  '[\\Q]',
  '\\x',
  '\\xg',
  '\\x{100}',
  '\\x{110000}',
  '[a-\\d]',
  '(?P<a',
  '(?P=a)',
  '\\é',
  '\\pL',
  '\\p{Greek}',
  '\\PL',
  '[\\pN]',
  '(a{100}){100}',
  '(a{2}){501}',
  '((a{10}){10}){11}',
  '[[:x]:]',
];
// The command line accepts these; the page does not translate them.
const ONLY_COMMAND_LINE = [
  'x'.repeat(100_000),
  'a\\C',
  'a(?i)b',
  '(?i:a)b',
  '(?U)a+',
  '(?m)^a',
  '(?-i)a',
  '^*a',
  '\\b+a',
];

const input = file('names.folded', NAMES.map((name) => `${name} 1\n`).join(''));

// The names that match on the command line, or null if it refuses the pattern.
function found(pattern: string): string[] | null {
  const done = spawnSync(WICK, ['convert', input, '--to', 'folded', `--focus=${pattern}`], { encoding: 'utf8' });
  if (done.status === 0)
    return done.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/ 1$/, ''))
      .sort();
  assert.match(done.stderr, /No sample is left|is not a regular expression/, pattern);
  return done.stderr.includes('No sample is left') ? [] : null;
}

test('a pattern finds in the page what it finds on the command line', () => {
  const wrong: string[] = [];
  for (const pattern of SHARED) {
    if (pattern === '') continue; // no filter
    const expected = found(pattern);
    const expression = compile(pattern, false);
    const matching = NAMES.filter((name) => expression.test(name)).sort();
    if (JSON.stringify(matching) !== JSON.stringify(expected)) {
      wrong.push(`${pattern}: page ${JSON.stringify(matching)}, command line ${JSON.stringify(expected)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('what the command line refuses is refused in the page', () => {
  for (const pattern of WRONG) {
    assert.equal(found(pattern), null, `RE2 takes ${pattern}`);
    assert.throws(() => compile(pattern, false), PatternError, pattern);
  }
});

test('what the page cannot translate is refused with a sentence', () => {
  for (const pattern of ONLY_COMMAND_LINE) {
    assert.notEqual(found(pattern), null, `RE2 refuses ${pattern}`);
    assert.throws(() => compile(pattern, false), PatternError, pattern);
  }
});
