import { type Clock, PROGRESS, recordsOf, type RecordStore } from '#ports';
import type { CommonParts, OutputParts } from '../options.js';
import { outputIn } from './output-lines.js';
import { ProgressView } from './progress-view.js';

/** The parts of a gateway by which it shows what attempts say. */
export function outputParts(
  records: RecordStore,
  clock: Clock,
): OutputParts & Pick<CommonParts, 'progress'> {
  const progress = new ProgressView(records, clock);
  return { output: outputIn(records), progresses: recordsOf(records, PROGRESS), progress };
}
