import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Flow } from '../api/shapes.js';
import { flowGraph, type GraphStep } from '../graph/graph-model.js';
import { Graph } from '../graph/graph.js';
import { FaultSwitch } from '../lab/fault-switch.js';
import { badgesOf, useFaults } from '../lab/faults.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { DrillMark } from './drill-mark.js';
import { HowItDoes } from './how-it-does.js';
import { ONLY_STEP } from '../words/only-step.js';
import type { OnlyChoice } from './only-fields.js';
import { StartForm } from './start-form.js';
import { type StepAgain, stepAgain } from './step-again.js';
import { VersionDiff, Versions } from './versions.js';

const EVERY_MS = 10_000;

interface Shown {
  readonly flow: Flow;
  readonly newest: number;
  /** The step that is to run by itself, as the address has it; empty: all of them. */
  readonly only: string;
  /** Of the task that the address names; null: it names none. */
  readonly again: StepAgain | null;
}

/** One version of a flow, drawn, and a form to start a task of it. */
export function FlowPage(): JSX.Element {
  const { params, query } = useRoute();
  const name = params['name'] ?? '';
  const { may } = useRights();
  const wanted = versionIn(query['version']);
  const other = versionIn(query['compare']);
  const only = query['only'] ?? '';
  const from = query['from'];
  const ask = async (signal: AbortSignal): Promise<Shown> => {
    const newest = await api.flow(name, null, signal);
    const isNewest = wanted === null || wanted === newest.version;
    const flow = isNewest ? newest : await api.flow(name, wanted, signal);
    const task = from === undefined ? null : await api.task(from, signal);
    const again = task === null ? null : stepAgain(task, only);
    return { flow, newest: newest.version, only, again };
  };
  const { isAway, refusal, value } = usePolled(`${name}@${wanted} ${only} ${from}`, ask, EVERY_MS);
  const isGone = refusal?.problem.code === 'FLOW_NOT_FOUND';
  return (
    <>
      <PageHead title={isGone ? WORDS.flows.notFound : name}>
        {!isGone && may('author') && (
          <a class="button" href={`/console/flows/${encodeURIComponent(name)}/edit`}>
            {WORDS.flows.edit}
          </a>
        )}
      </PageHead>
      <AwayNotice isAway={isAway} />
      {refusal && !isGone && <RefusalNotice refusal={refusal} />}
      {value && other !== null && <VersionDiff name={name} from={other} to={value.flow.version} />}
      {value && <Content {...value} />}
    </>
  );
}

function versionIn(text: string | undefined): number | null {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : null;
}

function Content({ again, flow, newest, only }: Shown): JSX.Element {
  const graph = flowGraph(flow.steps);
  const [picked, pick] = useState(graph.steps.find(({ name }) => name === only)?.id ?? null);
  const [choice, choose] = useState<OnlyChoice>({
    step: only,
    given: again === null ? '' : JSON.stringify(again.given),
  });
  const faults = useFaults(flow.name);
  const { may } = useRights();
  const isStartable = flow.version === newest && may('starter');
  const step = findStep(graph.steps, picked);
  const own = graph.steps.find(({ id }) => id === picked);
  return (
    <>
      {flow.description !== null && (
        <p>
          <LongText text={flow.description} />
        </p>
      )}
      <Facts flow={flow} />
      <div class="columns">
        {isStartable ? <StartForm {...{ flow, again }} only={choice} onOnly={choose} /> : <div />}
        <Versions name={flow.name} shown={flow.version} newest={newest} />
      </div>
      <section class="panel graph-panel">
        <Graph graph={graph} picked={picked} onPick={pick} badges={badgesOf(faults)} />
        <p class="legend faint" role="status">
          {step ? `${step.name}: ${commandWords(step)}` : WORDS.task.legend}
        </p>
        {isStartable && own !== undefined && (
          <p class="legend">
            <button type="button" onClick={() => choose({ ...choice, step: own.name })}>
              {ONLY_STEP.run}
            </button>
          </p>
        )}
        <FaultSwitch faults={faults} step={step?.kind === 'normal' ? step.name : null} />
      </section>
      <HowItDoes name={flow.name} />
    </>
  );
}

/** The version, its drill, and the way to its tasks. */
function Facts({ flow }: { readonly flow: Flow }): JSX.Element {
  return (
    <p class="faint sub-head">
      {`${WORDS.task.version} ${flow.version} · `}
      <Moment at={flow.timeCreate} />
      {' · '}
      <DrillMark flow={flow} />
      {flow.drill && (
        <>
          {' '}
          <Moment at={flow.drill.at} />
        </>
      )}
      {flow.maxLive !== undefined && ` · ${flow.maxLive} ${WORDS.flows.maxLive}`}
      {' · '}
      <a href={`/console/tasks?q=${encodeURIComponent(`flow:${flow.name}`)}`}>
        {WORDS.flows.tasks}
      </a>
    </p>
  );
}

function commandWords({ command, undo }: GraphStep): string {
  return undo === null ? command : WORDS.graph.written(command, undo.command);
}

function findStep(steps: readonly GraphStep[], id: string | null): GraphStep | null {
  for (const step of steps) {
    if (step.id === id) return step;
    const inner = findStep(
      step.scopes.flatMap((scope) => scope.steps),
      id,
    );
    if (inner !== null) return inner;
  }
  return null;
}
