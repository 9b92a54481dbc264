// SPDX-License-Identifier: Apache-2.0
// Markup of saved pictures, as text that needs no page.
//
// Names are untrusted. The type Markup admits only what these functions return, so a name cannot reach a picture
// without escaped(). Colours, sizes and tags come from the program; attributes are escaped all the same.

export type Markup = string & { readonly isMarkup: never };

type Attributes = Record<string, string | number | undefined>;

// XML cannot contain these characters, not even as references.
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export function escaped(text: string): Markup {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`) as Markup;
}

export const joined = (parts: readonly Markup[]): Markup => parts.join('') as Markup;

// A coordinate with at most two decimals.
export const short = (value: number): string => String(Math.round(value * 100) / 100);

export function element(tag: string, attributes: Attributes, ...content: Markup[]): Markup {
  const words = Object.entries(attributes).map(([name, value]) =>
    value === undefined ? '' : ` ${name}="${typeof value === 'number' ? short(value) : escaped(value)}"`,
  );
  const opening = `<${tag}${words.join('')}`;
  return (content.length === 0 ? `${opening}/>` : `${opening}>${joined(content)}</${tag}>`) as Markup;
}

export const text = (x: number, y: number, words: string, attributes: Attributes = {}): Markup =>
  element('text', { x, y, ...attributes }, escaped(words));

// The same markup lower or further to the right.
export const movedBy = (x: number, y: number, ...content: Markup[]): Markup =>
  element('g', { transform: `translate(${short(x)} ${short(y)})` }, ...content);
