import { useEffect, useRef, useState } from 'preact/hooks';
import { draftOf, dropDraft, keepDraft } from './drafts.js';

const SETTLE_MS = 400;

/** The newest version, and the text that it has. */
export interface Published {
  /** Null: there is none yet. */
  readonly version: number | null;
  readonly text: string;
  /** The flow file that defines it; null: none does. */
  readonly file: string | null;
}

/** The text that a person types, kept by this browser until it is published. */
export interface Typing {
  /** The text as it was when the box was opened. */
  readonly first: string;
  /** The text once nobody has typed for a moment. */
  readonly settled: string;
  /** The version that the text was begun with. */
  readonly base: number | null;
  /** Milliseconds since 1970 of a draft that was there; null: there was none. */
  readonly draftAt: number | null;
  readonly isKept: boolean;
  /** The text as it is now. */
  readonly now: () => string;
  readonly type: (text: string) => void;
  /** Takes the text as settled at once. */
  readonly settle: () => void;
  readonly rebase: (version: number | null) => void;
  /** Forgets the draft. */
  readonly drop: () => void;
}

/** Keeps what is typed. A text that is as it was published is no draft. */
export function useDraft(name: string, published: Published): Typing {
  const [found] = useState(() => draftOf(name));
  const [draftAt, setDraftAt] = useState(found?.at ?? null);
  const [base, setBase] = useState(found === null ? published.version : found.base);
  const first = found?.text ?? published.text;
  const [settled, settle] = useState(first);
  const [isKept, setKept] = useState(true);
  const text = useRef(first);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const keep = useRef(() => {});
  keep.current = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (text.current === published.text) dropDraft(name);
    else setKept(keepDraft({ name, text: text.current, base }));
    settle(text.current);
  };
  useEffect(() => {
    const keepNow = (): void => {
      if (timer.current !== undefined) keep.current();
    };
    // A page that is left may never come back.
    addEventListener('pagehide', keepNow);
    return () => {
      removeEventListener('pagehide', keepNow);
      keepNow();
    };
  }, []);
  return {
    ...{ first, settled, base, draftAt, isKept },
    now: () => text.current,
    type: (typed) => {
      text.current = typed;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => keep.current(), SETTLE_MS);
    },
    settle: () => keep.current(),
    rebase: (version) => {
      setBase(version);
      setKept(keepDraft({ name, text: text.current, base: version }));
    },
    drop: () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      setDraftAt(null);
      dropDraft(name);
    },
  };
}
