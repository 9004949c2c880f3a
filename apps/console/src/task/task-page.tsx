import type { ComponentProps, JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { memo } from 'preact/compat';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useSession } from '../access/session.js';
import { api } from '../api/client.js';
import type { Progress } from '../api/output-shapes.js';
import type { Explanation, Step, Task, TaskEvent } from '../api/shapes.js';
import { pause } from '../browser/clock.js';
import { taskGraph } from '../graph/graph-model.js';
import { Graph } from '../graph/graph.js';
import { FaultSwitch } from '../lab/fault-switch.js';
import { badgesOf, type Faults, useFaults } from '../lab/faults.js';
import { JsonView } from '../ui/json-view.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { useParts } from '../ui/parts.js';
import { usePaced } from '../ui/polled.js';
import { obstaclesIn } from '../ui/readiness.js';
import { useRest } from '../ui/rest.js';
import { Mark } from '../ui/state-mark.js';
import { useTicking } from '../ui/ticks.js';
import { WORDS } from '../words.js';
import { isGone, refusalToSay, useTask } from './follow-task.js';
import { Gantt } from './gantt.js';
import { runningOf } from './output-lines.js';
import { OutputPanel } from './output-panel.js';
import { Provenance } from './provenance.js';
import { Report } from './report.js';
import { runNames } from './run-names.js';
import { blockingStep, lastingStep, standingOf } from './standing.js';
import { StepDetails } from './step-details.js';
import { allSteps, isFinal, isOnWayBack, standsStill } from './steps.js';
import { TaskHead } from './task-head.js';
import { Timeline } from './timeline.js';
import { useOutput } from './use-output.js';

/** Parts of the page, by the heights of what will stand there. */
const PARTS = ['line', 'bar', 'facts', 'graph', 'panel'] as const;

/** Causes lie outside of the task too; what moves in it is asked about at once. */
const CAUSES_EVERY_MS = 10_000;

const CAUSES_GAP_MS = 3_000;

/** One task, followed live. */
export function TaskPage(): JSX.Element {
  const taskId = useRoute().params['taskId'] ?? '';
  const following = useTask(taskId);
  const { events, isAway, take, task } = following;
  const refusal = refusalToSay(following);
  const why = useExplanation(task);
  const isLate = useLate(taskId);
  const { readiness } = useSession();
  const isReady = !readiness.isAway && obstaclesIn(readiness.value).length === 0;
  useRest(task !== null && !isAway && isReady && standsStill(task));
  // All at once, so that nothing moves under the reader; but nobody waits long for a part.
  const isTold = isLate || isAway || (events.length > 0 && hasWhy(task, why));
  const shown = useRef('');
  if (task !== null && isTold) shown.current = taskId;
  return (
    <>
      <AwayNotice isAway={isAway} />
      <PageHead title={titleOf(taskId, task, isGone(following))}>
        {task !== null && (
          <span class="big-state">
            <Mark {...standingOf(task, why?.causes)} />
          </span>
        )}
      </PageHead>
      {refusal && <RefusalNotice refusal={refusal} />}
      {task !== null && shown.current === taskId ? (
        <Told key={taskId} {...{ task, events, why, take }} />
      ) : (
        !following.refusal && <TaskSkeleton />
      )}
    </>
  );
}

/** Later than this, what is there is shown. */
const LATE_MS = 1_000;

function useLate(taskId: string): boolean {
  const [late, set] = useState('');
  useEffect(() => {
    const { abort, signal } = stoppable();
    void pause(LATE_MS, signal).then(() => !signal.aborted && set(taskId));
    return abort;
  }, [taskId]);
  return late === taskId;
}

function stoppable(): { readonly abort: () => void; readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { abort: () => controller.abort(), signal: controller.signal };
}

function hasWhy(task: Task | null, why: Explanation | null): boolean {
  return why !== null || (task !== null && isFinal(task.status));
}

function titleOf(taskId: string, task: Task | null, isMissing: boolean): string {
  if (task !== null) return `${task.flow} …${taskId.slice(-6)}`;
  return isMissing ? WORDS.task.notFound : taskId;
}

interface ToldProps {
  readonly task: Task;
  readonly events: readonly TaskEvent[];
  readonly why: Explanation | null;
  readonly take: (task: Task) => void;
}

/** A task that is there. */
function Told({ events, take, task, why }: ToldProps): JSX.Element {
  const [picked, pick] = useState<string | null>(null);
  const faults = useFaults(task.flow, task.revision);
  // Until somebody picks a step, the one that is in the way of the task.
  const shown = picked ?? blockingStep(task);
  const step = stepOf(task, shown);
  const lasting = useLasting(task);
  const names = useMemo(() => runNames(task.steps), [task]);
  const { output, progress, running } = useSaid(task, step);
  // Parts of a large task take long to draw: each only where something of it differs.
  const drawn = useParts(6);
  const head = useMemo(
    () => <TaskHead {...{ task, events, why, picked }} onDone={take} />,
    [task, events, why, picked, take],
  );
  const graph = useMemo(
    () => <GraphPanel {...{ task, picked, shown, pick, faults, progress }} />,
    [task, picked, shown, faults, progress],
  );
  const details = useMemo(
    () => <StepDetails step={step ?? stepOf(task, lasting)} task={task} events={events} />,
    [task, shown, lasting, events],
  );
  const timeline = useMemo(
    () => <Timeline taskId={task.taskId} {...{ events, names }} onPick={pick} />,
    [task.taskId, events, names],
  );
  const gantt = useMemo(
    () => <Gantt {...{ task, events, names }} onPick={pick} />,
    [task, events, names],
  );
  return (
    <>
      {head}
      {drawn > 0 && graph}
      <Report task={task} events={events} />
      {drawn > 1 && (
        <div class="columns">
          {details}
          {drawn > 2 && timeline}
        </div>
      )}
      {drawn > 3 && <OutputPanel {...{ output, running, step, task }} />}
      {drawn > 4 && gantt}
      {drawn > 5 && <Values task={task} onPick={pick} />}
    </>
  );
}

