import type { JSX, RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Course, Task } from '../api/shapes.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import type { PreviewedForm } from './action-form.js';
import type { TaskAction } from './actions.js';
import { isAsked, type Preview, previewOf, previewQuery, restartPreview } from './preview.js';

const ASK_EVERY_MS = 10_000;

interface PreviewBoxProps {
  readonly action: TaskAction;
  readonly task: Task;
  readonly form: PreviewedForm;
  /** Takes the revision of the task that the server has looked at. */
  readonly asked: RefObject<number>;
}

/** The effect of an action, before it is done. */
export function PreviewBox(props: PreviewBoxProps): JSX.Element {
  const isNew = !isAsked(props.action.verb);
  return isNew ? <PreviewText {...restartPreview(props.task)} /> : <AskedBox {...props} />;
}

/** The server's word, which covers child tasks; nothing is shown before it has answered. */
function AskedBox({ action, asked, form, task }: PreviewBoxProps): JSX.Element {
  const { revision, taskId } = task;
  const query = previewQuery(action, form);
  const ask = async (signal: AbortSignal): Promise<Course> => {
    const course = await api.preview(taskId, query, signal);
    asked.current = course.revision;
    return course;
  };
  const { refusal, value } = usePolled(`${taskId} ${revision} ${query}`, ask, ASK_EVERY_MS);
  const { verb } = action;
  if (value !== null && isAsked(verb)) {
    return <PreviewText {...previewOf({ verb, task, ...form }, value)} />;
  }
  const sentence = refusal?.message ?? WORDS.dialog.asking;
  return <PreviewText sentences={[sentence]} order={[]} time={null} />;
}

function PreviewText({ order, sentences, time }: Preview): JSX.Element {
  const id = useId();
  return (
    <section class="preview" aria-labelledby={id}>
      <h3 id={id}>{WORDS.dialog.preview}</h3>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {time !== null && <p>{time}</p>}
      {order.length > 0 && (
        <ol>
          {order.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
      )}
    </section>
  );
}
