// SPDX-License-Identifier: Apache-2.0
// The columns of a page, by name: "frame.line", "sample.time_ns".
//
// The header's schema lists every table of the profile with its columns. If all rows of a column are equal, the page
// has no column, and the schema has the value (src/viewer/page_tables.h). A script and a page may know different
// columns: a column that the script does not use is skipped; one that is not in the page is 0, or -1 if it holds ids.
// Encodings are described in src/viewer/column_packer.h.
import { LoadError } from './interface.ts';

export interface ColumnHeader {
  encoding: 'raw' | 'varint' | 'delta' | 'step' | 'int64' | 'uint64' | 'float64' | 'constant';
  rows: number;
  offset?: number; // from the first byte of all columns
  bytes?: number;
  value?: number; // of constants
  minus?: number; // of varints: to subtract from the stored number
  none?: number; // of times: the stored number for an unknown time
}
export interface ColumnSchema {
  kind: 'number' | 'time' | 'bits' | 'text' | 'reference' | 'enum';
  initial?: number | null; // of rows that are not stored; 0 by default, null is NaN
  to?: string; // of references: the table
  names?: string[]; // of enums
}
export interface TableSchema {
  row: string; // the prefix of its columns' names
  rows: number;
  columns: Record<string, ColumnSchema>;
}

export const damaged = (): LoadError =>
  new LoadError('The data in this page is damaged. Write the page again: wick view FILE -o page.html');

type Numbers = Float64Array | Int32Array | Uint32Array | Uint8Array;
interface Known {
  table: TableSchema;
  column: ColumnSchema;
}

export class Columns {
  private readonly bytes: Uint8Array;
  private readonly headers: Record<string, ColumnHeader>;
  private readonly tables = new Map<string, TableSchema>(); // by the name of a row
  private strings: string[] | null = null;

  // `bytes` start with the first column.
  constructor(bytes: Uint8Array, headers: Record<string, ColumnHeader>, schema: Record<string, TableSchema>) {
    this.bytes = bytes;
    this.headers = headers;
    for (const table of Object.values(schema)) this.tables.set(table.row, table);
  }

  rows(row: string): number {
    return this.tables.get(row)?.rows ?? 0;
  }

  // The names of an enum's values.
  names(name: string): string[] {
    return this.known(name)?.column.names ?? [];
  }

  f64(name: string): Float64Array {
    return this.fill(name, (rows) => new Float64Array(rows), 0);
  }
  i32(name: string): Int32Array {
    return this.fill(name, (rows) => new Int32Array(rows), 0);
  }
  u32(name: string): Uint32Array {
    return this.fill(name, (rows) => new Uint32Array(rows), 0);
  }
  u8(name: string): Uint8Array {
    return this.fill(name, (rows) => new Uint8Array(rows), 0);
  }
  // Rows of another table, or CPUs; -1 is none.
  ids(name: string): Int32Array {
    return this.fill(name, (rows) => new Int32Array(rows), -1);
  }
  // Nanoseconds since the run's start; `none` if unknown.
  times(name: string, none = NaN): Float64Array {
    const times = this.fill(name, (rows) => new Float64Array(rows), NaN);
    const stored = this.headers[name] === undefined ? NaN : this.headers[name].none;
    if (stored === undefined || (Number.isNaN(stored) && Number.isNaN(none))) return times;
    for (let row = 0; row < times.length; ++row) if (Object.is(times[row], stored)) times[row] = none;
    return times;
  }
  // Whole numbers below 2^64.
  u64(name: string): BigUint64Array {
    const header = this.headers[name];
    if (header?.encoding === 'uint64') return new BigUint64Array(this.words(header));
    const numbers = this.f64(name);
    const result = new BigUint64Array(numbers.length);
    const halves = new Uint32Array(result.buffer); // little-endian, like every machine with a browser
    for (let row = 0; row < numbers.length; ++row) {
      halves[2 * row] = numbers[row] % 2 ** 32;
      halves[2 * row + 1] = Math.floor(numbers[row] / 2 ** 32);
    }
    return result;
  }
  // Whole numbers as decimal text, exact at any size.
  digits(name: string): string[] {
    const header = this.headers[name];
    if (header?.encoding === 'int64') return Array.from(new BigInt64Array(this.words(header)), String);
    if (header?.encoding === 'uint64') return Array.from(new BigUint64Array(this.words(header)), String);
    return Array.from(this.f64(name), String);
  }
  texts(name: string): string[] {
    const strings = this.allStrings();
    return Array.from(this.u32(name), (id) => strings[id] ?? '');
  }
  raw(name: string): Uint8Array {
    const header = this.headers[name];
    return header === undefined ? new Uint8Array(0) : this.stored(header);
  }

