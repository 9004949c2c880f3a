import { keep, kept } from '../browser/storage.js';

/** The actions of keyboard shortcuts. */
export interface Shortcuts {
  readonly go: (path: string) => void;
  readonly help: () => void;
  readonly palette: () => void;
}

const OFF = 'keys-off';
const PLACES: Readonly<Record<string, string>> = {
  o: '/console/',
  t: '/console/tasks',
  f: '/console/flows',
  i: '/console/inbox',
};

/** Whether single keys do anything: people who speak to their machine turn them off. */
export function areKeysOn(): boolean {
  return kept(OFF) === null;
}

export function turnKeys(areOn: boolean): void {
  keep(OFF, areOn ? null : 'yes');
}

/**
 * Listens to single keys; returns how to stop. `read` gives the actions as they are when a key
 * comes, so that a page that changes between the two keys of a chord does not lose the first.
 */
export function listenToKeys(read: () => Shortcuts): () => void {
  let isGoing = false;
  const onKey = (event: KeyboardEvent): void => {
    if (isPaletteChord(event)) {
      event.preventDefault();
      // Over a dialog there is nothing to go to.
      if (document.querySelector('dialog[open]') === null) read().palette();
      return;
    }
    const isChord = event.ctrlKey || event.metaKey || event.altKey;
    if (isChord || isTyping(event.target) || !areKeysOn()) return;
    const place = isGoing ? PLACES[event.key] : undefined;
    isGoing = event.key === 'g' && !isGoing;
    const { go, help } = read();
    if (place !== undefined) go(place);
    else if (event.key === '?') help();
    else if (event.key === '/') focusSearch(event);
    else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/** Also while a person types, and where single keys are off: nothing else is meant by it. */
function isPaletteChord({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k';
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const dialog = target.closest('dialog');
  // A dialog that has just closed keeps the focus until the browser draws the page again.
  if (dialog !== null) return dialog.open;
  return target.isContentEditable || target.closest('input, textarea, select') !== null;
}

function focusSearch(event: Event): void {
  const box = document.querySelector<HTMLInputElement>('input[type="search"]');
  if (box === null) return;
  event.preventDefault();
  box.focus();
}

function moveRow(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('a.row-link')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}
