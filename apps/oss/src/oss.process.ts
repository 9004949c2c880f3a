import { FlowChecker, FlowLibrary } from '#flow-files';
import type { ProcessContext, ProcessParts, ProcessPlan } from '#nest';
import type { OssOptions } from './options.js';
import { OssModule } from './oss.module.js';

/** The gateway as a process of its own: requests, flows, governance. */
export const ossProcess: ProcessPlan = {
  name: 'oss',
  port: 7070,
  duties: { executor: false, governance: true },
  parts: (context) => ossParts(context),
};

/**
 * What a process needs to be the gateway. `commands`: all there are, where the process knows them,
 * so that a flow with an unknown one is told apart when it is validated.
 */
export function ossParts(
  context: ProcessContext,
  commands?: NonNullable<OssOptions['commands']>,
): ProcessParts {
  const { clock, engine, flowStore, observer, settings, store } = context;
  const { flows: path, maxLiveTasks, maxParameters } = settings;
  const flows = new FlowLibrary({ path, store: flowStore, clock, observer });
  const checker = new FlowChecker({ clock });
  const module = OssModule.register({
    engine,
    store,
    flowStore,
    flows,
    checker,
    clock,
    maxParameters,
    maxLiveTasks,
    ...(commands && { commands }),
  });
  return { modules: [module], companions: [flows, checker] };
}
