export { LabModule, type LabOptions } from './lab.module.js';
export { loseAttempt } from './lose-attempt.js';
export { faultSwitches, labParts, labProcess } from './lab.process.js';
