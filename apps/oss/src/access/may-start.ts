import { fitsLabels, plainLabels, type Principal } from '#access';
import { type FlowDefinition, type FlowVersion, makesSteps } from '#core';
import { bothLimits, refusalOfFlow, type StartLimits } from '#core/flow';
import type { NamedStart } from '#flow-files';
import { forbidden, Problem, subjectOf } from '#http-server';
import type { OssOptions } from '../options.js';
import { CreateTaskRequest } from '../requests/create-task.request.js';
import type { HandedSecrets } from '../tasks/handed-secrets.js';
import { startsOf } from '../tasks/modules-of.js';

type Flows = Pick<OssOptions['flows'], 'find' | 'findVersion'>;

/** Everything that binds a task of a request. */
interface Bound {
  readonly principal: Pick<Principal, 'flows' | 'modules'>;
  /** Those of the task or the schedule that the request is made of; absent: none. */
  readonly limits?: StartLimits | undefined;
  /** Absent: the request hands on no secrets. */
  readonly handed?: HandedSecrets | undefined;
}

/**
 * The request with the labels that its sender's tasks must have: where it does not say, those that
 * are no patterns are added, so that nobody makes a task that he does not see. Throws the `Problem`
 * that a label is missing, or another one.
 */
export function labelled(request: CreateTaskRequest, principal: Principal): CreateTaskRequest {
  const { labels } = principal;
  if (labels === null) return request;
  const all = { ...plainLabels(labels), ...request.labels };
  for (const [name, value] of Object.entries(labels)) {
    if (fitsLabels({ [name]: value }, all)) continue;
    throw forbidden(principal, `starts tasks with the label ${name}=${value} only`);
  }
  return Object.assign(new CreateTaskRequest(), request, { labels: all });
}

/** The limits of a caller as tasks carry them; undefined: none. Labels are on the task. */
export function limitsOf({ flows, modules }: Bound['principal']): StartLimits | undefined {
  return flows === null && modules === null ? undefined : { starters: [{ flows, modules }] };
}

/** The limits that a task of a request carries, and all that it starts; undefined: none. */
export function limitsFor({ handed, limits, principal }: Bound): StartLimits | undefined {
  const since = handed?.pointers.length ? { secretsUntil: handed.givenAt } : undefined;
  return bothLimits(bothLimits(limits, limitsOf(principal)), since);
}

/**
 * Throws the `Problem` that limits do not allow a task of a flow, or one that it would start, as
 * far as names tell. The engine asks the same of every task that is started by another one, so that
 * nothing depends on this but a clear answer in time.
 */
export async function expectAllowed(
  flow: Pick<FlowVersion, 'definition'>,
  limits: StartLimits,
  flows: Flows,
): Promise<void> {
  const refusal = await refusalOf(flow.definition, limits, flows);
  if (refusal === null) return;
  const detail = `No task of flow ${flow.definition.name} may be started: ${refusal}.`;
  throw new Problem('FORBIDDEN', detail);
}

/** Why limits do not allow a flow, or one of those that it starts by a name; null: they do. */
async function refusalOf(
  definition: FlowDefinition,
  limits: StartLimits,
  flows: Flows,
): Promise<string | null> {
  const seen = new Set<string>();
  const open: FlowDefinition[] = [definition];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const refusal = refusalOfFlow(limits, next);
    if (refusal !== null) return refusal;
    for (const { name, version } of startsOf(next)) {
      const key = `${name}@${version ?? ''}`;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(await definitionOf(flows, name, version));
    }
  }
  return null;
}

/** Of a flow that does not exist only the name can be asked about. */
async function definitionOf(
  flows: Flows,
  name: string,
  version: number | null,
): Promise<FlowDefinition> {
  const found = version === null ? flows.find(name) : await flows.findVersion(name, version);
  return found?.definition ?? { name, description: null, input: null, timeoutMs: null, steps: [] };
}

/**
 * Throws the `Problem` that the caller may not store a flow whose tasks use what he may not use, or
 * start those of flows that he may not start: each with the pointer to what names it. Callers with
 * other limits may start its tasks, so that it must name everything.
 */
export async function expectStorable(
  definition: FlowDefinition,
  starts: readonly NamedStart[],
  { flows, principal }: { readonly flows: Flows; readonly principal: Principal },
): Promise<void> {
  const limits = limitsOf(principal);
  if (limits === undefined) return;
  if (principal.modules !== null && makesSteps(definition.steps)) {
    const why = 'is limited to some modules, and the flow creates steps at run time';
    throw forbidden(principal, why);
  }
  const own = refusalOfFlow(limits, definition);
  if (own !== null) throw forbidden(principal, `may not store the flow: ${own}`);
  const errors = [];
  for (const { flow, pointer, version } of starts) {
    const refusal =
      flow === null
        ? UNKNOWN
        : await refusalOf(await definitionOf(flows, flow, version), limits, flows);
    if (refusal === null) continue;
    const message = `${subjectOf(principal)} may not store what starts this flow: ${refusal}.`;
    errors.push({ pointer, message });
  }
  const [first] = errors;
  if (first !== undefined) throw new Problem('FORBIDDEN', first.message, { errors });
}

const UNKNOWN = 'its name is known only at run time, and flows or modules are limited';
