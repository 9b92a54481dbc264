// SPDX-License-Identifier: Apache-2.0
// SVG elements: svg('circle', {r: 3}, child). As dom.ts, strings become text and never markup.

type Child = Node | string | null | false;

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, unknown> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

// A flame on a wick.
export function logo(): SVGElement {
  return svg(
    'svg',
    { viewBox: '0 0 24 24', width: 22, height: 22, 'aria-hidden': 'true' },
    svg('path', {
      d: 'M12 1c1 4 6 7 6 12a6 6 0 0 1-12 0c0-3 2-5 3-7 1 1 1 2 1.500 3C12 7 12 4 12 1z',
      fill: '#f58a2c',
    }),
    svg('path', {
      d: 'M12 11c.8 1.600 2.500 2.600 2.500 4.600a2.500 2.500 0 0 1-5 0C9.500 13.800 11.300 13 12 11z',
      fill: '#ffd166',
    }),
    svg('path', { d: 'M11.300 18h1.400v5h-1.400z', fill: '#7a746a' }),
  );
}
