import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import { ask } from '../api/exchange.js';
import type { ListedOperation } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { DialogEnd, failureText, ReasonField } from '../ui/dialog-parts.js';
import { secondsOf } from '../ui/durations.js';
import { LongText } from '../ui/long-text.js';
import { Modal } from '../ui/modal.js';
import { Moment } from '../ui/moment.js';
import { sayOutcome } from '../ui/outcome.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { OperationBrief, subjectOf } from './operation-brief.js';
import { wordsOf } from './operation-form.js';

const WAITING = { status: 'waiting', limit: 200 };
const EVERY_MS = 3_000;

/** The decision that the dialog asks a second person to confirm. */
interface Answer {
  readonly operation: ListedOperation;
  readonly verb: 'approve' | 'reject';
}

interface DecideDialogProps {
  readonly answer: Answer;
  readonly onClose: () => void;
}

interface Deciding {
  readonly error: string | null;
  readonly send: (comment: string) => Promise<void>;
}

/** How many operations wait for a second person, and what to do about each; empty: none does. */
export function useWaitingOperations(everyMs = EVERY_MS): readonly ListedOperation[] {
  const look = (signal: AbortSignal) => ask('GET /v1/operations', { query: WAITING, signal });
  return usePolled('waiting operations', look, everyMs).value?.items ?? [];
}

/** Operations that wait for a second person, with an answer to each; nothing where none does. */
export function WaitingOperations({
  operations,
}: {
  readonly operations: readonly ListedOperation[];
}): JSX.Element {
  const [answer, give] = useState<Answer | null>(null);
  const { columns, consent, consentAbout } = WORDS.inbox;
  return (
    <>
      {operations.length > 0 && (
        <section class="panel">
          <h2>{`${consent} (${operations.length})`}</h2>
          <p class="faint">{consentAbout}</p>
          <table class="rows lists" aria-label={consent}>
            <Head columns={columns} />
            <tbody>
              {operations.map((operation) => (
                <Row key={operation.operationId} operation={operation} onAnswer={give} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {/* Its answer is read also where the last operation waits no longer. */}
      {answer !== null && <DecideDialog answer={answer} onClose={() => give(null)} />}
    </>
  );
}

interface RowProps {
  readonly operation: ListedOperation;
  readonly onAnswer: (answer: Answer) => void;
}

function Row({ onAnswer, operation }: RowProps): JSX.Element {
  const { action, actor, consent, flow, q, reason, taskId } = operation;
  const { columns } = WORDS.inbox;
  return (
    <tr>
      <td class="cell-name">{wordsOf(action)}</td>
      <td>
        {taskId === null ? (
          <code>{q}</code>
        ) : (
          <a href={`/console/tasks/${taskId}`}>
            <bdi>{flow}</bdi> {taskId}
          </a>
        )}
        <div class="faint">
          <LongText text={reason} />
        </div>
      </td>
      <td data-title={columns[2]}>{consent?.rule}</td>
      <td data-title={columns[3]}>
        <bdi>{actor}</bdi>
      </td>
      <td class="cell-time">{consent !== null && <Moment at={secondsOf(consent.expiresAt)} />}</td>
      <td>
        <Answers {...{ onAnswer, operation }} />
      </td>
    </tr>
  );
}

function Answers({ onAnswer, operation }: RowProps): JSX.Element | null {
  const { may } = useRights();
  const { approve, reject } = WORDS.inbox;
  if (!may('operator')) return null;
  const subject = subjectOf(operation);
  return (
    <div class="buttons">
      <button
        type="button"
        title={`${approve}: ${subject}`}
        onClick={() => onAnswer({ operation, verb: 'approve' })}>
        {approve}
      </button>
      <button
        type="button"
        title={`${reject}: ${subject}`}
        onClick={() => onAnswer({ operation, verb: 'reject' })}>
        {reject}
      </button>
    </div>
  );
}

/** Asks why, says what it means, and answers. */
function DecideDialog({ answer, onClose }: DecideDialogProps): JSX.Element {
  const { operation, verb } = answer;
  const aboutId = useId();
  const [comment, setComment] = useState('');
  const { error, send } = useDeciding(answer, onClose);
  const { approveMeans, comment: label, rejectMeans } = WORDS.inbox;
  const submit = (event: Event): void => {
    event.preventDefault();
    void send(comment.trim());
  };
  return (
    <Modal title={WORDS.inbox[verb]} aboutId={aboutId} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <OperationBrief id={aboutId} operation={operation} />
        <section class="preview" aria-label={WORDS.dialog.preview}>
          <h3>{WORDS.dialog.preview}</h3>
          <p>{verb === 'approve' ? approveMeans : rejectMeans}</p>
        </section>
        <ReasonField label={label} value={comment} onType={setComment} />
        <DialogEnd
          words={WORDS.inbox[verb]}
          dismiss={WORDS.close}
          isGrave={verb === 'reject'}
          {...{ error, onClose }}
        />
      </form>
    </Modal>
  );
}

function useDeciding({ operation, verb }: Answer, onClose: () => void): Deciding {
  const [error, setError] = useState<string | null>(null);
  const send = async (comment: string): Promise<void> => {
    try {
      const { counts, failed, refused } = await api.decide(operation.operationId, {
        verb,
        comment,
      });
      if (refused + failed === 0) {
        onClose();
        sayOutcome(WORDS.outcome.done(WORDS.inbox[verb], subjectOf(operation)));
      } else setError(`${WORDS.inbox.refused} ${Object.keys(counts).join(', ')}`);
    } catch (failure) {
      setError(failureText(failure));
    }
  };
  return { error, send };
}
