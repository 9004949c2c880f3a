export { MonitorModule, type MonitorOptions } from './monitor.module.js';
export { NotDelivered, Webhook, type WebhookMessage, type WebhookTarget } from './webhook.js';
export { monitorParts, monitorProcess } from './monitor.process.js';
