export { hasEnded, untilAllEnded } from './ended.js';
export { countByStatus, faultsAfter, type Traces } from './ledger.js';
export { journalFaults } from './journal.js';
