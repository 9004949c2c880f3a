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
 * Sends a form with these fields, and says what is wrong with it beside each. `words`: what is
 * said in place of the sentence of the answer, by its code.
 */
export function useSending(
  fields: readonly string[],
  words: Readonly<Record<string, (sentence: string) => string>> = {},
): Sending {
  const [faults, say] = useState(NO_FAULTS);
  const [isSending, setSending] = useState(false);
  const send: Sending['send'] = async (mistakes, deliver) => {
    say(placeFaults(mistakes, fields));
    if (mistakes.length > 0 || isSending) return;
    setSending(true);
    await deliver().catch((failure: unknown) => {
      const reword = failure instanceof Refused && words[failure.problem.code ?? ''];
      const about = reword && reword(failure.message);
      say(about ? { ...NO_FAULTS, about } : faultsOf(failure, fields));
    });
    setSending(false);
  };
  return { faults, isSending, send };
}
