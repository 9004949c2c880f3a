export { MonitorModule, type MonitorOptions } from './monitor.module.js';
export type { WebhookTarget } from './webhook.js';
export { monitorParts, monitorProcess } from './monitor.process.js';
