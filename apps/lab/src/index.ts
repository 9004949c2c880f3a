export { LabModule, type LabOptions } from './lab.module.js';
