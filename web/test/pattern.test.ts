// SPDX-License-Identifier: Apache-2.0
// A pattern matches the same names in the page and on the command line, or both refuse it with the same sentence. The
// page may also refuse what the command line takes, with a sentence.
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
  '^*a',
  '\\b+main',
  '$?main$',
  '\\A{2}main',
  'a{1234567890}',
  '(?P<n>a)(?P<n>b)',
  '((((((((((a))))))))))b',
  '[a-ö-z]',
  '[^a-é--0]',
];
// At their limits, which both reach: repeats, nesting, length.
const LARGE = [
  'a{1000}',
  'a{0,1000}b',
  '(a{500}){2}',
  '((((ab){10}){10}){10})|main',
  `(${'ab'.repeat(4)}){1000}|main`,
  `${'('.repeat(200)}ab${')'.repeat(200)}`,
  `${'(?:'.repeat(1000)}ab${')'.repeat(1000)}`,
  `${'x'.repeat(5000)}|main`,
  `[${'xyz'.repeat(1000)}a]b`,
  `main|${'(a|b)'.repeat(300)}`,
  `main|${'('.repeat(300)}a${')'.repeat(300)}`,
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
  'a|*',
  '(|?)',
  '(*)',
  '(?:+a)',
  'a{1001,}',
  'a{0,1001}',
  'a{999999999}',
  'a*??',
  'a{2}{3}',
  'a{2}?+',
  '{2}',
  '(?i)*',
  '(a{1000}){2}',
  '(?P<',
  '(?P<a b>c)',
  '(?P<>a)',
  '(?P<é>a)',
  '(?i-)a',
  '(?i-i-)a',
  '(?-:a)',
  '(?i',
  '(?#a)',
  '(?>a)',
  '\\9',
  '(a)(b)\\2',
  '\\k<a>',
  '\\400',
  '\\x{41',
  '\\x{4g}',
  '\\x{}',
  '\\x4',
  '\\x4g',
  '\\x{100g}',
  '[\\400]',
  '[é-a]',
  '[é-ä]',
  '[a',
  '[^',
  '[a-',
  '[a\\',
  '[[:alpha:]',
  '(\\pL',
  'x'.repeat(100) + '(',
  '('.repeat(1001) + ')'.repeat(1000),
  '.{1000}'.repeat(120),
  `(${'x'.repeat(1000)}){1000}`,
  `(${'ab?'.repeat(700)}){1000}`,
  '(((a{10}){10}){10}b{1000}c{1000}d{1000})'.repeat(400),
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
  '(?)a',
  'a{1000}'.repeat(30),
];

const input = file('names.folded', NAMES.map((name) => `${name} 1\n`).join(''));

interface Answer {
  names: string[];
  problem: string; // why the command line refuses the pattern; then there are no names
}

const REFUSED = / is not a regular expression: (.*)\.\n$/s;

function found(pattern: string): Answer {
  const done = spawnSync(WICK, ['convert', input, '--to', 'folded', `--focus=${pattern}`], { encoding: 'utf8' });
  const lines = done.stdout.split('\n').filter((line) => line !== '');
  const problem = REFUSED.exec(done.stderr)?.[1] ?? '';
  if (done.status !== 0 && problem === '') assert.match(done.stderr, /No sample is left/, pattern);
  return { names: lines.map((line) => line.replace(/ 1$/, '')).sort(), problem };
}

// Why the page refuses a pattern.
function problemInPage(pattern: string): string {
  try {
    compile(pattern, false);
    return '';
  } catch (error) {
    assert.ok(error instanceof PatternError, pattern);
    return error.message;
  }
}

const shown = (pattern: string): string => (pattern.length > 60 ? `${pattern.slice(0, 60)}...` : pattern);

test('a pattern finds in the page what it finds on the command line', () => {
  const wrong: string[] = [];
  for (const pattern of [...SHARED, ...LARGE]) {
    if (pattern === '') continue; // no filter
    const { names, problem } = found(pattern);
    assert.equal(problem, '', `RE2 refuses ${shown(pattern)}`);
    const expression = compile(pattern, false);
    const matching = NAMES.filter((name) => expression.test(name)).sort();
    if (JSON.stringify(matching) !== JSON.stringify(names)) {
      wrong.push(`${shown(pattern)}: page ${JSON.stringify(matching)}, command line ${JSON.stringify(names)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('what the command line refuses is refused in the page, with the same sentence', () => {
  const wrong: string[] = [];
  for (const pattern of WRONG) {
    const { problem } = found(pattern);
    assert.notEqual(problem, '', `RE2 takes ${shown(pattern)}`);
    const inPage = problemInPage(pattern);
    if (inPage !== problem) wrong.push(`${shown(pattern)}: page "${inPage}", command line "${problem}"`);
  }
  assert.deepEqual(wrong, []);
});

test('what the page cannot translate is refused with a sentence', () => {
  for (const pattern of ONLY_COMMAND_LINE) {
    assert.equal(found(pattern).problem, '', `RE2 refuses ${shown(pattern)}`);
    assert.match(problemInPage(pattern), /^the page |^it is too large/, shown(pattern));
  }
});
