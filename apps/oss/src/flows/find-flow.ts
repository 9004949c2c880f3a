import type { FastifyRequest } from 'fastify';
import { seesFlow } from '#access';
import type { FlowVersion } from '#core';
import { principalOf, Problem } from '#nest';
import type { OssOptions } from '../options.js';
import { brokenText } from './file-problems.js';

/** A flow that is asked for, and maybe which version of it. */
interface AskedFlow {
  readonly name: string;
  /** As it was written; absent: the newest. */
  readonly version?: string;
}

/** A version of a flow, where the caller sees it. Throws the `Problem` that there is none. */
export async function findFlow(
  { flows, flowStore }: Pick<OssOptions, 'flowStore' | 'flows'>,
  { name, version }: AskedFlow,
  request: FastifyRequest,
): Promise<FlowVersion> {
  const what = version === undefined ? name : `${name} at version ${version}`;
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version)) throw flowNotFound(what);
  const isSeen = !/\p{Cc}/u.test(name) && seesFlow(principalOf(request), name);
  const number = version === undefined ? undefined : Number(version);
  const found = isSeen ? await flowStore.getFlow(name, number) : null;
  if (found !== null) return found;
  throw flowNotFound(what, isSeen ? brokenText(name, flows, principalOf(request)) : null);
}

function flowNotFound(what: string, broken: string | null = null): Problem {
  const shown = what.length > 200 ? `${what.slice(0, 200)}...` : what;
  const message = `There is no flow ${JSON.stringify(shown)}.`;
  return new Problem('FLOW_NOT_FOUND', broken === null ? message : `${message} ${broken}`);
}
