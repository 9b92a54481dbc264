// SPDX-License-Identifier: Apache-2.0
// The labels of a screen. Compares the page's with a table of the C++ side's (src/views/labels_table_test.cc writes it),
// and checks over real names of each language, with the ladders of a page that wick wrote, that no two look alike.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { initialState } from '../src/model/interface.ts';
import { formsOf, formsOfText, type NameForms } from '../src/ui/label_forms.ts';
import { labelOf, labelsOf, shortLabel, type Alike, type LabelRow } from '../src/ui/labels.ts';
import { columnsOf } from '../src/ui/text_columns.ts';
import { file, modelOf, SOURCE } from './support.ts';

interface Table {
  names: { name: string; ladder: string; forms: string[]; end_matters: boolean }[];
  labels: { columns: number; alike: Alike; labels: string[] }[];
}
const table = JSON.parse(readFileSync(`${SOURCE}/web/test/labels.json`, 'utf8')) as Table;
const LANGUAGES = ['cpp', 'go', 'js', 'jvm', 'python', 'rust'];

function checkDifferent(rows: LabelRow[], labels: string[], what: string): void {
  const names = new Map<string, string>();
  labels.forEach((label, i) => {
    assert.ok(columnsOf(label) <= rows[i].columns, `${label} has more than ${rows[i].columns} columns`);
    const known = names.get(label) ?? rows[i].forms.key;
    assert.ok(label === '' || known === rows[i].forms.key, `${what}: ${label} is ${known} and ${rows[i].forms.key}`);
    names.set(label, known);
  });
}

describe('labels', () => {
  it('have the forms that wick wrote', () => {
    for (const { name, ladder, forms, end_matters: endMatters } of table.names) {
      const known = formsOf(name, ladder);
      assert.deepEqual(known.forms, forms, name);
      assert.equal(known.endMatters, endMatters, name);
    }
  });

  it('are those of the C++ side', () => {
    const forms = table.names.map(({ name, ladder }) => formsOf(name, ladder));
    for (const { columns, alike, labels } of table.labels) {
      const rows = forms.map((own, i) => ({ forms: own, columns: columns + ((7 * i) % 13) }));
      assert.deepEqual(labelsOf(rows, alike), labels, `${columns} ${alike}`);
    }
  });

  it('of real names are different', async () => {
    for (const language of LANGUAGES) {
      const names = readFileSync(`${SOURCE}/tests/names/${language}.txt`, 'utf8').trim().split('\n');
      const stacks = names.map((name, i) => `a 1/1 [000] ${i}.0: 1 cycles:\n\t${i}000 ${name}+0x0 (/bin/a)\n\n`);
      const { name, ladder, ladders } = (await modelOf(file(`${language}.txt`, stacks.join('')))).labels(
        initialState(),
      );
      const forms = name.map((own, row) => formsOf(own, ladders[ladder[row]]));
      assert.ok(forms.filter((own) => own.forms.length > 1).length > 80, language);
      for (const columns of [4, 8, 13, 20, 33, 60, 120]) {
        for (const alike of ['blank', 'numbered'] as const) {
          if (alike === 'numbered' && columns < 8) continue;
          const rows = forms.map((own, i) => ({ forms: own, columns: columns + ((7 * i) % 13) }));
          checkDifferent(rows, labelsOf(rows, alike), `${language}, ${columns} columns`);
        }
      }
    }
  });

  it('of functions of one name say the module', () => {
    const twins = ['libalpha.so user', 'libbeta.so user'].map((origin) => formsOf('ns::main(int)', '\t8\t.4', origin));
    const rows = (columns: number): LabelRow[] => twins.map((forms) => ({ forms, columns }));
    assert.deepEqual(labelsOf(rows(40), 'blank'), ['ns::main(int) [libalpha]', 'ns::main(int) [libbeta]']);
    assert.deepEqual(labelsOf(rows(8), 'blank'), ['ns::main', 'main']);
    assert.deepEqual(labelsOf([rows(40)[0]], 'blank'), ['ns::main(int)']);
  });

  it('of other texts retain what says most', () => {
    const text = (words: string, columns: number): string => labelOf(formsOfText(words), columns);
    assert.equal(text('/usr/include/c++/12/bits/stl_vector.h', 24), '..12/bits/stl_vector.h');
    assert.equal(text('libavcodec.so.59+0x175040', 14), '...59+0x175040');
    assert.equal(shortLabel('a worker with a long name and number 17', 24), 'a worker wi..d number 17');
    assert.equal(shortLabel('short', 24), 'short');
  });

  it('of very many equal names take little time', () => {
    const forms = Array.from({ length: 4000 }, (_, i): NameForms =>
      formsOfText(`${'a'.repeat(400)}${i}${'b'.repeat(400)}`),
    );
    const begin = performance.now();
    labelsOf(
      forms.map((own) => ({ forms: own, columns: 20 })),
      'blank',
    );
    assert.ok(performance.now() - begin < 2000);
  });
});
