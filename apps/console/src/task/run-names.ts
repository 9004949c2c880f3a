import type { Step } from '../api/shapes.js';
import { RUN_NAMES } from '../words/run-names.js';
import { allSteps } from './steps.js';

/** Says the id of a run as people do: `both#left/make~2` is `both, branch left › make (run 2)`. */
export type RunNames = (id: string) => string;

/** One part of an id: a step, the number of its run, and what of it holds the next part. */
const PART = /^([^#~]+)(?:~(\d+))?(?:#(.*))?$/;

/** The names of the runs of a task; the kinds of its scopes are known from its steps. */
export function runNames(steps: readonly Step[]): RunNames {
  const kinds = new Map<string, string>();
  for (const { step } of allSteps(steps)) {
    const [scope] = step.scopes ?? [];
    if (scope !== undefined) kinds.set(step.name, scope.kind);
  }
  return (id) =>
    id
      .split('/')
      .map((part) => nameOf(part, kinds))
      .join(RUN_NAMES.in);
}

function nameOf(part: string, kinds: ReadonlyMap<string, string>): string {
  const [, step = part, run, scope] = PART.exec(part) ?? [];
  const name = run === undefined ? step : RUN_NAMES.again(step, run);
  if (scope === undefined) return name;
  const { scopes } = RUN_NAMES;
  const say = (scopes as Readonly<Record<string, (name: string) => string>>)[kinds.get(step) ?? ''];
  return RUN_NAMES.part(name, (say ?? scopes.other)(scope));
}
