import { DEADLINE_MS, within } from '../deadline.js';
import { testRunner } from './runner.js';
import { describeDefinitions } from './store-definitions.js';
import { describeChildren } from './store-children.js';
import { describeChanges } from './store-changes.js';
import { describeStoreClose } from './store-close.js';
import { describeCommit } from './store-commit.js';
import { describeDue } from './store-due.js';
import { describeExecutors } from './store-executors.js';
import { describeFinals } from './store-finals.js';
import type { OpenStore, StoreFixture, StoreRule } from './store-fixture.js';
import { describeFlows } from './store-flows.js';
import { describeFullTask } from './store-full-task.js';
import { describeInsert } from './store-insert.js';
import { describeList } from './store-list.js';
import { describeIdPrefixes, describeListedFlows } from './store-list-flows.js';
import { describeWaits } from './store-waits.js';
import { describeLocks } from './store-locks.js';
import { describeLoops } from './store-loops.js';
import { describeMade, describeNested } from './store-nested.js';
import { describeOpaque } from './store-opaque.js';
import { describeRecords } from './store-records.js';
import { describeHeld, describeSessions } from './store-sessions.js';
import { describeTerms } from './store-terms.js';
import { describeSnapshots } from './store-snapshot.js';

/**
 * The contract of every store, for all of its ports; an adapter's spec is a call of this. The store
 * that the last `reopen` of a rule returned is the one that is disposed of.
 */
export function storeContract(name: string, openStore: OpenStore): void {
  const { describe, it } = testRunner();
  const rule: StoreRule = (ruleName, body) => {
    const run = async (): Promise<void> => {
      let last = await openStore();
      try {
        await body(following(last, (reopened) => (last = reopened)));
      } finally {
        await within('the fixture is disposed of', last.dispose());
      }
    };
    it(ruleName, run, 3 * DEADLINE_MS);
  };
  describe(`store contract: ${name}`, () => {
    describeInsert(rule);
    describeCommit(rule);
    describeChildren(rule);
    describeLocks(rule);
    describeRecords(rule);
    describeFinals(rule);
    describeChanges(rule);
    describeSnapshots(rule);
    describeDue(rule);
    describeList(rule);
    describeListedFlows(rule);
    describeIdPrefixes(rule);
    describeWaits(rule);
    describeTerms(rule);
    describeOpaque(rule);
    describeFullTask(rule);
    describeNested(rule);
    describeMade(rule);
    describeLoops(rule);
    describeFlows(rule);
    describeDefinitions(rule);
    describeExecutors(rule);
    describeSessions(rule);
    describeHeld(rule);
    describeStoreClose(rule);
  });
}

/** A rule may ask any of its fixtures to reopen: it is always the newest one that closes. */
function following(first: StoreFixture, tell: (reopened: StoreFixture) => void): StoreFixture {
  let newest = first;
  const reopen = async (): Promise<StoreFixture> => {
    newest = await newest.reopen();
    tell(newest);
    return { ...portsOf(newest), reopen, dispose: () => newest.dispose() };
  };
  return { ...portsOf(first), reopen, dispose: () => newest.dispose() };
}

function portsOf(fixture: StoreFixture): Omit<StoreFixture, 'reopen' | 'dispose'> {
  const { reopen: _reopen, dispose: _dispose, ...ports } = fixture;
  return ports;
}
