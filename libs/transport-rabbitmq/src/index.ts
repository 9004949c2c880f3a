export type { RabbitmqTransportOptions } from './options.js';
export { openRabbitmqTransport } from './rabbitmq-transport.js';
export { markVhost, VhostTaken } from './set-mark.js';
export { moduleQueue, PARKING_QUEUE } from './topology.js';
