export { hasEnded, isAt, untilAllEnded, untilTask } from './ended.js';
export { allocationsOf, countByStatus, faultsAfter, type Traces } from './ledger.js';
export { journalFaults } from './journal.js';
