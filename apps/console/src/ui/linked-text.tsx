import type { JSX } from 'preact';

/** Ids of tasks, as texts have them. */
const TASK_ID = /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g;

/** A text in which each id of a task leads to its page. */
export function LinkedText({ text }: { readonly text: string }): JSX.Element {
  // Split by a pattern with a group: every second part is an id.
  const parts = text.split(TASK_ID);
  return (
    <bdi>
      {parts.map((part, at) =>
        at % 2 === 1 ? <a href={`/console/tasks/${part}`}>{part}</a> : part,
      )}
    </bdi>
  );
}
