import { moduleQueue, PARKING_QUEUE, queueArguments } from '#transport-rabbitmq';
import { code, table } from './table.js';

const MODULE = 'mysql';

const QUEUES: readonly (readonly [queue: string, use: string, isNeeded: string])[] = [
  [moduleQueue(MODULE), 'messages of the module', 'yes'],
  [
    moduleQueue(MODULE, 'high'),
    'those with a priority above 0',
    'no: without it they are in the first',
  ],
  [moduleQueue(MODULE, 'low'), 'those with a priority below 0', 'no: as above'],
  [moduleQueue(MODULE, 'immediate'), 'keeps nothing, and saves time', 'no'],
  [PARKING_QUEUE, 'messages that cannot be read', 'yes'],
];

/** The queues of a module, and the one that all share, as a process declares them. */
export function queueTable(): string {
  const rows = QUEUES.map(([queue, use, isNeeded]) => {
    return [code(queue), use, isNeeded, code(JSON.stringify(queueArguments(queue, '4.0.0')))];
  });
  return table(['queue', 'has', 'needed', 'arguments'], rows);
}
