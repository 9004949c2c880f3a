import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Progress } from '../api/output-shapes.js';
import { Icon } from '../ui/icons.js';
import { progressWords } from '../ui/progress-bar.js';
import { lookOf } from '../ui/states.js';
import { stateWord } from '../words.js';
import { GRAPH } from '../words/graph.js';
import { type Box, isDeep, isTall, isWide } from './graph-layout.js';
import type { GraphScope, GraphStep } from './graph-model.js';
import { runWords } from './runs.js';

/** How much something holds, and whether that is drawn. */
export interface Fold {
  readonly isOpen: boolean;
  /** Steps that are drawn or hidden. */
  readonly count: number;
  readonly toggle: () => void;
}

/** The data of the node of a step. */
interface StepData {
  readonly step: GraphStep;
  /** Additional text; null: none. */
  readonly badge: string | null;
  /** How far its running attempt is; null: nobody has said so. */
  readonly progress: Progress | null;
  readonly isPicked: boolean;
  readonly onPick: (id: string) => void;
  /** null: it holds no steps. */
  readonly fold: Fold | null;
}

/** The data of the box around the steps of a scope. */
interface ScopeData {
  readonly scope: GraphScope;
  /** Name of the step that holds it. */
  readonly holder: string;
  /** null: it stands for several, which cannot be opened. */
  readonly fold: Fold | null;
}

/** A node of a step or of a scope, in the place of its `Box`. */
interface Drawn extends Pick<Box, 'id' | 'depth' | 'x' | 'y' | 'width' | 'height'> {
  /** Equal for nodes that are drawn alike. */
  readonly looks: string;
}

export interface StepNode extends Drawn {
  readonly type: 'step';
  readonly data: StepData;
}

export interface ScopeNode extends Drawn {
  readonly type: 'scope';
  readonly data: ScopeData;
}

/** A step: forward above, its undo in the lane below. */
export function StepBox({ data }: Pick<StepNode, 'data'>): JSX.Element {
  const { badge, fold, isPicked, progress, step } = data;
  const id = useId();
  const { isPivot, state, undo } = step;
  const { tone } = lookOf(state);
  const holds = fold?.isOpen === true ? `holds ${undo === null ? 'holds-only' : ''}` : '';
  const sizes = [isWide(step) && 'is-wide', isDeep(step) && 'is-deep', isTall(step) && 'is-tall'];
  const size = sizes.filter(Boolean).join(' ');
  const marks = [
    isPivot && `${id}-pivot`,
    badge !== null && `${id}-badge`,
    progress !== null && `${id}-action`,
  ].filter(Boolean);
  return (
    <div class={`node tone-${tone} ${holds} ${size} ${isPicked ? 'is-picked' : ''}`}>
      {step.run === undefined ? (
        <StepButton {...data} actionId={`${id}-action`} describedBy={marks.join(' ')} />
      ) : (
        <RunText step={step} />
      )}
      {fold !== null && (
        <FoldButton fold={fold} of={step.name}>
          {GRAPH.steps(fold.count)}
        </FoldButton>
      )}
      {(isPivot || badge !== null) && (
        <span class="node-marks">
          {isPivot && (
            <span id={`${id}-pivot`} class="node-mark node-pivot">
              <Icon name="pivot" />
              {GRAPH.pivot}
            </span>
          )}
          {badge !== null && (
            <span id={`${id}-badge`} class="node-mark">
              <Icon name="alert" />
              {badge}
            </span>
          )}
        </span>
      )}
    </div>
  );
}

/** A run is no step that could be picked: its name and how its steps fare, as text. */
function RunText({ step }: Pick<StepData, 'step'>): JSX.Element {
  return (
    <span class="run-text">
      <span class="node-name" title={step.name}>
        <Breakable name={step.name} />
      </span>
      <span class="run-words">{runWords(step, (state) => stateWord(state).toLowerCase())}</span>
    </span>
  );
}

