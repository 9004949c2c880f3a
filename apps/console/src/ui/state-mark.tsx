import type { JSX } from 'preact';
import { stateWord } from '../words.js';
import { Icon } from './icons.js';
import { type Look, lookOf } from './states.js';

interface MarkProps extends Look {
  readonly words: string;
}

/** How something stands, by drawing and words. */
export function Mark({ icon, tone, words }: MarkProps): JSX.Element {
  return (
    <span class={`state tone-${tone}`}>
      <Icon name={icon} />
      {words}
    </span>
  );
}

/** A state by drawing and word. */
export function StateMark({ state }: { readonly state: string }): JSX.Element {
  return <Mark {...lookOf(state)} words={stateWord(state)} />;
}
