import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { flowGraph, type Graph as GraphModel } from '../graph/graph-model.js';
import { flatten } from '../graph/graph-nodes.js';
import { Graph } from '../graph/graph.js';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';
import type { CodeView } from './code-view.js';
import { countSteps, type ReadText } from './read-text.js';
import { StepTools } from './step-tools.js';
import type { Known } from './suggest.js';
import type { Typing } from './use-draft.js';

/** Drawing more of them with each pause of the author would hold up the typing. */
const STEPS_MAX = 150;
const NO_BADGES: ReadonlyMap<string, string> = new Map();

interface DraftDrawingProps {
  readonly read: ReadText | null;
  readonly typing: Typing;
  readonly view: { readonly current: CodeView | null };
  readonly known: Known;
}

/**
 * The flow as its text has it now, and what can be done to its steps, which changes the text; a
 * text that cannot be read leaves the last drawing.
 */
export function DraftDrawing({ known, read, typing, view }: DraftDrawingProps): JSX.Element {
  const last = useRef<GraphModel | null>(null);
  const [asked, ask] = useState<ReadText | null>(null);
  const [picked, pick] = useState<string | null>(null);
  const isLarge = useMemo(() => countSteps(read?.steps, STEPS_MAX) > STEPS_MAX, [read]);
  const isDrawn = read !== null && (!isLarge || asked === read);
  const graph = useMemo(() => (isDrawn ? flowGraph(read.steps) : last.current), [isDrawn, read]);
  last.current = graph;
  const step = graph && flatten(graph.steps).find(({ id }) => id === picked);
  return (
    <section class="panel graph-panel" aria-label={EDITOR.drawing}>
      {read === null && <p class="faint">{EDITOR.notDrawn}</p>}
      {isLarge && !isDrawn && (
        <p>
          {`${EDITOR.tooMany} `}
          <button type="button" onClick={() => ask(read)}>
            {EDITOR.draw}
          </button>
        </p>
      )}
      {graph === null || graph.steps.length === 0 ? (
        <p class="faint">{EDITOR.nothingDrawn}</p>
      ) : (
        <Graph graph={graph} picked={picked} onPick={pick} badges={NO_BADGES} />
      )}
      <p class="legend faint" role="status">
        {step ? `${step.name}: ${step.command}` : WORDS.task.legend}
      </p>
      {isDrawn && (
        <StepTools
          text={typing.settled}
          step={step ?? null}
          {...{ known, typing, view }}
          onPick={pick}
        />
      )}
    </section>
  );
}
