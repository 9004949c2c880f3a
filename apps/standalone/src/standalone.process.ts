import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import { httpParts } from '../../http/src/index.js';
import { labParts } from '../../lab/src/index.js';
import { monitorParts } from '../../monitor/src/index.js';
import { mysqlParts } from '../../mysql/src/index.js';
import { ossParts } from '../../oss/src/index.js';
import { resourceParts } from '../../resource/src/index.js';

/** All of Backstep in one process, without a server to install. */
export const standaloneProcess: ProcessPlan = standaloneWith([]);

/** The same with Nest modules of executors beside its own. */
export function standaloneWith(modules: ProcessParts['modules']): ProcessPlan {
  return {
    name: 'standalone',
    port: 7070,
    duties: { executor: true, governance: true },
    isOfAuthors: modules.length > 0,
    parts: (context) => standaloneParts(context, modules),
  };
}

async function standaloneParts(
  context: ProcessContext,
  own: ProcessParts['modules'],
): Promise<ProcessParts> {
  const { executors, settings } = context;
  const all = [
    // With a broker, other processes may serve further modules.
    ossParts(context, settings.transport.kind === 'memory' ? executors : undefined),
    resourceParts(context),
    mysqlParts(context),
    monitorParts(context),
    httpParts(context),
    ...(settings.lab ? [labParts(context)] : []),
  ];
  return {
    modules: [...all.flatMap(({ modules }) => modules), ...own],
    companions: all.flatMap(({ companions }) => companions ?? []),
    sources: all.flatMap(({ sources }) => sources ?? []),
    checks: all.flatMap(({ checks }) => checks ?? []),
    notes: () => all.flatMap(({ notes }) => notes?.() ?? []),
    signIn: all.map(({ signIn }) => signIn).find((place) => typeof place === 'string') ?? null,
  };
}
