/** Has the menus of the page close by Escape and by a press elsewhere; returns how to stop. */
export function closeMenus(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    for (const menu of openMenus()) {
      const hasFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hasFocus) menu.querySelector('summary')?.focus();
    }
  };
  const onPress = ({ target }: PointerEvent): void => {
    for (const menu of openMenus()) menu.open = menu.contains(target as Node);
  };
  document.addEventListener('keydown', onKey);
  document.addEventListener('pointerdown', onPress);
  return () => {
    document.removeEventListener('keydown', onKey);
    document.removeEventListener('pointerdown', onPress);
  };
}

function openMenus(): Iterable<HTMLDetailsElement> {
  return document.querySelectorAll<HTMLDetailsElement>('details.more[open]');
}
