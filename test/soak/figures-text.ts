import { formatRecovery } from '../storm/index.js';
import type { SoakFigures } from './soak.js';

const FAULTS_MAX = 20;

/** The figures in lines, for people; what is not as it should be comes first. */
export function figuresText(figures: SoakFigures): string {
  const { calls, counts, lost, memorySlope, reports, stuck, tasks, wrong } = figures;
  const faults = [...lost, ...stuck, ...wrong];
  const slope = memorySlope === undefined ? 'not measured' : `${memorySlope.toFixed(1)} MiB/h`;
  return [
    ...faults.slice(0, FAULTS_MAX),
    ...(faults.length > FAULTS_MAX ? [`and ${faults.length - FAULTS_MAX} more`] : []),
    `tasks ${tasks} ${JSON.stringify(counts)}`,
    `blows ${reports.length}, lost ${lost.length}, stuck ${stuck.length}, wrong ${wrong.length}`,
    formatRecovery(reports),
    `calls of a person ${calls}`,
    `memory slope ${slope}`,
  ].join('\n');
}
