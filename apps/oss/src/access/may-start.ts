import { type Principal, usesModule } from '#access';
import type { FlowVersion } from '#core';
import { forbidden } from '#nest';
import { CreateTaskRequest } from '../requests/create-task.request.js';
import { modulesOf } from '../tasks/modules-of.js';

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
  const other = modulesOf(flow).find((module) => !usesModule(principal, module));
  if (other === undefined) return;
  throw forbidden(principal, `may not use the module ${other}, which the flow does`);
}
