import type { CompletedReport, CompletionOrder } from '../client/types.js';
import { printTask, showTask } from '../drawing/show-task.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { sayWaiting } from './task-actions.js';
import { taskId } from './task-id.js';
import { parseObject } from './parse-object.js';

/** `task complete`: says how an attempt ended that was left to a person or system outside. */
export async function taskComplete(session: Session, call: Call): Promise<ExitCode> {
  const order = await readOrder(call);
  const watches = call.options['watch'] === true;
  session.limit(watches ? undefined : 30_000);
  const client = session.client();
  const id = await taskId(client, call);
  const task = await client.complete(id, order);
  if ('operationId' in task) return sayWaiting(session, task);
  if (watches) return showTask(session, client, id);
  if (!('steps' in task)) {
    printCompleted(session, task);
    return EXIT.done;
  }
  const isDrawn = session.options.output === 'table';
  printTask(session, { task, events: isDrawn ? await client.events(id) : [] });
  return EXIT.done;
}

/** A worker reads no tasks, and is told of the run that it completed alone. */
function printCompleted(session: Session, completed: CompletedReport): void {
  const { state, step, taskId: id } = completed;
  session.printOne(completed, () => [`${step} of ${id}: ${state}`], [id]);
}

async function readOrder(call: Call): Promise<CompletionOrder> {
  const result = textOption(call, 'result');
  const code = textOption(call, 'error');
  if (result !== undefined && code !== undefined) {
    throw new CliError(EXIT.usage, 'give either --result or --error');
  }
  for (const option of ['message', 'retryable']) {
    if (code === undefined && call.options[option] !== undefined) {
      throw new CliError(EXIT.usage, `--${option} is about a failure: give --error as well`);
    }
  }
  const output = result === undefined ? undefined : parseObject(result, '--result');
  const revision = textOption(call, 'ifMatch')?.replace(/^(?:W\/)?"(.*)"$/, '$1');
  return {
    run: textArg(call, 1),
    ...(await grounds(call)),
    ...(output !== undefined && { output }),
    ...(code !== undefined && { error: readError(call, code) }),
    ...(revision !== undefined && { revision }),
  };
}

/** The token of the attempt gives the right to complete it, or an operator's reason does. */
async function grounds(call: Call): Promise<Pick<CompletionOrder, 'key' | 'reason' | 'token'>> {
  const token = textOption(call, 'token');
  const reason = textOption(call, 'reason');
  if (token !== undefined && reason === undefined) return { token };
  if (token === undefined && (reason ?? '').trim() !== '') {
    return { reason: reason ?? '', key: await idempotencyKey(call) };
  }
  const which = 'give --token, or as an operator --reason, which says why';
  throw new CliError(EXIT.usage, which);
}

function readError(call: Call, code: string): NonNullable<CompletionOrder['error']> {
  const message = textOption(call, 'message') ?? '';
  if (message.trim() === '') throw new CliError(EXIT.usage, '--message must say what went wrong');
  return { code, message, retryable: call.options['retryable'] === true };
}