/** The run that has been under way for a while: it stays until another one has; null: none yet. */
function useLasting(task: Task): string | null {
  const latest = useRef<string | null>(null);
  const lasting = useTicking((present) => lastingStep(task, present));
  if (lasting !== '') latest.current = lasting;
  return latest.current;
}

/** The output that the page shows, and how far running attempts are, by the ids of runs. */
function useSaid(task: Task, step: Step | null): Said {
  const { status, taskId } = task;
  // Where steps go on, the graph tells of all of them how far they are.
  const run = standsStill(task) ? (step?.id ?? null) : null;
  const output = useOutput({ taskId, run, isLive: !isFinal(status) });
  const running = useMemo(() => runningOf(task, output), [task, output.progress]);
  const progress = useMemo(() => new Map(running.map((each) => [each.run, each])), [running]);
  return { output, running, progress };
}

type Said = Pick<ComponentProps<typeof OutputPanel>, 'output' | 'running'> &
  Pick<GraphPanelProps, 'progress'>;

interface GraphPanelProps {
  readonly task: Task;
  /** By a person; null: none. */
  readonly picked: string | null;
  /** The step that is told about below the graph. */
  readonly shown: string | null;
  readonly pick: (id: string) => void;
  readonly faults: Faults;
  /** How far running attempts are, by the ids of runs. */
  readonly progress: ReadonlyMap<string, Progress>;
}

function GraphPanel({ faults, pick, picked, progress, shown, task }: GraphPanelProps): JSX.Element {
  const isBack = useMemo(() => isOnWayBack(task), [task]);
  const graph = useMemo(() => taskGraph(task.steps, isBack), [task, isBack]);
  const step = stepOf(task, picked);
  return (
    <section class="panel graph-panel">
      <Graph
        key={task.taskId}
        graph={graph}
        picked={shown}
        isPicked={picked !== null}
        onPick={pick}
        badges={badgesOf(faults)}
        progress={progress}
      />
      <p class="faint legend">
        {wayWords(task, isBack)}
        {'. '}
        {WORDS.task.legend}
      </p>
      <FaultSwitch faults={faults} step={step?.kind === 'normal' ? step.name : null} />
    </section>
  );
}

function wayWords({ status }: Task, isBack: boolean): string {
  const { backNow, forwardNow, wentBack, wentForward } = WORDS.task;
  if (isFinal(status)) return isBack ? wentBack : wentForward;
  return isBack ? backNow : forwardNow;
}

interface ValuesProps {
  readonly task: Task;
  readonly onPick: (id: string) => void;
}

const Values = memo(function Values({ onPick, task }: ValuesProps): JSX.Element {
  const { input, output } = task;
  return (
    <section class="panel" aria-labelledby="parameters-title">
      <h2 id="parameters-title">{WORDS.task.parameters}</h2>
      <h3>{WORDS.task.now}</h3>
      <Provenance task={task} onPick={onPick} />
      <h3>{WORDS.task.input}</h3>
      <JsonView name={WORDS.task.input} value={input} />
      {output !== undefined && output !== null && (
        <>
          <h3>{WORDS.task.output}</h3>
          <JsonView name={WORDS.task.output} value={output} />
        </>
      )}
    </section>
  );
});

/** By the id of a run; an event of a run before names a step that has another run by now. */
function stepOf(task: Task, id: string | null): Step | null {
  if (id === null) return null;
  const steps = allSteps(task.steps).map(({ step }) => step);
  const exact = steps.find((step) => step.id === id);
  return exact ?? steps.find(({ name }) => name === id.replace(/~\d+$/, '')) ?? null;
}

/** Stands for a task until it is there, so that nothing moves when it comes. */
function TaskSkeleton(): JSX.Element {
  return (
    <div class="skeleton">
      <p class="unseen">{WORDS.loading}</p>
      {PARTS.map((part) => (
        <div key={part} aria-hidden="true" class={`skeleton-part skeleton-${part}`} />
      ))}
    </div>
  );
}

/** Why the task does not move: asked with each new revision, and now and then; null: not known. */
function useExplanation(task: Task | null): Explanation | null {
  const { revision = 0, status = '', taskId = '' } = task ?? {};
  const key = task === null || isFinal(status) ? '' : `${taskId} ${status}`;
  const { value } = usePaced(key, async (signal) => (key === '' ? null : api.why(taskId, signal)), {
    everyMs: CAUSES_EVERY_MS,
    gapMs: CAUSES_GAP_MS,
    wish: revision,
  });
  return value;
}
