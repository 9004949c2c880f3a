import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { FAULT_KINDS, type FaultKind } from '../api/shapes.js';
import { RefusalNotice } from '../ui/notices.js';
import { WORDS } from '../words.js';
import type { Faults } from './faults.js';

interface FaultSwitchProps {
  readonly faults: Faults;
  /** Name of the step; null: none was picked, or it runs no command. */
  readonly step: string | null;
}

/** Has a step go wrong, to see what becomes of it. Only where Backstep has such switches. */
export function FaultSwitch({ faults, step }: FaultSwitchProps): JSX.Element | null {
  const id = useId();
  const { kinds, refusal, set } = faults;
  const { may } = useRights();
  if (kinds === null || step === null || !may('operator')) return null;
  const now = kinds.get(step) ?? null;
  const choices: readonly (FaultKind | null)[] = [null, ...FAULT_KINDS];
  return (
    <fieldset class="fault-switch" aria-describedby={`${id}-about`}>
      <legend>{`${WORDS.lab.title} ${step}`}</legend>
      <div class="fault-choices">
        {choices.map((kind) => (
          <label key={kind ?? 'off'}>
            <input type="radio" name={id} checked={kind === now} onChange={() => set(step, kind)} />
            {WORDS.lab.choices[kind ?? 'off']}
          </label>
        ))}
      </div>
      <p id={`${id}-about`} class="faint">
        {WORDS.lab.about[now ?? 'off']}
      </p>
      {refusal && <RefusalNotice refusal={refusal} />}
    </fieldset>
  );
}
