import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Json, Task, Writer, WrittenValue } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { JsonView } from '../ui/json-view.js';
import { Moment } from '../ui/moment.js';
import { usePaced } from '../ui/polled.js';
import { usePrinting } from '../ui/printing.js';
import { WORDS } from '../words.js';

/** Between two looks at a task that moves quickly. */
const GAP_MS = 2_000;
/** Asked with each new revision; besides, a task that does not move is looked at now and then. */
const EVERY_MS = 60_000;
/** More parameters are shown when a person asks for them. */
const SHOWN_MAX = 50;
/** Up to this many characters, a value stands in its line. */
const SHORT = 60;

interface ProvenanceProps {
  readonly task: Task;
  readonly onPick: (run: string) => void;
}

/** Parameters as they stand now, each with its writer and what it was before. */
export function Provenance({ onPick, task }: ProvenanceProps): JSX.Element {
  const { parameters, revision, taskId } = task;
  const ask = (signal: AbortSignal) => api.provenance(taskId, signal);
  const { value: found } = usePaced(taskId, ask, {
    everyMs: EVERY_MS,
    gapMs: GAP_MS,
    wish: revision,
  });
  const [isWhole, show] = useState(false);
  const isPrinting = usePrinting();
  // Until the writers are known, the values alone.
  if (found === null || Object.keys(found).length === 0) {
    return <JsonView name={WORDS.task.now} value={parameters} />;
  }
  const rows = Object.entries(found);
  const isAll = isWhole || isPrinting || rows.length <= SHOWN_MAX;
  return (
    <>
      <table class="rows lists provenance" aria-label={WORDS.task.now}>
        <Head columns={WORDS.provenance.columns} />
        <tbody>
          {(isAll ? rows : rows.slice(0, SHOWN_MAX)).map(([name, values]) => (
            <Row key={name} {...{ name, values, onPick }} />
          ))}
        </tbody>
      </table>
      {!isAll && (
        <button type="button" onClick={() => show(true)}>
          {WORDS.provenance.all(rows.length)}
        </button>
      )}
    </>
  );
}

interface RowProps extends Pick<ProvenanceProps, 'onPick'> {
  readonly name: string;
  readonly values: readonly WrittenValue[];
}

function Row({ name, onPick, values }: RowProps): JSX.Element | null {
  const latest = values.at(-1);
  const earlier = values.slice(0, -1).reverse();
  if (latest === undefined) return null;
  const [, , by, since] = WORDS.provenance.columns;
  return (
    <tr>
      <th scope="row" class="cell-name">
        {name}
      </th>
      <td data-title="">
        <Value name={name} value={latest.value} />
        {earlier.length > 0 && <Earlier {...{ name, values: earlier, onPick }} />}
      </td>
      <td data-name={by}>
        <WriterName writer={latest.writer} onPick={onPick} />
      </td>
      <td class="cell-time" data-name={since}>
        <Moment at={latest.at} isWhole />
      </td>
    </tr>
  );
}

/** Earlier values of the parameter, the newest first. */
function Earlier({ name, onPick, values }: RowProps): JSX.Element {
  const [isOpen, open] = useState(false);
  // There may be as many as the task has steps.
  const shown = isOpen ? values : [];
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{WORDS.provenance.earlier(values.length)}</summary>
      <ol role="list" class="earlier">
        {shown.map(({ at, value, writer }, index) => (
          <li key={index}>
            <Value name={name} value={value} />
            <span class="faint">
              {' · '}
              <WriterName writer={writer} onPick={onPick} />
              {' · '}
              <Moment at={at} isWhole />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

interface WriterNameProps extends Pick<ProvenanceProps, 'onPick'> {
  readonly writer: Writer;
}

function WriterName({ onPick, writer }: WriterNameProps): JSX.Element {
  const { writers } = WORDS.provenance;
  if (writer.kind === 'person') return <>{writer.actor}</>;
  if (writer.kind !== 'step') return <>{writers[writer.kind]}</>;
  const { id } = writer;
  return (
    <>
      {`${writers.step} `}
      <button type="button" class="link" onClick={() => onPick(id)}>
        {id}
      </button>
    </>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: Json }): JSX.Element {
  const text = JSON.stringify(value);
  return text.length <= SHORT ? <code>{text}</code> : <JsonView name={name} value={value} />;
}
