import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { FlowStep, JsonObject } from '../api/shapes.js';
import { objectOrFault } from '../task/action-form.js';
import { ONLY_STEP } from '../words/only-step.js';
import { TextField } from '../ui/fields.js';

/** The step that a new task runs by itself, as it is asked for. */
export interface OnlyChoice {
  /** Name of the step; empty: all of them run. */
  readonly step: string;
  /** JSON: what the steps before it have given. */
  readonly given: string;
}

/** Where these outputs stand in the body of a request for a task. */
export const GIVEN = '/given';

/** The members of a request for one step by itself; a text instead says what is wrong. */
export function onlyMembers({ given, step }: OnlyChoice): JsonObject | string {
  if (step === '') return {};
  const outputs = objectOrFault(given, ONLY_STEP.givenBroken);
  return typeof outputs === 'string' ? outputs : { only: step, given: outputs };
}

interface OnlyFieldsProps {
  readonly steps: readonly FlowStep[];
  readonly choice: OnlyChoice;
  readonly onChoose: (choice: OnlyChoice) => void;
  /** The mistake in the outputs; undefined: there is none. */
  readonly fault: string | undefined;
}

/** Whether all steps run, or which one by itself. */
export function OnlyFields({ choice, fault, onChoose, steps }: OnlyFieldsProps): JSX.Element {
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
          onChange={({ currentTarget }) => onChoose({ given, step: currentTarget.value })}>
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
        <TextField
          name={ONLY_STEP.given}
          value={given}
          onType={(text) => onChoose({ step, given: text })}
          fault={fault}
          isLong
        />
      )}
    </>
  );
}
