import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
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
import { StartForm } from './start-form.js';

const EVERY_MS = 10_000;
/** Older ones are still there, by their address. */
const VERSIONS_SHOWN = 20;

interface Shown {
  readonly flow: Flow;
  readonly newest: number;
}

/** One version of a flow, drawn, and a form to start a task of it. */
export function FlowPage(): JSX.Element {
  const { params, query } = useRoute();
  const name = params['name'] ?? '';
  const wanted = /^[1-9]\d{0,8}$/.test(query['version'] ?? '') ? Number(query['version']) : null;
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
      <PageHead title={isGone ? WORDS.flows.notFound : name} />
      <AwayNotice isAway={isAway} />
      {refusal && !isGone && <RefusalNotice refusal={refusal} />}
      {value && <Content {...value} />}
    </>
  );
}

function Content({ flow, newest }: Shown): JSX.Element {
  const [picked, pick] = useState<string | null>(null);
  const faults = useFaults(flow.name);
  const graph = flowGraph(flow.steps);
  const step = findStep(graph.steps, picked);
  return (
    <>
      {flow.description !== null && <p>{flow.description}</p>}
      <p class="faint sub-head">
        {`${WORDS.task.version} ${flow.version} · `}
        <Moment at={flow.timeCreate} />
        {flow.maxLive !== undefined && ` · ${flow.maxLive} ${WORDS.flows.maxLive}`}
        {' · '}
        <a href={`/console/tasks?q=${encodeURIComponent(`flow:${flow.name}`)}`}>
          {WORDS.flows.tasks}
        </a>
      </p>
      <section class="panel graph-panel">
        <LazyGraph graph={graph} picked={picked} onPick={pick} badges={badgesOf(faults)} />
        <p class="legend faint" role="status">
          {step ? `${step.name}: ${step.command}${undoWords(step)}` : WORDS.task.legend}
        </p>
        <FaultSwitch faults={faults} step={step?.kind === 'normal' ? step.name : null} />
      </section>
      <div class="columns">
        {flow.version === newest ? <StartForm key={flow.version} flow={flow} /> : <div />}
        <Versions name={flow.name} shown={flow.version} newest={newest} />
      </div>
    </>
  );
}

function undoWords({ undo }: GraphStep): string {
  return undo === null ? '' : `, undo: ${undo.command}`;
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

interface VersionsProps {
  readonly name: string;
  readonly shown: number;
  readonly newest: number;
}

function Versions({ name, newest, shown }: VersionsProps): JSX.Element {
  const count = Math.min(newest, VERSIONS_SHOWN);
  const versions = Array.from({ length: count }, (_, index) => newest - index);
  return (
    <section class="panel" aria-labelledby="versions-title">
      <h2 id="versions-title">{WORDS.flows.versions}</h2>
      <ul class="versions">
        {versions.map((version) => (
          <li key={version}>
            <a
              href={`/console/flows/${encodeURIComponent(name)}?version=${version}`}
              {...(version === shown && { 'aria-current': 'true' as const })}
            >
              {`${WORDS.task.version} ${version}`}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
