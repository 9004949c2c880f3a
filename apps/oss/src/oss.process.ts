import { FlowLibrary } from '#flow-files';
import type { ProcessContext, ProcessParts, ProcessPlan } from '#nest';
import { OssModule } from './oss.module.js';

/** The gateway as a process of its own: requests, flows, governance. */
export const ossProcess: ProcessPlan = {
  name: 'oss',
  port: 7070,
  duties: { executor: false, governance: true },
  parts: ossParts,
};

/** What a process needs to be the gateway, alone or beside executors. */
export function ossParts(context: ProcessContext): ProcessParts {
  const { clock, engine, flowStore, observer, settings, store } = context;
  const { flows: path, maxParameters } = settings;
  const flows = new FlowLibrary({ path, store: flowStore, clock, observer });
  const module = OssModule.register({ engine, store, flowStore, flows, clock, maxParameters });
  return { modules: [module], companions: [flows] };
}
