import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 8_000;

interface Said {
  readonly text: string;
  /** The same words said again are news, too. */
  readonly turn: number;
}

const NOTHING: Said = { text: '', turn: 0 };
let hear: (text: string) => void = () => {};

/** Says on every page what became of an action, to eyes and to screen readers. */
export function sayOutcome(text: string): void {
  hear(text);
}

/** The place where outcomes are said. There is one, in the frame of the pages. */
export function Outcome(): JSX.Element {
  const [{ text, turn }, set] = useState(NOTHING);
  hear = (next) => set((before) => ({ text: next, turn: before.turn + 1 }));
  useEffect(() => {
    const timer = setTimeout(() => set((before) => ({ ...before, text: '' })), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [turn]);
  return (
    <div role="status" aria-live="polite" class="outcome">
      {text !== '' && <p key={turn}>{text}</p>}
    </div>
  );
}
