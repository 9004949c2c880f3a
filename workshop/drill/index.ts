export { drill } from './drill.js';
export type { DrillGateway } from './gateway.js';
export { DrillFailed } from './stage.js';