  // The lines of a text.
  lines(name: string): string[] {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.raw(name)).split('\n');
  }

  // All strings, as slices of one text; lengths count UTF-16 units.
  allStrings(): string[] {
    if (this.strings !== null) return this.strings;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.raw('string.bytes'));
    const lengths = this.u32('string.lengths');
    this.strings = new Array(lengths.length) as string[];
    let at = 0;
    for (let i = 0; i < lengths.length; ++i) {
      this.strings[i] = text.slice(at, at + lengths[i]);
      at += lengths[i];
    }
    return this.strings;
  }

  private known(name: string): Known | null {
    const dot = name.indexOf('.');
    const table = this.tables.get(name.slice(0, dot));
    const column = table?.columns[name.slice(dot + 1)];
    return table === undefined || column === undefined ? null : { table, column };
  }

  private stored({ offset = 0, bytes = 0 }: ColumnHeader): Uint8Array {
    if (offset + bytes > this.bytes.length) throw damaged();
    return this.bytes.subarray(offset, offset + bytes);
  }
  private words(header: ColumnHeader): ArrayBuffer {
    if (header.bytes !== 8 * header.rows) throw damaged();
    return this.stored(header).slice().buffer;
  }

  // Decodes into an array of the given type; `absent` is the value if the page does not know the column.
  private fill<T extends Numbers>(name: string, make: (rows: number) => T, absent: number): T {
    const header = this.headers[name];
    if (header === undefined) {
      const column = this.known(name)?.column;
      const initial = column === undefined ? absent : column.initial === null ? NaN : (column.initial ?? 0);
      return make(this.rows(name.slice(0, name.indexOf('.')))).fill(initial) as T;
    }
    const result = make(header.rows);
    switch (header.encoding) {
      case 'constant':
        return result.fill(header.value ?? 0) as T;
      case 'float64':
        result.set(new Float64Array(this.words(header)));
        return result;
      case 'int64':
        new BigInt64Array(this.words(header)).forEach((value, row) => {
          result[row] = Number(value);
        });
        return result;
      case 'uint64':
        new BigUint64Array(this.words(header)).forEach((value, row) => {
          result[row] = Number(value);
        });
        return result;
      case 'varint':
      case 'delta':
      case 'step':
        this.readVarints(header, result);
        return result;
      default:
        throw damaged();
    }
  }

  // Stored numbers are below 2^53.
  private readVarints(header: ColumnHeader, result: Numbers): void {
    const bytes = this.stored(header);
    const end = bytes.length;
    const isDelta = header.encoding === 'delta';
    const isStep = header.encoding === 'step';
    const minus = header.minus ?? 0;
    let at = 0;
    let last = 0;
    for (let row = 0; row < header.rows; ++row) {
      let byte = bytes[at++];
      let value = byte & 127;
      if (byte > 127) {
        byte = bytes[at++];
        value |= (byte & 127) << 7;
        let factor = 1 << 14;
        while (byte > 127 && at < end) {
          byte = bytes[at++];
          value += (byte & 127) * factor;
          factor *= 128;
        }
      }
      if (isDelta) last = value = last + (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
      result[row] = isStep ? row - value : value - minus;
    }
    if (at !== end) throw damaged();
  }
}
