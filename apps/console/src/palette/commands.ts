import { useEffect, useRef } from 'preact/hooks';
import type { WORDS } from '../words.js';

/** The subject of a command, as the palette says it beside its words. */
type CommandKind = keyof typeof WORDS.palette.kinds;

/** Something that the palette can go to or do. */
export interface Command {
  /** Tells it from all others. */
  readonly id: string;
  readonly kind: CommandKind;
  readonly words: string;
  /** Looked through besides the words; default: nothing. */
  readonly more?: string;
  readonly run: () => void;
}

/** Commands that the palette lists at once. */
const SHOWN_MAX = 50;

const NO_FIT = Infinity;
const offers = new Set<() => readonly Command[]>();

/**
 * The commands in which each word of a text occurs, the closest first: those whose words begin so,
 * those with a word that does, and the others. Those that fit as well keep their order.
 */
export function fittingCommands(commands: readonly Command[], text: string): readonly Command[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = commands.map((command) => ({ command, rank: rankOf(command, wanted) }));
  return ranked
    .filter(({ rank }) => rank < NO_FIT)
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, SHOWN_MAX)
    .map(({ command }) => command);
}

function rankOf({ more = '', words }: Command, wanted: readonly string[]): number {
  const own = words.toLowerCase();
  let sum = 0;
  for (const word of wanted) {
    const at = own.indexOf(word);
    if (at === 0) continue;
    if (at > 0) sum += /[\p{L}\p{N}]/u.test(own[at - 1] ?? '') ? 2 : 1;
    else if (more.toLowerCase().includes(word)) sum += 3;
    else return NO_FIT;
  }
  return sum;
}

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
