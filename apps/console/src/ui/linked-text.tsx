import type { JSX } from 'preact';
import { Moment } from './moment.js';
import { type ToldPart, toldParts } from './told-text.js';

/** A text of the server, as people read it: ids lead to their tasks, times are the reader's. */
export function LinkedText({ text }: { readonly text: string }): JSX.Element {
  return <bdi>{toldParts(text).map(shownPart)}</bdi>;
}

function shownPart({ at, taskId, words }: ToldPart): JSX.Element | string {
  if (at !== undefined) return <Moment at={at} isWhole />;
  return taskId === undefined ? words : <a href={`/console/tasks/${taskId}`}>{words}</a>;
}
