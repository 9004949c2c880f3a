import type {
  ActionOrder,
  JsonObject,
  OperationReport,
  StepReport,
  TaskReport,
  Verb,
} from '../client/types.js';
import { printTask, showTask } from '../drawing/show-task.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Action, type Call, restArgs, textArg, textOption } from '../tree/call.js';
import { taskId } from './task-id.js';
import { actionMembers, printOperation } from './operations.js';
import { idempotencyKey } from './idempotency-key.js';
import { readParameters } from './parameters.js';
import { parseObject } from './parse-object.js';

/** Every action of a person on a task: `task rollback` and so on. */
export function actionOn(verb: Verb): Action {
  return async (session, call) => {
    const order = await readOrder(session, call, verb);
    const watches = call.options['watch'] === true;
    session.limit(watches ? undefined : 30_000);
    const client = session.client();
    const id = await taskId(client, call);
    const isAnswer = verb === 'approve' || verb === 'reject';
    const step = isAnswer ? (order.step ?? onlyAsking(await client.getTask(id))) : order.step;
    const whole = step === undefined ? order : { ...order, step };
    const task = await client.operate(id, verb, whole);
    if ('operationId' in task) return sayWaiting(session, task);
    // A restart answers with another task.
    const shown = task.taskId;
    if (watches) return showTask(session, client, shown);
    const isDrawn = session.options.output === 'table';
    printTask(session, { task, events: isDrawn ? await client.events(shown) : [] });
    return EXIT.done;
  };
}

/** Says by which operation an action waits for a second person: nothing has happened so far. */
export function sayWaiting(session: Session, operation: OperationReport): ExitCode {
  printOperation(session, operation);
  const { consent, operationId, status } = operation;
  if (status === 'waiting') {
    session.say(`It needs a second person, by the rule: ${consent?.rule ?? ''}`);
    session.say(
      `A second person approves it with: ${session.typed(`operation approve ${operationId}`)}`,
    );
  }
  return EXIT.done;
}

/** The id of the one step that waits for a yes or no. */
function onlyAsking({ steps }: Pick<TaskReport, 'steps'>): string {
  const asking = askingIn(steps);
  const [only] = asking;
  if (asking.length === 1 && only !== undefined) return only;
  if (only === undefined) throw new CliError(EXIT.conflict, 'no step waits for an approval');
  throw new CliError(EXIT.usage, `--step must say which: ${asking.join(', ')}`);
}

function askingIn(steps: readonly StepReport[]): readonly string[] {
  return steps.flatMap(({ id, scopes = [], waitsFor }) => {
    const inner = scopes.flatMap((scope) => askingIn(scope.steps));
    return waitsFor === 'approval' ? [id, ...inner] : inner;
  });
}

async function readOrder(session: Session, call: Call, verb: Verb): Promise<ActionOrder> {
  if (verb === 'signal') return signalOrder(session, call);
  const comment = textOption(call, 'comment');
  const reason = textOption(call, 'reason') ?? comment ?? '';
  const option = comment === undefined ? 'reason' : 'comment';
  if (reason.trim() === '') throw new CliError(EXIT.usage, `--${option} must say why`);
  return { ...(await guardsOf(call)), [option]: reason, ...(await actionMembers(session, call)) };
}

/** The key against acting twice, and the revision against acting on a task that has moved. */
async function guardsOf(call: Call): Promise<Pick<ActionOrder, 'key' | 'revision'>> {
  const revision = textOption(call, 'ifMatch')?.replace(/^(?:W\/)?"(.*)"$/, '$1');
  const key = await idempotencyKey(call);
  return revision === undefined ? { key } : { key, revision };
}

async function signalOrder({ terminal }: Session, call: Call): Promise<ActionOrder> {
  const whole = textOption(call, 'payload');
  const pairs = await readParameters({ input: undefined, pairs: restArgs(call) }, terminal);
  const base = whole === undefined ? undefined : parseObject(whole, '--payload');
  const isEmpty = base === undefined && pairs === undefined;
  return {
    ...(await guardsOf(call)),
    name: textArg(call, 1),
    ...(!isEmpty && { payload: Object.fromEntries([base, pairs].flatMap(entriesOf)) }),
  };
}

function entriesOf(object: JsonObject | undefined): [string, JsonObject[string]][] {
  return Object.entries(object ?? {});
}
