import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { HttpModule } from './http.module.js';

/** The executor of module `http` as a process of its own: deployed where egress is allowed. */
export const httpProcess: ProcessPlan = {
  name: 'http',
  port: 7075,
  duties: { executor: true, governance: false },
  needsOthers: true,
  parts: httpParts,
};

/** The parts of a process that serves module `http`. */
export function httpParts({ clock, settings }: ProcessContext): ProcessParts {
  const { httpAllow, maxParameters: bodyMax } = settings;
  return { modules: [HttpModule.register({ allow: httpAllow ?? [], bodyMax, clock })] };
}
