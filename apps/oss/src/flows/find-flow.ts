import { type Principal, seesFlow } from '#access';
import type { FlowVersion } from '#core';
import { Problem } from '#http-server';
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
  asked: AskedFlow,
  principal: Principal,
): Promise<FlowVersion> {
  const { name, version } = asked;
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version)) throw flowNotFound(asked);
  const isSeen = !/\p{Cc}/u.test(name) && seesFlow(principal, name);
  const number = version === undefined ? undefined : Number(version);
  const found = isSeen ? await flowStore.getFlow(name, number) : null;
  if (found !== null) return found;
  throw flowNotFound(asked, isSeen ? brokenText(name, flows, principal) : null);
}

const SHOWN_MAX = 200;

/** The problem that there is no such flow, and the broken file that may be the reason. */
function flowNotFound({ name, version }: AskedFlow, broken: string | null = null): Problem {
  const which = version === undefined ? 'flow' : `version ${clip(version)} of flow`;
  const message = `There is no ${which} ${JSON.stringify(clip(name))}.`;
  return new Problem('FLOW_NOT_FOUND', broken === null ? message : `${message} ${broken}`);
}

function clip(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;
}
