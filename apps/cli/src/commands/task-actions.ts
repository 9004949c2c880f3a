import type { Verb } from '../client/types.js';
import { printTask, showTask } from '../drawing/show-task.js';
import { CliError, EXIT } from '../exit.js';
import { type Action, type Call, textArg, textOption } from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';

/** `task rollback`, `task terminate`, `task retry`, `task skip` */
export function actionOn(verb: string): Action {
  return async (session, call) => {
    const taskId = textArg(call, 0);
    const order = await readOrder(call);
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

async function readOrder(call: Call) {
  const reason = textOption(call, 'reason') ?? '';
  if (reason.trim() === '') throw new CliError(EXIT.usage, '--reason must say why');
  const step = textOption(call, 'step');
  const written = textOption(call, 'ifMatch');
  const revision = written?.replace(/^(?:W\/)?"(.*)"$/, '$1');
  return {
    reason,
    key: await idempotencyKey(call),
    ...(step !== undefined && { step }),
    ...(revision !== undefined && { revision }),
  };
}
