import { type Principal, seesFlow } from '#access';
import type { FlowVersion } from '#core';
import { Problem } from '#http-server';
import { nearName } from '#wording';
import { visibleFlows } from '../access/visible.js';
import type { OssOptions } from '../options.js';
import { brokenText } from './file-problems.js';
import { readFlowReference } from './flow-name.js';

/** Flows that an unknown name is compared with: a batch may have a thousand such names. */
const NEAR_MAX = 50;

/**
 * The flow to make a task of, where its name alone did not tell: a certain version of it, or one
 * that another process has just stored. Throws the `Problem` that there is none.
 */
export async function findStartable(
  text: string,
  principal: Principal,
  { flows }: Pick<OssOptions, 'flows'>,
): Promise<FlowVersion> {
  const { name, version } = readFlowReference(text);
  if (!seesFlow(principal, name)) throw notStartable(name, principal, flows);
  if (flows.find(name) === undefined) await flows.refresh();
  const newest = flows.find(name);
  if (newest === undefined) {
    throw flows.isRetired(name) ? retired(name) : notStartable(name, principal, flows);
  }
  if (version === undefined || version === newest.version) return newest;
  const found = await flows.findVersion(name, version);
  if (found !== null) return found;
  const message = `Flow \`${name}\` has no version ${version}; the newest is ${newest.version}.`;
  throw new Problem('FLOW_NOT_FOUND', message, { errors: [{ pointer: '/flow', message }] });
}

function retired(name: string): Problem {
  const message = `Flow \`${name}\` is retired: it takes no new tasks.`;
  const hint = '`PUT /v1/flows/{name}` or `backstep flow put` brings it back.';
  return new Problem('FLOW_NOT_FOUND', message, { errors: [{ pointer: '/flow', message, hint }] });
}

function notStartable(name: string, principal: Principal, flows: OssOptions['flows']): Problem {
  const message = `There is no flow \`${name}\` that can be started.`;
  const broken = brokenText(name, flows, principal);
  if (broken !== null) {
    const errors = [{ pointer: '/flow', message, hint: broken }];
    return new Problem('FLOW_NOT_FOUND', `${message} ${broken}`, { errors });
  }
  const seen = visibleFlows(flows.list(), principal).slice(0, NEAR_MAX);
  const near = nearName(
    name,
    seen.map(({ definition }) => definition.name),
  );
  const meant = near === undefined ? '' : `Did you mean \`${near}\`? `;
  const hint = `${meant}\`GET /v1/flows\` and \`backstep flow list\` list the flows.`;
  return new Problem('FLOW_NOT_FOUND', message, { errors: [{ pointer: '/flow', message, hint }] });
}
