import type { ActionOrder } from '../client/backstep-client.js';
import type { Verb } from '../client/types.js';
import { printTask, showTask } from '../drawing/show-task.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Action, type Call, restArgs, textArg, textOption } from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { readParameters } from './parameters.js';

/** `task rollback`, `terminate`, `retry`, `skip`, `pause`, `resume`, `reset` */
export function actionOn(verb: string): Action {
  return async (session, call) => {
    const taskId = textArg(call, 0);
    const order = await readOrder(session, call);
    const watches = call.options['watch'] === true;
    session.limit(watches ? undefined : 30_000);
    const client = session.client();
    const task = await client.operate(taskId, verb as Verb, order);
    if (watches) return showTask(session, client, taskId);
    const isDrawn = session.options.output === 'table';
    printTask(session, { task, events: isDrawn ? await client.events(taskId) : [] });
    return EXIT.done;
  };
}

async function readOrder(session: Session, call: Call): Promise<ActionOrder> {
  const reason = textOption(call, 'reason') ?? '';
  if (reason.trim() === '') throw new CliError(EXIT.usage, '--reason must say why');
  const step = textOption(call, 'step');
  const to = textOption(call, 'to');
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const ifMatch = textOption(call, 'ifMatch');
  const revision = ifMatch?.replace(/^(?:W\/)?"(.*)"$/, '$1');
  return {
    reason,
    key: await idempotencyKey(call),
    ...(step !== undefined && { step }),
    ...(to !== undefined && { to }),
    ...(parameters !== undefined && { parameters }),
    ...(revision !== undefined && { revision }),
  };
}
