import type { FailurePolicy, FlowDefinition, JsonObject } from '#core';
import { inside, readDuration, type Site } from './build-action.js';
import { buildLocks, buildSteps, type FlowSource, type Origins, stepsOf } from './build-steps.js';
import { checkInputSchema, inputWarnings } from './input-schema.js';
import type { Finding } from './problem.js';
import type { WrittenLongFlow } from './written-flow.js';

/** A definition, and where each of its steps stands. */
export interface BuiltFlow {
  readonly definition: FlowDefinition;
  readonly origins: Origins;
}

/** A definition with every default filled in. Adds each fault to the problems of the site. */
export function buildFlow(source: FlowSource): BuiltFlow {
  const { name, written, site } = source;
  const isShort = 'length' in written;
  const long: Partial<WrittenLongFlow> = isShort ? {} : written;
  const { constants, description, input, labels, onFailure = 'rollback' } = long;
  const { failureFlow, locks, maxLive, onTimeout, output, timeout } = long;
  const origins: Origins = new Map();
  checkInput(input, source);
  const definition: FlowDefinition = {
    name,
    description: description ?? null,
    input: input ?? null,
    timeoutMs: timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout')),
    // Left out where they say nothing new, so that the version of a flow does not change by them.
    ...(onFailure !== 'rollback' && { onFailure: failurePolicy(onFailure, site) }),
    ...(onTimeout === 'wait' && { onTimeout }),
    ...(constants !== undefined && { constants }),
    ...(output !== undefined && { output }),
    ...(labels !== undefined && { labels }),
    ...(locks !== undefined && { locks: buildLocks(locks, inside(site, 'locks')) }),
    ...(failureFlow !== undefined && { failureFlow }),
    ...(maxLive !== undefined && { maxLive }),
    steps: buildSteps(
      { steps: stepsOf(written), site: isShort ? site : inside(site, 'steps'), kind: 'flow' },
      { ...source, origins },
    ),
  };
  return { definition, origins };
}

function failurePolicy(
  written: Exclude<WrittenLongFlow['onFailure'], 'rollback' | undefined>,
  site: Site,
): FailurePolicy {
  if (written === 'hold') return { holdMs: null };
  return { holdMs: readDuration(written.hold, inside(inside(site, 'onFailure'), 'hold')) };
}

function checkInput(input: JsonObject | undefined, { site, warnings }: FlowSource): void {
  if (input === undefined) return warnings.add(noInput(site.pointer));
  const { pointer, problems } = inside(site, 'input');
  const at = (finding: Finding): Finding => ({ ...finding, pointer: pointer + finding.pointer });
  const faults = checkInputSchema(input);
  for (const fault of faults) problems.add(at(fault));
  if (faults.length === 0) for (const warning of inputWarnings(input)) warnings.add(at(warning));
}

function noInput(pointer: string): Finding {
  const message = 'The flow has no `input`, so any parameters are taken, and none is checked.';
  const hint =
    'Add "input": {"type": "object", "properties": {...}} with all that a request may send.';
  return { pointer, at: 'name', code: 'NO_INPUT', message, hint };
}
