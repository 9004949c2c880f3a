import { plainLine } from '#wording';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

/** `executor drain` */
export async function executorDrain(session: Session, call: Call): Promise<ExitCode> {
  const worker = textArg(call, 0);
  const state = call.options['off'] === true ? 'active' : 'draining';
  await session.asking().ask('PUT /v1/workers/{worker}', { path: { worker }, body: { state } });
  session.say(plainLine(`${worker} ${SAID[state]}`));
  return EXIT.done;
}

const SAID = {
  active: 'gets actions again.',
  draining: 'gets no further actions. It finishes those that it has.',
} as const;
