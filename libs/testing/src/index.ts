export { answerPlainly, PlainEvaluator } from './plain-evaluator.js';
export { SystemClock } from '#machine';
export { commandContext } from './command-context.js';
export { auditLogContract, type AuditLogFixture, sampleEntry } from './contracts/audit-log.js';
export { barrierContract } from './contracts/barrier.js';
export { attemptOf, type BarrierFixture } from './contracts/barrier-fixture.js';
export { playStorm } from './contracts/barrier-storm.js';
export type { StormGate } from './contracts/barrier-storm.js';
export { clockContract } from './contracts/clock.js';
export {
  sampleDelivery,
  sampleNotification,
  sampleOperation,
  sampleSchedule,
  sampleStatistics,
} from './contracts/record-samples.js';
export { stepTransportContract } from './contracts/step-transport.js';
export { storeContract } from './contracts/store-contract.js';
export { assertSameJson } from './contracts/store-expectations.js';
export type { OpenStore, StoreFixture } from './contracts/store-fixture.js';
export { type BreakableStore, unreadableContract } from './contracts/store-unreadable.js';
export { type MarkableStore, type MarkedParts, writesContract } from './contracts/store-writes.js';
export { unreadableRecordsContract } from './contracts/unreadable-records.js';
export type { BreakableRecords, Breakage, BreakOrder } from './contracts/unreadable-records.js';
export { endedOf, eventfulTask, nextOf, SAMPLE_TIME, sampleTask } from './contracts/sample-task.js';
export { freshModule, stepDispatch } from './contracts/step-dispatch.js';
export { DEADLINE_MS, within } from './deadline.js';
export {
  action,
  chain,
  done,
  EngineWorld,
  fails,
  flow,
  ScriptedCommands,
  type WorldOptions,
} from './engine-world.js';
export { FakeEntropy } from './fake-entropy.js';
export { Gate, Inbox } from './inbox.js';
export { MemoryChildren } from './memory-children.js';
export { MemoryLocks } from './memory-locks.js';
export { MemoryRecords } from './memory-records.js';
export { secretResolverContract, type SecretResolverFixture } from './contracts/secret-resolver.js';
export { MemorySecrets } from './memory-secrets.js';
export { PlainSecrets } from './plain-secrets.js';
export { PLAIN_TOKENS } from './plain-tokens.js';
export { HeldTransport } from './held-transport.js';
export { ManualClock, settle } from './manual-clock.js';
export { MemorySnapshots } from './memory-snapshots.js';
export { MemoryStore } from './memory-store.js';
export { RecordingObserver } from './recording-observer.js';
export { TokenIssuer, type TokenOrder } from './token-issuer.js';
