import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { WORDS } from '../words.js';

interface EditorProps {
  /** Of the flow; empty: it has no name yet. */
  readonly name: string;
}

type Editor = (props: EditorProps) => JSX.Element;

let loaded: Editor | null = null;

/** The page on which a flow is written, loaded when it is opened: it is the largest of all. */
export function FlowEditor(): JSX.Element {
  const { params } = useRoute();
  const [, again] = useState(0);
  useEffect(() => {
    if (loaded !== null) return;
    const load = async (): Promise<void> => {
      loaded = (await import('./editor-page.js')).EditorPage;
      again(1);
    };
    void load();
  }, []);
  const Page = loaded;
  const name = params['name'] ?? '';
  return Page === null ? <p class="faint">{WORDS.loading}</p> : <Page key={name} name={name} />;
}
