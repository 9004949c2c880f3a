export { EffectExecutor } from './effect.executor.js';
export { LabModule, type LabOptions } from './lab.module.js';
export { labParts, labProcess } from './lab.process.js';
export { LaterExecutor } from './later.executor.js';
export { PracticeExecutor } from './practice.executor.js';
