export { BusyPrograms } from './busy-programs.js';
export { wideFlows } from './flows.js';
export { playWide, type WideFigures, type WideRound, wideRounds, wideText } from './wide-round.js';
