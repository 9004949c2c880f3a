export type { RabbitmqTransportOptions } from './options.js';
export { openRabbitmqTransport } from './rabbitmq-transport.js';
export { type BrokerExamParts, type BrokerFault, examineBroker } from './examine-broker.js';
export { moduleQueue, PARKING_QUEUE, queueArguments } from './topology.js';
