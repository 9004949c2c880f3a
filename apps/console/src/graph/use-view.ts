import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from './graph-layout.js';
import { buttonOf, type Canvas, type Counted, countSeen, holdInView, showDrawing } from './view.js';

/** The part of a graph that is in view. */
interface Seen {
  readonly place: { readonly current: HTMLElement | null };
  readonly width: number;
  readonly drawing: Drawing;
  /** The step that is shown, then what holds it, the innermost first. */
  readonly shown: readonly string[];
  /** Whether a person picked it. */
  readonly isPicked: boolean;
}

/** The callbacks of a drawing. */
interface Watch {
  readonly onInit: (canvas: Canvas) => void;
  /** A person opened or folded this. */
  readonly onFold: (id: string) => void;
  readonly onFocus: (event: Event) => void;
  /** The reader moved the drawing: it stays there. */
  readonly onMoved: () => void;
  /** A movement has ended. */
  readonly onStill: () => void;
  /** The boxes in view; null: not known yet. */
  readonly counted: Counted | null;
}

/** Keeps in sight what the reader is about: what was picked, opened, folded, or has the focus. */
export function useView({ drawing, isPicked, place, shown, width }: Seen): Watch {
  const [canvas, onInit] = useState<Canvas | null>(null);
  const [counted, count] = useState<Counted | null>(null);
  const folded = useRef<string | null>(null);
  // Where the reader has moved the drawing to, nothing but the reader moves it away.
  const isHeld = useRef(false);
  const [target = ''] = shown;
  const look = (): void => {
    if (canvas === null || place.current === null) return;
    const next = countSeen(drawing, canvas, place.current);
    count((before) => (isSame(before, next) ? before : next));
  };
  const soon = (show: (canvas: Canvas, area: HTMLElement) => void): (() => void) => {
    const frame = requestAnimationFrame(() => {
      if (canvas === null || place.current === null) return;
      show(canvas, place.current);
      look();
    });
    return () => cancelAnimationFrame(frame);
  };
  useEffect(() => {
    folded.current = null;
    if (isHeld.current && !isPicked) return undefined;
    return soon((canvas, area) => {
      const button = buttonOf(area, target);
      if (button !== null) holdInView(canvas, area, button);
    });
  }, [target]);
  useEffect(() => {
    if (isHeld.current && folded.current === null) return soon(() => {});
    const wanted = [...(folded.current === null ? [] : [folded.current]), ...shown];
    return soon((canvas, area) => showDrawing(canvas, area, { drawing, wanted }));
  }, [drawing, width, canvas]);
  return {
    onInit,
    onFold: (id) => {
      folded.current = id;
      isHeld.current = false;
    },
    onFocus: (event) => {
      const focused = event.target as Element;
      // Under a pointer, what moves between press and release is not clicked.
      if (canvas === null || !focused.matches(':focus-visible')) return;
      if (place.current !== null) holdInView(canvas, place.current, focused);
    },
    onMoved: () => void (isHeld.current = true),
    onStill: look,
    counted,
  };
}

function isSame(one: Counted | null, other: Counted): boolean {
  return one?.shown === other.shown && one.total === other.total;
}
