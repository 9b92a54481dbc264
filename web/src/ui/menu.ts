// SPDX-License-Identifier: Apache-2.0
// A menu next to a frame or row, by mouse, touch or the menu key. Arrows move, Escape closes, the focus returns.

import { el } from './dom.ts';

export interface MenuItem {
  label: string;
  key?: string;
  run: () => void;
}

let listening = false;
let open: HTMLElement | null = null;
let opener: Element | null = null;
let pressedInside = false;

export function closeMenu(): boolean {
  if (!open) return false;
  open.remove();
  open = null;
  if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  return true;
}

// Lines separate the groups of items.
export function openMenu(title: string, groups: MenuItem[][], x: number, y: number): void {
  closeMenu();
  closeOutside();
  opener = document.activeElement;
  const menu = el('div', { class: 'menu', role: 'menu', 'aria-label': title }, el('div', { class: 'head' }, title));
  groups
    .filter((group) => group.length > 0)
    .forEach((group, i) => {
      if (i > 0) menu.append(el('hr'));
      for (const item of group) {
        menu.append(
          el(
            'button',
            {
              role: 'menuitem',
              type: 'button',
              onclick: (event: MouseEvent) => {
                if (!pressedInside && event.detail > 0) return;
                closeMenu();
                item.run();
              },
            },
            el('span', null, item.label),
            item.key ? el('kbd', null, item.key) : null,
          ),
        );
      }
    });
  // The finger that opened the menu is released over it: a click counts only if it began in the menu.
  pressedInside = false;
  menu.addEventListener('pointerdown', () => (pressedInside = true));
  menu.addEventListener('keydown', moveInMenu);
  document.body.append(menu);
  open = menu;
  const bounds = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(x, innerWidth - bounds.width - 8))}px`;
  menu.style.top = `${Math.max(8, Math.min(y, innerHeight - bounds.height - 8))}px`;
  menu.querySelector('button')?.focus();
}

function moveInMenu(event: KeyboardEvent): void {
  event.stopPropagation();
  const items = [...open!.querySelectorAll('button')],
    at = items.indexOf(document.activeElement as HTMLButtonElement);
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  if (event.key === 'Escape' || event.key === 'Tab') {
    event.preventDefault();
    closeMenu();
  } else if (targets[event.key] !== undefined) {
    event.preventDefault();
    items[targets[event.key]]?.focus();
  }
}

// The script also runs in the worker, which has no document: the first menu adds the listeners.
function closeOutside(): void {
  if (listening) return;
  listening = true;
  document.addEventListener(
    'pointerdown',
    (event) => {
      if (open && !open.contains(event.target as Node)) closeMenu();
    },
    true,
  );
}
