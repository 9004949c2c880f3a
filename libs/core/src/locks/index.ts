export { isLockName, LOCK_NAME_MAX, lockQuestion } from './lock-names.js';
export { waitingTickets } from './lock.js';
