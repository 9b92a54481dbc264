// SPDX-License-Identifier: Apache-2.0
// Elements without a framework: el('button', {class: 'x', onclick: f}, 'text', child).
//
// Strings become text nodes, never markup: there is no way through this file to innerHTML.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props) setProps(element, props);
  add(element, children);
  return element;
}

export function setProps(element: HTMLElement, props: Props): void {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) element.removeAttribute(key);
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
    else if (key === 'class') element.className = String(value);
    else if (key === 'style') element.style.cssText = String(value);
    else if (key === 'value' || key === 'checked' || key === 'disabled') Reflect.set(element, key, value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
}

export function add(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

export function fill(parent: HTMLElement, ...children: Child[]): void {
  parent.replaceChildren();
  add(parent, children);
}

// At most one call per animation frame.
export function oncePerFrame(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

export const reducedMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
