export type { RabbitmqTransportOptions } from './options.js';
export { openRabbitmqTransport } from './rabbitmq-transport.js';
export { moduleQueue, PARKING_QUEUE } from './topology.js';
