const MENU = 'details.more';

/** Closes open menus by Escape, which gives the focus back, and by a press elsewhere. */
export function listenToMenus(): () => void {
  const heard = new AbortController();
  const { signal } = heard;
  document.addEventListener('keydown', closeByKey, { signal });
  document.addEventListener('pointerdown', closeOthers, { signal });
  document.addEventListener('focusin', closeOthers, { signal });
  return () => heard.abort();
}

function openMenus(): readonly HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>(`${MENU}[open]`)];
}

function closeByKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  for (const menu of openMenus()) {
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
  }
}

function closeOthers({ target }: Event): void {
  for (const menu of openMenus()) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  }
}
