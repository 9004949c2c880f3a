export { dropSocket, joinWrites, WRITE_AHEAD_BYTES } from './amqplib.js';
export { transformations } from './class-transformer.js';
export { usePlainArguments } from './nest.js';
export { answerOf, collectGarbage, compileEarly, freeWorkerHeaps, startYoung } from './node.js';
export { type ReadMetric, registerMetric } from './prom-client.js';
