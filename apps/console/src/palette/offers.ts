import { useEffect, useRef } from 'preact/hooks';
import type { Command } from './commands.js';

const offers = new Set<() => readonly Command[]>();

/** Offers commands of the page to the palette, for as long as the page is shown. */
export function useOffer(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const read = (): readonly Command[] => latest.current;
    offers.add(read);
    return () => void offers.delete(read);
  }, []);
}

/** All that is offered now: by what was shown last first. */
export function offered(): readonly Command[] {
  return [...offers].toReversed().flatMap((read) => read());
}
