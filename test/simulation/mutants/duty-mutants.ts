import type { HeldPage } from '#ports';
import type { Mutant } from '../mutant.js';
import { differing, overriding } from '../mutated-store.js';
import { lifeOf } from '../session-server.js';

const NOTHING_HELD: HeldPage = { tasks: [], next: null };

/** Bugs of processes and participants: something that must be done is not done. */
export const DUTY_MUTANTS: readonly Mutant[] = [
  {
    name: 'no-governance',
    bug: 'no process looks after due tasks',
    duties: { governance: false, recovery: false },
  },
  {
    name: 'lease-never-expires',
    bug: 'claims of ended sessions are not found',
    sessions: (inner) => differing(inner, { findHeld: async () => NOTHING_HELD }),
  },
  {
    name: 'session-never-ends',
    bug: 'the session of a dead process is never ended',
    sessions: (inner) => differing(inner, { endSession: async () => false }),
  },
  {
    name: 'session-ended-anyway',
    bug: 'a session is ended although it was renewed after the look',
    server: 'ends_sessions_anyway',
  },
  {
    name: 'session-revived',
    bug: 'a session that has ended may be renewed',
    server: 'revives_sessions',
  },
  {
    name: 'living-taken-for-dead',
    bug: 'governance takes the leases of living sessions',
    sessions: (inner, process) =>
      differing(inner, {
        listSessions: async () => {
          const all = await inner.listSessions();
          return all.map((each) =>
            lifeOf(each.session) === process.owner ? each : { ...each, isOver: true },
          );
        },
      }),
  },
  {
    name: 'own-taken-for-former',
    bug: 'the only process on a store takes its own claims for those of its former life',
    sessions: (inner, { world }) => {
      if (!world.scenario.isStandalone) return inner;
      const asOver = <T extends object>(record: T): T => ({ ...record, isOver: true });
      return differing(inner, {
        listSessions: async () => (await inner.listSessions()).map(asOver),
      });
    },
  },
  {
    name: 'held-in-part',
    bug: 'the first task that an ended session holds is overlooked',
    sessions: (inner) =>
      differing(inner, {
        findHeld: async (session, query) => {
          const page = await inner.findHeld(session, query);
          return query.after === undefined ? { ...page, tasks: page.tasks.slice(1) } : page;
        },
      }),
  },
  {
    name: 'unknown-fails',
    bug: 'a step fails if one build lacks its command, although another one has it',
    failsUnknown: true,
  },
  {
    name: 'error-left-alone',
    bug: 'callers are not told that a write had no answer',
    store: (inner) =>
      overriding(inner, {
        commit: (previous, next) => {
          const result = inner.commit(previous, next);
          void result.then((answer) => answer);
          return result;
        },
      }),
  },
  { name: 'no-barrier', bug: 'participants obey every request', participant: 'nothing' },
  {
    name: 'idempotency-only',
    bug: 'participants know repetitions, but neither old tokens nor rollbacks',
    participant: 'no_fence_no_bar',
  },
  {
    name: 'fence-only',
    bug: 'participants refuse old tokens, but repeat an effect for a newer one',
    participant: 'no_repetition',
  },
  {
    name: 'skip-unknown',
    bug: 'a rollback does nothing if the outcome of its step is unknown',
    command: (inner) => ({
      secrets: inner.secrets,
      run: (context, onLeft) =>
        context.direction === 'rollback' && context.output === null
          ? Promise.resolve({ kind: 'succeeded', output: null })
          : inner.run(context, onLeft),
    }),
  },
];
