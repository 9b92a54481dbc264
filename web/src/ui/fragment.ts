// SPDX-License-Identifier: Apache-2.0
// The fragment of a URL: name=value pairs of the fields that differ from the initial state. Fragments are untrusted, so
// reading one never fails: a field with an invalid value has its initial value.

export interface Field<T> {
  write: (value: T) => string;
  read: (text: string) => T | undefined;
}

export const text: Field<string> = { write: (value) => value, read: (value) => value.slice(0, 2000) };
export const flag: Field<boolean> = { write: (value) => (value ? '1' : '0'), read: (value) => value === '1' };
export const integer: Field<number> = {
  write: String,
  read: (value) => (/^-?\d{1,9}$/.test(value) ? Number(value) : undefined),
};
export const oneOf = <T extends string>(...values: T[]): Field<T> => ({
  write: (value) => value,
  read: (value) => values.find((known) => known === value),
});

export const integers: Field<number[]> = {
  write: (value) => value.join('.'),
  read: (value) =>
    value === '' ? [] : /^-?\d{1,9}(\.-?\d{1,9})*$/.test(value) ? value.split('.').map(Number) : undefined,
};

export function wordsOf(fragment: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const word of fragment.replace(/^#/, '').split('&')) {
    const equals = word.indexOf('=');
    if (equals <= 0) continue;
    try {
      words.set(word.slice(0, equals), decodeURIComponent(word.slice(equals + 1)));
    } catch {
      // Not a fragment of ours: ignored.
    }
  }
  return words;
}

export function writeFields<T extends object>(
  fields: { [K in keyof T]?: [string, Field<T[K]>] },
  value: T,
  start: T,
  out: string[],
): void {
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const [name, field] = fields[key]!,
      written = field.write(value[key]);
    if (written !== field.write(start[key])) out.push(`${name}=${encodeURIComponent(written)}`);
  }
}

export function readFields<T extends object>(
  fields: { [K in keyof T]?: [string, Field<T[K]>] },
  words: Map<string, string>,
  into: T,
): void {
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const [name, field] = fields[key]!,
      word = words.get(name);
    const value = word === undefined ? undefined : field.read(word);
    if (value !== undefined) into[key] = value;
  }
}
