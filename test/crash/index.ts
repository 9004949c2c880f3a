export { CrashRounds, type PointReport, type RoundParts } from './crash-rounds.js';
export { formatFigures, type PointFigures } from './figures.js';
export { killsOfTurn } from './kills-of-turn.js';
export { CRASH_POINTS, type CrashPoint } from './points.js';
export { SCENE_FLOWS } from './scenes.js';
