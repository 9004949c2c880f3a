import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { GraphStep } from '../graph/graph-model.js';
import { nodeId, stepNames } from '#kinds';
import { EDITOR } from '../words/editor.js';
import type { CodeView } from './code-view.js';
import { NeedForm } from './need-form.js';
import {
  addStep,
  changeStep,
  isGraph,
  moveStep,
  readSteps,
  removeStep,
  sayNeeds,
  type StepChange,
  stepsPath,
} from './step-edit.js';
import { formOf, parameterFields } from './step-fields.js';
import { StepForm } from './step-form.js';
import type { Known } from './suggest.js';
import { nodeAt, type TextPath } from './text-edit.js';
import type { Typing } from './use-draft.js';

interface StepToolsProps {
  /** As it is drawn. */
  readonly text: string;
  /** The picked one; null: none is. */
  readonly step: GraphStep | null;
  readonly known: Known;
  readonly typing: Typing;
  readonly view: { readonly current: CodeView | null };
  readonly onPick: (id: string | null) => void;
}

const { step: TEXT } = EDITOR;

/** The place of the picked step in the text, or of the end of the flow. */
function stepsOf({ step, text }: Pick<StepToolsProps, 'step' | 'text'>) {
  const root = stepsPath(text);
  const path: TextPath = [...root, ...(step?.path ?? [readSteps(text, root).length - 1])];
  const list = path.slice(0, -1);
  const steps = readSteps(text, list);
  return { root, path, list, steps, place: Number(path.at(-1)), names: stepNames(steps) };
}

/** The changes that can be made to the steps, and the words for the last one. */
function useChanges({ onPick, step, text, typing, view }: StepToolsProps) {
  const [said, say] = useState('');
  const place = stepsOf({ step, text });
  const { list, path, root, steps } = place;
  /** Another text, unless a person has typed since the drawing was made. */
  const change = (next: string, words: string): boolean => {
    const isStale = typing.now() !== text;
    if (!isStale && next !== text) view.current?.change(next);
    typing.settle();
    say(isStale ? TEXT.done.stale : words);
    return !isStale;
  };
  const pickAt = (at: number): void => onPick(nodeId([...list, at].slice(root.length)));
  return {
    ...place,
    said,
    change,
    add: (wish: StepChange): boolean => {
      const isDone = change(addStep(text, path, wish), TEXT.done.added(wish.name));
      if (isDone) pickAt(place.place + 1);
      return isDone;
    },
    remove: (name: string): boolean => {
      const isOnly = steps.length === 1 && list.length > root.length;
      if (isOnly) say(TEXT.done.only);
      const isDone = !isOnly && change(removeStep(text, path), TEXT.done.removed(name));
      if (isDone) onPick(null);
      return isDone;
    },
    move: (name: string, by: -1 | 1): void => {
      if (steps[place.place + by] === undefined) return;
      if (change(moveStep(text, path, by), TEXT.done.moved(name))) pickAt(place.place + by);
    },
    takeBack: (): void => {
      view.current?.takeBack();
      typing.settle();
      say(TEXT.done.takenBack);
    },
  };
}

type Changes = ReturnType<typeof useChanges>;

/** All that can be done to the steps of a drawing. It changes the text, which can take it back. */
export function StepTools(props: StepToolsProps): JSX.Element {
  const { step, text, view } = props;
  const [isAdding, set] = useState(false);
  const adder = useRef<HTMLButtonElement>(null);
  const changes = useChanges(props);
  const close = (): void => {
    set(false);
    adder.current?.focus();
  };
  const show = (): void => view.current?.show((nodeAt(text, changes.path)?.offset ?? 0) + 1);
  return (
    <section class="step-tools" aria-label={TEXT.tools}>
      <div class="buttons">
        <button type="button" ref={adder} aria-expanded={isAdding} onClick={() => set(!isAdding)}>
          {step === null ? TEXT.add : TEXT.addAfter(step.name)}
        </button>
        {step && (
          <StepButtons {...{ step, changes, show }} onRemoved={() => adder.current?.focus()} />
        )}
        <button type="button" onClick={changes.takeBack}>
          {TEXT.takeBack}
        </button>
      </div>
      <p role="status" class="faint">
        {changes.said}
      </p>
      {isAdding && <AddForm {...props} changes={changes} onClose={close} />}
      {step && !isAdding && <ChangeForm key={step.id} {...props} {...{ step, changes }} />}
    </section>
  );
}

interface StepButtonsProps {
  readonly step: GraphStep;
  readonly changes: Changes;
  readonly show: () => void;
  readonly onRemoved: () => void;
}

function StepButtons({ changes, onRemoved, show, step }: StepButtonsProps): JSX.Element {
  const { move, place, remove, steps } = changes;
  const moves = [
    { by: -1, words: TEXT.earlier },
    { by: 1, words: TEXT.later },
  ] as const;
  return (
    <>
      {!isGraph(steps) &&
        moves.map(({ by, words }) => (
          <button
            key={words}
            type="button"
            aria-disabled={steps[place + by] === undefined}
            onClick={() => move(step.name, by)}>
            {words}
          </button>
        ))}
      <button type="button" onClick={() => remove(step.name) && onRemoved()}>
        {TEXT.remove}
      </button>
      <button type="button" onClick={show}>
        {TEXT.show}
      </button>
    </>
  );
}

interface AddFormProps extends StepToolsProps {
  readonly changes: Changes;
  readonly onClose: () => void;
}

function AddForm({ changes, known, onClose, step, text }: AddFormProps): JSX.Element {
  const needs = step === null ? [] : [step.name];
  return (
    <StepForm
      title={step === null ? TEXT.add : TEXT.addAfter(step.name)}
      form={{ name: '', command: '', undo: 'none', undoCommand: '', parameters: {}, needs }}
      others={changes.names}
      parametersOf={(command) => parameterFields({ text, path: null, command, known })}
      isGraph={isGraph(changes.steps)}
      isNew
      known={known}
      onChange={(wish) => changes.add(wish) && onClose()}
      onClose={onClose}
    />
  );
}

interface ChangeFormProps extends StepToolsProps {
  readonly step: GraphStep;
  readonly changes: Changes;
}

function ChangeForm({ changes, known, step, text }: ChangeFormProps): JSX.Element {
  const { change, list, names, path, place, steps } = changes;
  const { kind, name, needs } = step;
  const others = names.filter((_, at) => at !== place);
  const shared = {
    others,
    isGraph: isGraph(steps),
    onChange: (wish: StepChange) => {
      change(changeStep(text, path, wish), TEXT.done.changed(wish.name));
    },
  };
  const parameters = [...path, 'normal', 'parameters'];
  return (
    <>
      {kind === 'normal' ? (
        <StepForm
          title={TEXT.form(name)}
          form={formOf(steps[place] ?? {}, name, needs)}
          parametersOf={(command) => parameterFields({ text, path: parameters, command, known })}
          isNew={false}
          known={known}
          {...shared}
        />
      ) : (
        <NeedForm {...{ kind, name, needs }} {...shared} />
      )}
      {!isGraph(steps) && steps.length > 1 && (
        <p class="faint">
          {`${TEXT.chain} `}
          <button
            type="button"
            class="link"
            onClick={() => change(sayNeeds(text, list), TEXT.done.changed(name))}>
            {TEXT.sayNeeds}
          </button>
        </p>
      )}
    </>
  );
}
