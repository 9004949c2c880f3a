import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { longNumberIn } from '../api/long-number.js';
import type { FlowStep, JsonObject } from '../api/shapes.js';
import { readObject } from '../task/action-form.js';
import { WORDS } from '../words.js';
import { ONLY_STEP } from '../words/only-step.js';

/** The step that a new task runs by itself, as it is asked for. */
export interface OnlyChoice {
  /** Name of the step; empty: all of them run. */
  readonly step: string;
  /** JSON: what the steps before it have given. */
  readonly given: string;
}

/** The members of a request for one step by itself; a text instead says what is wrong. */
export function onlyMembers({ given, step }: OnlyChoice): JsonObject | string {
  if (step === '') return {};
  const outputs = given.trim() === '' ? {} : readObject(given);
  if (outputs !== null) return { only: step, given: outputs };
  const long = longNumberIn(given);
  return long === null ? ONLY_STEP.givenBroken : WORDS.dialog.longNumber(long);
}

interface OnlyFieldsProps {
  readonly steps: readonly FlowStep[];
  readonly choice: OnlyChoice;
  readonly onChoose: (choice: OnlyChoice) => void;
}

/** Whether all steps run, or which one by itself. */
export function OnlyFields({ choice, onChoose, steps }: OnlyFieldsProps): JSX.Element {
  const id = useId();
  const { given, step } = choice;
  return (
    <>
      <div class="field">
        <label for={id}>{ONLY_STEP.steps}</label>
        <select
          id={id}
          value={step}
          {...(step !== '' && { 'aria-describedby': `${id}-about` })}
          onChange={({ currentTarget }) => onChoose({ given, step: currentTarget.value })}
        >
          <option value="">{ONLY_STEP.all}</option>
          {steps.map(({ name }) => (
            <option key={name} value={name}>
              {ONLY_STEP.only(name)}
            </option>
          ))}
        </select>
        {step !== '' && (
          <p id={`${id}-about`} class="faint">
            {ONLY_STEP.about}
          </p>
        )}
      </div>
      {step !== '' && (
        <div class="field">
          <label for={`${id}-given`}>{ONLY_STEP.given}</label>
          <textarea
            id={`${id}-given`}
            rows={3}
            spellcheck={false}
            value={given}
            onInput={({ currentTarget }) => onChoose({ step, given: currentTarget.value })}
          />
        </div>
      )}
    </>
  );
}
