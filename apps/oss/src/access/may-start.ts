import { type Principal, seesFlow, usesModule } from '#access';
import type { FlowVersion } from '#core';
import type { NamedStart } from '#flow-files';
import { forbidden, Problem, subjectOf } from '#http-server';
import type { OssOptions } from '../options.js';
import { CreateTaskRequest } from '../requests/create-task.request.js';
import { makesSteps, modulesOf } from '../tasks/modules-of.js';

/**
 * The request with the labels that its sender's tasks must have: where it does not say, they are
 * added, so that nobody makes a task that he does not see. Throws the `Problem` that it says
 * otherwise.
 */
export function labelled(request: CreateTaskRequest, principal: Principal): CreateTaskRequest {
  const { labels } = principal;
  if (labels === null) return request;
  for (const [name, value] of Object.entries(labels)) {
    const said = request.labels?.[name];
    if (said === undefined || said === value) continue;
    throw forbidden(principal, `starts tasks with the label ${name}=${value} only`);
  }
  const all = { ...request.labels, ...labels };
  return Object.assign(new CreateTaskRequest(), request, { labels: all });
}

/** Throws the `Problem` that somebody may not start or store what uses these modules. */
export function expectModules(flow: Pick<FlowVersion, 'definition'>, principal: Principal): void {
  if (principal.modules === null) return;
  if (makesSteps(flow.definition.steps)) {
    throw forbidden(
      principal,
      'is limited to some modules, and the flow creates steps at run time',
    );
  }
  const other = modulesOf(flow).find((module) => !usesModule(principal, module));
  if (other === undefined) return;
  throw forbidden(principal, `may not use the module ${other}, which the flow uses`);
}

/**
 * Throws the `Problem` that somebody may not store a flow whose tasks start those of others, as he
 * may not start them himself: each with the pointer to what names it.
 */
export function expectStarts(
  starts: readonly NamedStart[],
  principal: Principal,
  flows: Pick<OssOptions['flows'], 'find'>,
): void {
  const errors = starts.flatMap(({ flow, pointer }) => {
    const why = refusalOf(flow, principal, flows);
    return why === null ? [] : [{ pointer, message: `${subjectOf(principal)} ${why}.` }];
  });
  const [first] = errors;
  if (first !== undefined) throw new Problem('FORBIDDEN', first.message, { errors });
}

/** Null: he may start it. */
function refusalOf(
  flow: string | null,
  principal: Principal,
  flows: Pick<OssOptions['flows'], 'find'>,
): string | null {
  if (flow === null) {
    const isFree = principal.flows === null && principal.modules === null;
    return isFree
      ? null
      : 'is limited to some flows or modules, and this name is known only at run time';
  }
  if (!seesFlow(principal, flow)) return `may not start the flow ${flow}`;
  const found = flows.find(flow);
  const other = found && modulesOf(found).find((module) => !usesModule(principal, module));
  return other === undefined ? null : `may not start the flow ${flow}, which uses ${other}`;
}
