export { writeFlows, writeHosts } from './inputs.js';
export { type SeededRandom, seededRandom } from './seeded-random.js';
export { type Stoppable, Trial } from './trial.js';
export { WAITS } from './waits.js';
