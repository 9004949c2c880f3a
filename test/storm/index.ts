export { judgeKills, KILL_FLOWS, type KillVerdict, someKillOrder } from './kill-orders.js';
export { type Endured, endure, type OrdealPlan } from './ordeal.js';
export { formatRecovery, formatReport, formatReports, recoveryOf } from './recovery.js';
export { type Blow, type BlowReport, storm, type StormPlan } from './storm.js';
