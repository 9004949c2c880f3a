import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import type { Explanation, Task, TaskEvent } from '../api/shapes.js';
import { copyText } from '../browser/clipboard.js';
import { useOffer } from '../palette/commands.js';
import { Labels } from '../tasks/task-table.js';
import { Fact } from '../ui/fact.js';
import { Icon } from '../ui/icons.js';
import { LinkedText } from '../ui/linked-text.js';
import { Moment, Span } from '../ui/moment.js';
import { lookOf } from '../ui/states.js';
import { stateWord, WORDS } from '../words.js';
import { ONLY_STEP } from '../words/only-step.js';
import { ActionDialog } from './action-dialog.js';
import { ACTIONS, isFirst, legalActions, roleOf, type TaskAction, type Verb } from './actions.js';
import { exactTimes } from './exact-times.js';
import { NextSteps } from './next-steps.js';
import { SignalButton } from './signal-dialog.js';
import { standingOf } from './standing.js';
import { awaits } from './steps.js';

interface TaskHeadProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
  readonly why: Explanation | null;
  readonly picked: string | null;
  readonly onDone: (task: Task) => void;
}

/** How the task stands, why, and what can be done about it. */
export function TaskHead({ events, onDone, picked, task, why }: TaskHeadProps): JSX.Element {
  const { flow, flowVersion, status, taskId } = task;
  const [verb, open] = useState<Verb | null>(null);
  const told = new Set([stateWord(status), standingOf(task, why?.causes).words]);
  return (
    <>
      <p role="status" aria-live="polite" class="unseen">
        {`${flow}: ${[...told].join(', ')}`}
      </p>
      <p class="faint sub-head">
        <a href={`/console/flows/${encodeURIComponent(flow)}?version=${flowVersion}`}>
          {`${flow} ${WORDS.task.version} ${flowVersion}`}
        </a>
        {' · '}
        <code>{taskId}</code>
      </p>
      <Why task={task} />
      <Causes {...{ task, why }} onBegin={open} />
      <ActionBar {...{ task, picked, onDone, verb }} onVerb={open} />
      <Facts task={task} events={events} />
    </>
  );
}

function Why({ task }: { readonly task: Task }): JSX.Element | null {
  const { hold, paused, status, taskMessage } = task;
  const isBad = status === 'rollback_failed';
  const sentence = paused === null ? taskMessage : `${paused.by ?? ''}: ${paused.reason}`;
  if (sentence === null || sentence === '') return null;
  return (
    <div class={`notice ${isBad ? 'notice-bad' : ''}`}>
      <Icon name={lookOf(status).icon} />
      <div>
        <p>
          <LinkedText text={sentence} />
        </p>
        {hold !== null && hold.until !== null && (
          <p>
            {`${WORDS.task.holdUntil} `}
            <Moment at={hold.until} isWhole />
          </p>
        )}
      </div>
    </div>
  );
}

/** The task itself says these, just above. */
const TOLD_ALREADY = ['ENDED', 'PAUSED', 'ON_HOLD', 'HELD_UNTIL', 'PAST_PIVOT', 'ROLLBACK_FAILED'];

interface CausesProps {
  readonly task: Task;
  readonly why: Explanation | null;
  readonly onBegin: (verb: Verb) => void;
}

