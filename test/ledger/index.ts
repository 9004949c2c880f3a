export { hasEnded, isAt, untilAllEnded, untilTask } from './ended.js';
export {
  allocationsOf,
  countByStatus,
  faultsAfter,
  judge,
  type Traces,
  type Verdict,
} from './ledger.js';
export { journalFaults } from './journal.js';
