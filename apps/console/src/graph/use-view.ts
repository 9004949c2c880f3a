import { useEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from './graph-layout.js';
import { buttonOf, holdInView, type Instance, showDrawing } from './view.js';

/** The part of a graph that is in view. */
interface Seen {
  readonly place: { readonly current: HTMLElement | null };
  readonly width: number;
  readonly drawing: Drawing;
  /** The step that was picked, then what holds it, the innermost first. */
  readonly picked: readonly string[];
}

/** The callbacks of a drawing. */
interface Watch {
  readonly onInit: (flow: Instance) => void;
  /** Somebody opened or folded this. */
  readonly onFold: (id: string) => void;
  readonly onFocus: (event: Event) => void;
}

/** Keeps in sight what the reader is about: what was picked, opened, folded, or has the focus. */
export function useView({ drawing, picked, place, width }: Seen): Watch {
  const [flow, onInit] = useState<Instance | null>(null);
  const moved = useRef<string | null>(null);
  const [target = ''] = picked;
  const soon = (show: (instance: Instance, area: HTMLElement) => void): (() => void) => {
    const frame = requestAnimationFrame(() => {
      if (flow !== null && place.current !== null) show(flow, place.current);
    });
    return () => cancelAnimationFrame(frame);
  };
  useEffect(() => {
    moved.current = null;
    return soon((instance, area) => {
      const button = buttonOf(area, target);
      if (button !== null) holdInView(instance, area, button);
    });
  }, [target]);
  useEffect(() => {
    const wanted = [...(moved.current === null ? [] : [moved.current]), ...picked];
    return soon((instance, area) => showDrawing(instance, area, { drawing, wanted }));
  }, [drawing, width, flow]);
  return {
    onInit,
    onFold: (id) => {
      moved.current = id;
    },
    onFocus: (event) => {
      const focused = event.target as Element;
      // Under a pointer, what moves between press and release is not clicked.
      if (flow === null || !focused.matches(':focus-visible')) return;
      if (place.current !== null) holdInView(flow, place.current, focused);
    },
  };
}