/** How long is left, why it does not move, and what may be done. */
function Causes({ onBegin, task, why }: CausesProps): JSX.Element | null {
  const causes = (why?.causes ?? []).filter(({ code }) => !TOLD_ALREADY.includes(code));
  const estimate = why?.estimate ?? null;
  const isKnown = estimate !== null && estimate.p50 !== null;
  if (causes.length === 0 && !isKnown) return null;
  return (
    <section class="causes" aria-label={WORDS.task.why}>
      {isKnown && (
        <p class="faint">
          <LinkedText text={estimate.message} />
        </p>
      )}
      <ul>
        {causes.slice(0, CAUSES_SHOWN).map(({ code, evidence, message, next }) => (
          <li key={`${code} ${JSON.stringify(evidence['id'])}`}>
            <LinkedText text={message} /> <NextSteps {...{ evidence, next, onBegin, task }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const CAUSES_SHOWN = 5;

interface ActionBarProps extends Omit<TaskHeadProps, 'events' | 'why'> {
  /** The action whose dialog is open; null: none is. */
  readonly verb: Verb | null;
  readonly onVerb: (verb: Verb | null) => void;
}

function ActionBar({ onDone, onVerb: open, picked, task, verb }: ActionBarProps): JSX.Element {
  const { may } = useRights();
  const legal = legalActions(task).filter((action) => may(roleOf(action)));
  // The sensible one comes first, and the others stand back.
  const [first, others] = [true, false].map((isSo) =>
    legal.filter((action) => isFirst(action, task) === isSo),
  );
  const actions = [...(first ?? []), ...(others ?? [])];
  // A dialog stays open when the task has moved on: the gateway says so.
  const opened = ACTIONS.find((action) => action.verb === verb);
  const begin = (action: TaskAction): void => open(action.verb);
  useOffer(
    actions.map((action) => {
      const { verb, words } = action;
      return { id: `action ${verb}`, kind: 'action', words, run: () => begin(action) };
    }),
  );
  const isSignalled = awaits(task, 'signal');
  const signal = <SignalButton key="signal" {...{ task, onDone }} isFirst={isSignalled} />;
  const buttons = actions.map((action) => (
    <button
      key={action.verb}
      type="button"
      class={classOf(action, first?.indexOf(action) ?? -1)}
      onClick={() => begin(action)}>
      {action.words}
    </button>
  ));
  return (
    <div class="action-bar" id="actions">
      {isSignalled ? [signal, ...buttons] : [...buttons, signal]}
      <CopyMenu taskId={task.taskId} />
      {opened !== undefined && (
        <ActionDialog {...{ task, picked, onDone }} action={opened} onClose={() => open(null)} />
      )}
    </div>
  );
}

/** The first one is the main one; one beside it that takes something away has an outline. */
function classOf({ isGrave = false }: TaskAction, place: number): string {
  if (place === 0) return 'main';
  if (place > 0) return isGrave ? 'grave-outline' : '';
  return isGrave ? 'back is-grave' : 'back';
}

/** The word for a task that its parent owes. */
function owedWord({ flow }: TaskHeadProps['task']): string {
  return flow === ALERT_FLOW ? WORDS.task.alert : WORDS.task.failureFlow;
}

/** The built-in flow of tasks that call a person. */
const ALERT_FLOW = 'backstep-alert';

function Facts({ events, task }: Pick<TaskHeadProps, 'events' | 'task'>): JSX.Element {
  const { labels, only, origin, parent, restartOf, timeCreate, timeEnd } = task;
  return (
    <dl class="facts facts-row">
      <Fact name={WORDS.task.created}>
        <Moment at={timeCreate} isWhole />
      </Fact>
      <Fact name={timeEnd === null ? WORDS.task.takes : WORDS.task.took}>
        <Span {...exactTimes(task, events)} />
      </Fact>
      {timeEnd !== null && (
        <Fact name={WORDS.task.ended}>
          <Moment at={timeEnd} isWhole />
        </Fact>
      )}
      {Object.keys(labels).length > 0 && (
        <Fact name={WORDS.task.labels}>
          <Labels labels={labels} />
        </Fact>
      )}
      {origin && <Fact name={WORDS.task.origin}>{Object.values(origin).join(', ')}</Fact>}
      {parent && (
        <Fact name={WORDS.task.parent}>
          <a href={`/console/tasks/${parent.taskId}`}>
            {[parent.taskId, parent.step ?? owedWord(task)].join(', ')}
          </a>
        </Fact>
      )}
      {only !== null && <Fact name={ONLY_STEP.fact}>{only}</Fact>}
      {restartOf !== null && (
        <Fact name={WORDS.task.restartOf}>
          <a href={`/console/tasks/${restartOf}`}>{restartOf}</a>
        </Fact>
      )}
    </dl>
  );
}

/** The task as a command, as a request, as an address. */
function CopyMenu({ taskId }: { readonly taskId: string }): JSX.Element {
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
