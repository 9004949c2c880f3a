import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { FlowPlan, JsonObject, PlannedStep } from '../api/shapes.js';
import { longNumberIn } from '../api/long-number.js';
import { Head } from '../ui/table-head.js';
import { failureText } from '../ui/dialog-parts.js';
import { Scrolled } from '../ui/scrolled.js';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';
import { sampleOf } from './sample.js';
import { readText } from './read-text.js';

/** Says what a task of the text would do with sample parameters. */
export function PlanPanel({ text }: { readonly text: () => string }): JSX.Element {
  const id = useId();
  const [typed, type] = useState<string | null>(null);
  const [plan, setPlan] = useState<FlowPlan | null>(null);
  const [error, say] = useState<string | null>(null);
  const make = async (): Promise<void> => {
    const read = readText(text());
    if (read === null) return say(EDITOR.notReadable);
    const sample = typed ?? sampleOf(read.flow);
    type(sample);
    const parameters = objectOf(sample);
    if (typeof parameters === 'string') return say(parameters);
    try {
      setPlan(await api.planDraft(read.flow, parameters));
      say(null);
    } catch (failure) {
      setPlan(null);
      say(failureText(failure));
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void make();
  };
  return (
    <section class="panel" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{EDITOR.plan}</h2>
      <p class="faint about">{EDITOR.planAbout}</p>
      <form onSubmit={submit} noValidate>
        <div class="field">
          <label for={id}>{EDITOR.parameters}</label>
          <textarea
            id={id}
            rows={3}
            spellcheck={false}
            value={typed ?? ''}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </div>
        <p role="alert" class="error-text">
          {error}
        </p>
        <div class="buttons">
          <button type="submit">{EDITOR.plan}</button>
        </div>
      </form>
      {plan && <Planned plan={plan} />}
    </section>
  );
}

/** The parameters that were typed, or a sentence that says why they cannot be sent. */
function objectOf(text: string): JsonObject | string {
  const long = longNumberIn(text);
  if (long !== null) return WORDS.dialog.longNumber(long);
  const value = readText(text === '' ? '{}' : text)?.flow ?? null;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : WORDS.dialog.notJson;
}

interface Row extends Pick<PlannedStep, 'back' | 'id'> {
  readonly parameters: JsonObject | undefined;
  readonly deed: string;
}

/** The steps of one child task stand below the step that has them. */
function rowsOf(items: readonly PlannedStep[], around = ''): readonly Row[] {
  return items.flatMap(({ back, children, command, id, kind, module, parameters }) => {
    const deed = command === undefined ? kind : `${module}.${command} `;
    const count = children?.count ?? null;
    const tasks = count === null ? deed : `${deed} × ${count}`;
    const row = { back, deed: tasks, id: `${around}${id}`, parameters };
    return [row, ...rowsOf(children?.items ?? [], `${around}${id} › `)];
  });
}

function Planned({ plan }: { readonly plan: FlowPlan }): JSX.Element {
  const { assumptions, back, ends, items } = plan;
  const { assumed, columns, ends: words, nothing, plan: title } = EDITOR;
  return (
    <>
      <Scrolled name={title}>
        <table class="rows" aria-label={title}>
          <Head columns={columns} />
          <tbody>
            {rowsOf(items).map(({ back: undone, deed, id, parameters }) => (
              <tr key={id}>
                <td class="cell-name">{id}</td>
                <td>
                  {deed}
                  {parameters && <code class="faint">{JSON.stringify(parameters)}</code>}
                </td>
                <td data-name={columns[2]}>{undone.join(', ') || nothing}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      <p role="status">{`${words[ends]} ${ends === 'open' ? '' : back.join(', ') || nothing}`}</p>
      {assumptions.length > 0 && (
        <p class="faint">
          {`${assumed} ${assumptions.map(({ member, step }) => `${step} ${member}`).join(', ')}`}
        </p>
      )}
    </>
  );
}
