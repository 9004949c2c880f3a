export { Exchange, type Reply, type Sent } from './exchange.js';
export { Range } from './range.js';
export type { Reproduction, Subject, Verdict } from './reproduction.js';
export { playSalvo, type SalvoFigures } from './salvo.js';
export { faultsOf, salvoText } from './salvo-text.js';
export { SUBJECTS } from './subjects/index.js';
