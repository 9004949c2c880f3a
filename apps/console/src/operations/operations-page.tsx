import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { ListedOperation } from '../api/shapes.js';
import { ListedPage } from '../pages/listed-page.js';
import { Head } from '../ui/table-head.js';
import { secondsOf } from '../ui/durations.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { LongText } from '../ui/long-text.js';
import { Modal } from '../ui/modal.js';
import { Moment } from '../ui/moment.js';
import { sayOutcome } from '../ui/outcome.js';
import { stateWord, WORDS } from '../words.js';
import { OperationBrief, subjectOf } from './operation-brief.js';
import { wordsOf } from './operation-form.js';
import { outcomeWords } from './outcome-words.js';

/** How often it is looked how far they are, in milliseconds. */
const EVERY_MS = 1_000;

/** Actions on many tasks: how far they are, what was in their way, and an end to them. */
export function OperationsPage(): JSX.Element {
  const [off, setOff] = useState<ListedOperation | null>(null);
  const { about, none } = WORDS.operations;
  const show = (operations: readonly ListedOperation[]): JSX.Element => (
    <table class="rows lists" aria-label={WORDS.pages.operations}>
      <Head columns={WORDS.operations.columns} />
      <tbody>
        {operations.map((operation) => (
          <Row key={operation.operationId} operation={operation} onCancel={setOff} />
        ))}
      </tbody>
    </table>
  );
  return (
    <>
      <ListedPage name="operations" show={show} everyMs={EVERY_MS} {...{ about, none }} />
      {off !== null && <CancelDialog operation={off} onClose={() => setOff(null)} />}
    </>
  );
}

interface RowProps {
  readonly operation: ListedOperation;
  readonly onCancel: (operation: ListedOperation) => void;
}

function Row({ onCancel, operation }: RowProps): JSX.Element {
  const { action, actor, counts, createdAt, dryRun, endedAt, q, reason, status, taskId } =
    operation;
  const { columns, dryRun: dry, progress } = WORDS.operations;
  const { done, failed, matched, refused, wouldDo } = operation;
  const { may } = useRights();
  const acted = done + refused + failed + (wouldDo ?? 0);
  return (
    <tr>
      <td class="cell-name">
        {wordsOf(action)}
        {dryRun && <div class="faint">{dry}</div>}
      </td>
      <td>
        {taskId === null ? <code>{q}</code> : <a href={`/console/tasks/${taskId}`}>{taskId}</a>}
        <div class="faint">
          <LongText text={reason} />
        </div>
      </td>
      <td data-title={columns[2]}>
        <span aria-live="polite">{stateWord(status)}</span>{' '}
        <progress max={Math.max(1, matched)} value={acted} aria-label={progress} />
        <div>{outcomeWords(operation)}</div>
        {Object.entries(counts).map(([code, count]) => (
          <div key={code} class="faint">{`${count} × ${code}`}</div>
        ))}
      </td>
      <td>
        <bdi>{actor}</bdi>
      </td>
      <td class="cell-time">
        <Moment at={secondsOf(createdAt)} />
      </td>
      <td>
        {may('operator') && endedAt === null && ['running', 'waiting'].includes(status) && (
          <button
            type="button"
            title={`${WORDS.operations.callOff}: ${subjectOf(operation)}`}
            onClick={() => onCancel(operation)}>
            {WORDS.operations.callOff}
          </button>
        )}
      </td>
    </tr>
  );
}

interface CancelDialogProps {
  readonly operation: ListedOperation;
  readonly onClose: () => void;
}

function CancelDialog({ onClose, operation }: CancelDialogProps): JSX.Element {
  const aboutId = useId();
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.cancelOperation(operation.operationId, reason.trim());
      onClose();
      sayOutcome(WORDS.outcome.done(WORDS.operations.callOff, subjectOf(operation)));
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return (
    <Modal title={WORDS.operations.callOff} aboutId={aboutId} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <OperationBrief id={aboutId} operation={operation} />
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{WORDS.operations.callOffMeans}</p>
        </section>
        <ReasonField value={reason} onType={setReason} />
        <DialogEnd
          words={WORDS.operations.callOff}
          dismiss={WORDS.close}
          isGrave
          {...{ error, onClose }}
        />
      </form>
    </Modal>
  );
}
