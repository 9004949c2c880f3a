import { useState } from 'preact/hooks';
import { Refused } from '../api/exchange.js';
import { type Fault, faultsOf, type FormFaults, NO_FAULTS, placeFaults } from './form-faults.js';

/** How a form is sent. */
export interface Sending {
  readonly faults: FormFaults;
  readonly isSending: boolean;
  /** Says the mistakes; where there are none, delivers the form, one time after the other. */
  readonly send: (mistakes: readonly Fault[], deliver: () => Promise<void>) => Promise<void>;
}

/**
 * Sends a form with these fields, and says what is wrong with it beside each. `words`: sentences in
 * place of those of the answer, by its code.
 */
export function useSending(
  fields: readonly string[],
  words: Readonly<Record<string, string>> = {},
): Sending {
  const [faults, say] = useState(NO_FAULTS);
  const [isSending, setSending] = useState(false);
  const send: Sending['send'] = async (mistakes, deliver) => {
    say(placeFaults(mistakes, fields));
    if (mistakes.length > 0 || isSending) return;
    setSending(true);
    await deliver().catch((failure: unknown) => {
      const about = failure instanceof Refused ? words[failure.problem.code ?? ''] : undefined;
      say(about === undefined ? faultsOf(failure, fields) : { ...NO_FAULTS, about });
    });
    setSending(false);
  };
  return { faults, isSending, send };
}