/** A name that needs two lines ends the first one behind a part of it, where it has parts. */
function Breakable({ name }: { readonly name: string }): JSX.Element {
  return (
    <>
      {name.split(/(?<=[_.])/).map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}

interface StepButtonProps extends StepData {
  /** Ids of what is said about the step besides; empty: nothing. */
  readonly describedBy: string;
  /** Id of what says what it does, or how far it is. */
  readonly actionId: string;
}

function StepButton(props: StepButtonProps): JSX.Element {
  const { actionId, describedBy, isPicked, onPick, progress, step } = props;
  const { attempts, command, id, label, name, state, undo } = step;
  const action = progress === null ? command : progressWords(progress);
  const shares = progress === null ? step.shares : sharesOf(progress);
  return (
    <button
      type="button"
      class="node-button"
      aria-pressed={isPicked}
      {...(describedBy !== '' && { 'aria-describedby': describedBy })}
      onClick={() => onPick(id)}>
      <span class="unseen">{label}</span>
      <span class="node-name" aria-hidden="true" title={name}>
        <Breakable name={name} />
      </span>
      <span
        id={actionId}
        class="node-command"
        aria-hidden="true"
        title={progress === null ? command : `${command}: ${action}`}>
        {action}
      </span>
      {shares !== undefined && shares.length > 0 && <Shares shares={shares} />}
      {state !== '' && (
        <span class="node-state" aria-hidden="true">
          <Icon name={lookOf(state).icon} />
          {stateWord(state)}
          {attempts > 1 && <span class="faint">{` ×${attempts}`}</span>}
        </span>
      )}
      {undo !== null && <UndoLane {...undo} />}
    </button>
  );
}

/** The part that is done, as a share of the bar; none where nobody has counted it. */
function sharesOf({ percent }: Progress): GraphStep['shares'] {
  return percent === undefined ? [] : [{ tone: 'move', share: percent / 100 }];
}

/** How the child tasks of a step stand, or how far its attempt is, as a bar. */
function Shares({ shares }: Required<Pick<GraphStep, 'shares'>>): JSX.Element {
  let x = 0;
  return (
    <svg class="node-shares" aria-hidden="true" viewBox="0 0 1 1" preserveAspectRatio="none">
      {shares.map(({ share, tone }) => {
        const from = x;
        x += share;
        return <rect key={tone} class={`tone-${tone}`} x={from} width={share} height={1} />;
      })}
    </svg>
  );
}

interface FoldButtonProps {
  readonly fold: Fold;
  /** Name of the step that holds what is folded. */
  readonly of: string;
  readonly children: ComponentChildren;
}

/** Its name never looks like that of a step, which is `<step>, <state>`. */
function FoldButton({ children, fold, of }: FoldButtonProps): JSX.Element {
  const { isOpen, toggle } = fold;
  return (
    <button type="button" class="fold" aria-expanded={isOpen} onClick={toggle}>
      <Icon name={isOpen ? 'open' : 'folded'} />
      {children}
      <span class="unseen">{` ${GRAPH.of} ${of}`}</span>
    </button>
  );
}

function UndoLane({ command, of, state }: NonNullable<GraphStep['undo']>): JSX.Element {
  const isIdle = state === '' || state === 'none';
  const { icon, tone } = lookOf(state);
  const word = stateWord(state).toLowerCase();
  const { undo, undoOf } = GRAPH;
  const words = of === undefined ? undo(word) : undoOf(of, word);
  return (
    <span
      aria-hidden="true"
      class={`lane tone-${state === 'succeeded' ? 'back' : tone} ${isIdle ? 'is-idle' : ''}`}>
      <Icon name={isIdle ? 'back' : icon} />
      <span class="lane-text">{isIdle ? command : words}</span>
    </span>
  );
}

/** Steps that go forward or back together. */
export function ScopeBox({ data }: Pick<ScopeNode, 'data'>): JSX.Element {
  const { fold, holder } = data;
  const { isBack, isUndone, title } = data.scope;
  const { goingBack, goneBack, steps } = GRAPH;
  const notes = [
    isBack && (isUndone ? goneBack : goingBack),
    fold?.isOpen === false && steps(fold.count),
  ].filter(Boolean);
  return (
    <div class={`scope ${isBack ? 'is-back' : ''}`}>
      <span class="scope-title">
        {fold === null ? (
          title
        ) : (
          <FoldButton fold={fold} of={holder}>
            {title}
          </FoldButton>
        )}
        {isBack && <Icon name="back" />}
        {notes.join(', ')}
      </span>
    </div>
  );
}
