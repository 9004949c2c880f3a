import type { JSX } from 'preact';
import { stateWord } from '../words.js';
import { Icon } from './icons.js';
import { lookOf } from './states.js';

/** A state by drawing and word. */
export function StateMark({ state }: { readonly state: string }): JSX.Element {
  const { icon, tone } = lookOf(state);
  return (
    <span class={`state tone-${tone}`}>
      <Icon name={icon} />
      {stateWord(state)}
    </span>
  );
}
