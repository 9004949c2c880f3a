import { now } from '../browser/clock.js';

/** Where a reader was on a page when a link led away from it. */
interface Place {
  /** Pixels from the top. */
  readonly y: number;
  /** The address of the link, as it is written. */
  readonly href: string;
}

/** Time in which a page may become what it was, in milliseconds. */
const PATIENCE_MS = 5_000;
/** With any of these the reader has gone on. */
const SIGNS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Notes in the history of the browser where links are followed; returns how to stop. */
export function notePlaces(): () => void {
  const note = (event: MouseEvent): void => {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (link === undefined || !isPlain || link.closest('main') === null) return;
    const place: Place = { y: window.scrollY, href: link.getAttribute('href') ?? '' };
    window.history.replaceState({ place }, '');
  };
  // Before the router follows the link.
  document.addEventListener('click', note, { capture: true });
  return () => document.removeEventListener('click', note, { capture: true });
}

/** The place on the page that the reader comes back to; null: the page is a new one. */
export function notedPlace(): Place | null {
  const { place = null } = (window.history.state ?? {}) as { readonly place?: Place | null };
  return place;
}

/** Brings the reader back to a place as soon as the page has it again. */
export function returnTo({ href, y }: Place): void {
  const until = now() + PATIENCE_MS;
  const controller = new AbortController();
  const { signal } = controller;
  for (const sign of SIGNS) {
    document.addEventListener(sign, () => controller.abort(), { signal, passive: true });
  }
  const look = (): void => {
    if (signal.aborted) return;
    const hasRoom = document.documentElement.scrollHeight - window.innerHeight >= y;
    if (hasRoom) window.scrollTo(0, y);
    const link = [...document.querySelectorAll<HTMLElement>('main a')].find((each) => {
      return each.getAttribute('href') === href;
    });
    if (link === undefined && now() < until) return void requestAnimationFrame(look);
    controller.abort();
    const target = link ?? document.querySelector<HTMLElement>('h1');
    target?.focus({ preventScroll: hasRoom });
  };
  look();
}
