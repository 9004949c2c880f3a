import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { EDITOR } from '../words/editor.js';
import { type CodeView, openCodeView } from './code-view.js';
import { type Known, suggest } from './suggest.js';

interface CodeBoxProps {
  /** How it begins. */
  readonly text: string;
  readonly known: Known;
  readonly onChange: (text: string) => void;
  readonly onOpen: (view: CodeView) => void;
}

/** The box for the text. It stands in a tree of its own, which takes sheets made by script. */
export function CodeBox({ known, onChange, onOpen, text }: CodeBoxProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ known, onChange });
  latest.current = { known, onChange };
  useEffect(() => {
    const host = place.current;
    if (host === null) return undefined;
    const view = openCodeView({
      place: host.shadowRoot ?? host.attachShadow({ mode: 'open' }),
      text,
      label: EDITOR.text,
      description: EDITOR.keys,
      onChange: (typed) => latest.current.onChange(typed),
      suggest: (typed, offset) => suggest(typed, offset, latest.current.known),
    });
    onOpen(view);
    // Letters that are typed here are no shortcuts of the page.
    const keep = (event: Event): void => event.stopPropagation();
    host.addEventListener('keydown', keep);
    return () => {
      host.removeEventListener('keydown', keep);
      view.close();
    };
  }, []);
  return <div ref={place} class="code-box" />;
}
