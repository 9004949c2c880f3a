import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../browser/clipboard.js';
import { WORDS } from '../words.js';

/** The task as a command, as a request, as an address. */
export function CopyMenu({ taskId }: { readonly taskId: string }): JSX.Element {
  const [said, say] = useState('');
  const { origin } = location;
  const copy = (text: string) => async (): Promise<void> => {
    const isCopied = await copyText(text);
    say(isCopied ? WORDS.task.copied : WORDS.task.notCopied);
  };
  const forms = [
    [WORDS.task.copyCli, `npx backstep task get ${taskId} --url ${origin}`],
    [WORDS.task.copyCurl, `curl -s '${origin}/v1/tasks/${taskId}'`],
    [WORDS.task.copyLink, `${origin}/console/tasks/${taskId}`],
  ] as const;
  return (
    <details class="more copy">
      <summary>{WORDS.task.copy}</summary>
      <div class="more-list">
        {forms.map(([name, text]) => (
          <button key={name} type="button" class="quiet" onClick={() => void copy(text)()}>
            {name}
          </button>
        ))}
        <button type="button" class="quiet" onClick={() => print()}>
          {WORDS.task.print}
        </button>
        <p role="status" class="faint">
          {said}
        </p>
      </div>
    </details>
  );
}
