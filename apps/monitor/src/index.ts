export { MonitorModule, type MonitorOptions } from './monitor.module.js';
export type { WebhookTarget } from './webhook.js';
