import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { Flow } from '../api/shapes.js';
import { flowGraph, type GraphStep } from '../graph/graph-model.js';
import { LazyGraph } from '../graph/lazy-graph.js';
import { FaultSwitch } from '../lab/fault-switch.js';
import { badgesOf, useFaults } from '../lab/faults.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { DrillMark } from './drill-mark.js';
import { StartForm } from './start-form.js';
import { VersionDiff } from './version-diff.js';
import { Versions } from './versions.js';

const EVERY_MS = 10_000;

interface Shown {
  readonly flow: Flow;
  readonly newest: number;
}

/** One version of a flow, drawn, and a form to start a task of it. */
export function FlowPage(): JSX.Element {
  const { params, query } = useRoute();
  const name = params['name'] ?? '';
  const { may } = useRights();
  const wanted = versionIn(query['version']);
  const other = versionIn(query['compare']);
  const ask = async (signal: AbortSignal): Promise<Shown> => {
    const newest = await api.flow(name, null, signal);
    const isNewest = wanted === null || wanted === newest.version;
    const flow = isNewest ? newest : await api.flow(name, wanted, signal);
    return { flow, newest: newest.version };
  };
  const { isAway, refusal, value } = usePolled(`${name}@${wanted}`, ask, EVERY_MS);
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

function Content({ flow, newest }: Shown): JSX.Element {
  const [picked, pick] = useState<string | null>(null);
  const faults = useFaults(flow.name);
  const { may } = useRights();
  const isStartable = flow.version === newest && may('starter');
  const graph = flowGraph(flow.steps);
  const step = findStep(graph.steps, picked);
  return (
    <>
      {flow.description !== null && <p>{flow.description}</p>}
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
      <section class="panel graph-panel">
        <LazyGraph graph={graph} picked={picked} onPick={pick} badges={badgesOf(faults)} />
        <p class="legend faint" role="status">
          {step ? `${step.name}: ${commandWords(step)}` : WORDS.task.legend}
        </p>
        <FaultSwitch faults={faults} step={step?.kind === 'normal' ? step.name : null} />
      </section>
      <div class="columns">
        {isStartable ? <StartForm key={flow.version} flow={flow} /> : <div />}
        <Versions name={flow.name} shown={flow.version} newest={newest} />
      </div>
    </>
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
