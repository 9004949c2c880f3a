export { type Case, CASES, type Client, CLIENTS, flowOf, moduleOf } from './cases.js';
export { ClientJournal, type JournalLine, keyFaults, wordsOf } from './client-journal.js';
export { ClientProgram, missingFor } from './client-program.js';
export { FaultyProxy } from './faulty-proxy.js';
export { killAmidTasks } from './kill-amid-tasks.js';
export { playCase, type Stage } from './play-case.js';
