export { LabModule, type LabOptions } from './lab.module.js';
export { labParts, labProcess } from './lab.process.js';
