import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';
import { lackingParameters } from './required-parameters.js';

/** Looks whether commands get the parameters that they require, where their schemas are known. */
export function checkRequired({
  commands,
  definition,
  lists,
  origins,
  problems,
  warnings,
}: Examination): void {
  if (commands === undefined) return;
  for (const { half, step, ...words } of lackingParameters(definition, lists, commands)) {
    const found = words.code === 'MISSING_PARAMETER' ? problems : warnings;
    found.add({ pointer: memberOf(step, origins, half), ...words });
  }
}
