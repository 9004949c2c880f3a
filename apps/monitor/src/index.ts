export { EventExecutor } from './event.executor.js';
export { MonitorModule, type MonitorOptions } from './monitor.module.js';
export { NotDelivered, Webhook, type WebhookMessage, type WebhookTarget } from './webhook.js';
export { TargetExecutor } from './target.executor.js';
export { monitorParts, monitorProcess } from './monitor.process.js';
