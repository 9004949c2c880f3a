import type { Mutant } from '../mutant.js';
import { DUTY_MUTANTS } from './duty-mutants.js';

/** A change that breaks no promise, because something else holds it. */
export interface EquivalentMutant {
  readonly mutant: Mutant;
  /** The part that holds the promise instead. */
  readonly because: string;
  /**
   * The mutant that takes that away: both together break what neither breaks alone. Null: nothing
   * holds it, for nothing hangs on it, and every history goes as it does without the mutant.
   */
  readonly without: Mutant | null;
}

/** First lines of defence that have a second one behind them. */
export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = [
  {
    mutant: {
      name: 'early-ack',
      bug: 'messages are acknowledged before their work',
      acksEarly: true,
    },
    because: 'governance sends a lost message again',
    without: named(DUTY_MUTANTS, 'no-governance'),
  },
  {
    mutant: {
      name: 'broker-trusted',
      bug: 'an unconfirmed message counts as sent',
      trustsBroker: true,
    },
    because: 'nothing is decided on it: what is queued is sent again until somebody claims it',
    without: null,
  },
  {
    mutant: {
      name: 'no-abort',
      bug: 'a command does not learn that it has lost its lease or is called off',
      abortsNothing: true,
    },
    because: 'a participant refuses the effects of old tokens and of what was rolled back',
    without: named(DUTY_MUTANTS, 'idempotency-only'),
  },
];

/** Two bugs at once, found where the other one alone breaks nothing. */
export function bothOf(one: Mutant, other: Mutant): Mutant {
  const name = `${one.name}+${other.name}`;
  return { ...other, ...one, name, bug: `${one.bug}; ${other.bug}`, beyond: other };
}

function named(mutants: readonly Mutant[], name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}`);
  return found;
}
