export { LabModule, type LabOptions } from './lab.module.js';
export { faultSwitches, labParts, labProcess } from './lab.process.js';
