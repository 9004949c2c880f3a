import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';

/** Bugs of processes and participants: something that must be done is not done. */
export const DUTY_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-governance',
    bug: 'nobody looks after due tasks',
    duties: { governance: false, recovery: false },
  },
  {
    name: 'lease-never-expires',
    bug: 'governance does not see tasks whose lease ran out',
    store: (inner) =>
      overriding(inner, {
        findDue: async (now, limit, skip) => {
          const due = await inner.findDue(now, limit, skip);
          const holds = (until: number | undefined): boolean => until !== undefined && until <= now;
          return due.filter(
            ({ runs }) =>
              !runs.some(
                ({ normal, rollback }) =>
                  holds(normal.lease?.until) || holds(rollback?.lease?.until),
              ),
          );
        },
      }),
  },
  {
    name: 'unknown-fails',
    bug: 'a step fails where one build lacks its command, whoever else has it',
    failsUnknown: true,
  },
  {
    name: 'error-left-alone',
    bug: 'what follows a write is not told that the write had no answer',
    store: (inner) =>
      overriding(inner, {
        commit: (previous, next) => {
          const result = inner.commit(previous, next);
          void result.then((answer) => answer);
          return result;
        },
      }),
  },
  { name: 'no-barrier', bug: 'participants do whatever they are told', participant: 'nothing' },
  {
    name: 'idempotency-only',
    bug: 'participants know repetitions, but neither old tokens nor what was rolled back',
    participant: 'no_fence_no_bar',
  },
  {
    name: 'fence-only',
    bug: 'participants refuse old tokens, and repeat what a newer one repeats',
    participant: 'no_repetition',
  },
  {
    name: 'skip-unknown',
    bug: 'a rollback does nothing where the outcome of its step is not known',
    command: (inner) => ({
      run: (context, onLeft) =>
        context.direction === 'rollback' && context.output === null
          ? Promise.resolve({ kind: 'succeeded', output: null })
          : inner.run(context, onLeft),
    }),
  },
];
