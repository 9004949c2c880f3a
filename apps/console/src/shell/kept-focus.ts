/** Where the focus was last on a page, and what stood around it. */
interface Focused {
  readonly element: HTMLElement;
  readonly row: Element | null;
  /** The rows after it, then those before it, the nearest first. */
  readonly others: readonly Element[];
  /** Its place among the controls of its row. */
  readonly index: number;
  /** From the inside out. */
  readonly around: readonly Element[];
}

const CONTROLS = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary';
const ROW = 'tr, li';

/**
 * Keeps the focus on the page when what had it goes away, as a row does once it was acted on: it
 * moves to the same control of the next row, else to the heading of what is left. Returns how to
 * stop.
 */
export function keepFocus(page: HTMLElement): () => void {
  let last: Focused | null = null;
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || target.closest('dialog') !== null) return;
    last = page.contains(target) ? focusedAt(target, page) : null;
  };
  const look = (): void => {
    if (last === null || last.element.isConnected) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const before = last;
    last = null;
    // A person has moved it already.
    if (document.activeElement !== null && document.activeElement !== document.body) return;
    nextOf(before)?.focus();
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener('focusin', note);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', note);
  };
}

function focusedAt(element: HTMLElement, page: HTMLElement): Focused {
  const row = element.closest(ROW);
  const peers = [...(row?.parentElement?.children ?? [])];
  const at = row === null ? 0 : peers.indexOf(row);
  const around: Element[] = [];
  for (let each = element.parentElement; each !== null; each = each.parentElement) {
    around.push(each);
    if (each === page) break;
  }
  return {
    element,
    row,
    others: [...peers.slice(at + 1), ...peers.slice(0, at).toReversed()],
    index: row === null ? 0 : controlsOf(row).indexOf(element),
    around,
  };
}

function controlsOf(row: Element): readonly HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)].filter((each) => !each.closest('dialog'));
}

function nextOf({ around, index, others, row }: Focused): HTMLElement | null {
  for (const each of [...(row === null ? [] : [row]), ...others]) {
    const controls = each.isConnected ? controlsOf(each) : [];
    const found = controls[Math.min(index, controls.length - 1)];
    if (found !== undefined) return found;
  }
  const left = around.find(({ isConnected }) => isConnected);
  const heading = left?.querySelector<HTMLElement>('h1, h2') ?? document.querySelector('h1');
  if (heading !== null && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  return heading;
}
