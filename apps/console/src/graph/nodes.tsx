import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../ui/icons.js';
import { lookOf } from '../ui/states.js';
import { stateWord } from '../words.js';
import type { GraphScope, GraphStep } from './graph-model.js';

/** The data of the node of a step. */
interface StepData extends Record<string, unknown> {
  readonly step: GraphStep;
  /** Additional text; null: none. */
  readonly badge: string | null;
  readonly isPicked: boolean;
  readonly isAcross: boolean;
  readonly onPick: (id: string) => void;
}

/** The data of the box around the steps of a scope. */
interface ScopeData extends Record<string, unknown> {
  readonly scope: GraphScope;
}

export type StepNode = Node<StepData, 'step'>;
export type ScopeNode = Node<ScopeData, 'scope'>;

/** A step: forward above, its undo in the lane below. */
export function StepBox({ data }: NodeProps<StepNode>): JSX.Element {
  const { badge, isAcross, isPicked, onPick, step } = data;
  const id = useId();
  const { attempts, command, label, name, scopes, state, undo } = step;
  const { tone } = lookOf(state);
  const holds = scopes.length > 0 ? `holds ${undo === null ? 'holds-only' : ''}` : '';
  return (
    <div class={`node tone-${tone} ${holds} ${isPicked ? 'is-picked' : ''}`}>
      <Ends isAcross={isAcross} />
      <button
        type="button"
        class="node-button nodrag nopan"
        aria-pressed={isPicked}
        {...(badge !== null && { 'aria-describedby': id })}
        onClick={() => onPick(step.id)}
      >
        <span class="unseen">{label}</span>
        <span class="node-name" aria-hidden="true">
          {name}
        </span>
        <span class="node-command" aria-hidden="true">
          {command}
        </span>
        {state !== '' && (
          <span class="node-state" aria-hidden="true">
            <Icon name={lookOf(state).icon} />
            {stateWord(state)}
            {attempts > 1 && <span class="faint">{` ×${attempts}`}</span>}
          </span>
        )}
        {undo !== null && <UndoLane {...undo} />}
      </button>
      {badge !== null && (
        <span id={id} class="node-badge">
          <Icon name="alert" />
          {badge}
        </span>
      )}
    </div>
  );
}

function UndoLane({ command, state }: NonNullable<GraphStep['undo']>): JSX.Element {
  const isIdle = state === '' || state === 'none';
  const { icon, tone } = lookOf(state);
  return (
    <span
      aria-hidden="true"
      class={`lane tone-${state === 'succeeded' ? 'back' : tone} ${isIdle ? 'is-idle' : ''}`}
    >
      <Icon name={isIdle ? 'back' : icon} />
      <span class="lane-text">{isIdle ? command : `Undo ${stateWord(state).toLowerCase()}`}</span>
    </span>
  );
}

/** Where arrows begin and end: forward ones above, those of the way back below. */
function Ends({ isAcross }: { readonly isAcross: boolean }): JSX.Element {
  const [start, end] = isAcross
    ? ([Position.Left, Position.Right] as const)
    : ([Position.Top, Position.Bottom] as const);
  return (
    <>
      <Handle
        id="in"
        type="target"
        position={start}
        className="end end-forward"
        isConnectable={false}
      />
      <Handle
        id="out"
        type="source"
        position={end}
        className="end end-forward"
        isConnectable={false}
      />
      <Handle
        id="back-in"
        type="target"
        position={end}
        className="end end-back"
        isConnectable={false}
      />
      <Handle
        id="back-out"
        type="source"
        position={start}
        className="end end-back"
        isConnectable={false}
      />
    </>
  );
}

/** Steps that go forward or back together. */
export function ScopeBox({ data }: NodeProps<ScopeNode>): JSX.Element {
  const { isBack, title } = data.scope;
  return (
    <div class={`scope ${isBack ? 'is-back' : ''}`}>
      <span class="scope-title">
        {isBack && <Icon name="back" />}
        {title}
        {isBack && ', going back'}
      </span>
    </div>
  );
}
