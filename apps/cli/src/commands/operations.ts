import type { HttpApi } from '../../../../schemas/http-api.js';
import type { BackstepClient } from '../client/backstep-client.js';
import { quoted, rest } from '../client/http.js';
import { Outage } from '../client/outage.js';
import type {
  ActionOrder,
  OperationOrder,
  OperationReport,
  OperationSummary,
} from '../client/types.js';
import { outageTeller } from '../drawing/show-task.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import {
  type Action,
  type Call,
  restArgs,
  textArg,
  textOption,
  textOptions,
} from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { itemsOf, type PageQuery, wantedItems } from './pages.js';
import { readParameters, readRate } from './parameters.js';
import { parseObject } from './parse-object.js';
import { whichChildren } from './task-id.js';

const ONE = 'GET /v1/operations/{operationId}';
const PATH = 'POST /v1/operations/{operationId}';

const LIMIT = 50;

/** Between two looks at an operation that is followed, in milliseconds. */
const LOOK_MS = 500;

/** Examples that are shown of those that were not acted on. */
const EXAMPLES = 5;

const STYLE: RowStyle<OperationSummary> = {
  name: ({ operationId }) => operationId,
  columns: [
    { title: 'OPERATION', value: ({ operationId }) => operationId },
    { title: 'ACTION', value: actionText },
    { title: 'STATUS', value: ({ status }) => status },
    { title: 'MATCHED', value: matchedText, align: 'right' },
    { title: 'DONE', value: ({ done }) => `${done}`, align: 'right' },
    { title: 'REFUSED', value: ({ refused }) => `${refused}`, align: 'right' },
    { title: 'FAILED', value: ({ failed }) => `${failed}`, align: 'right' },
    { title: 'STARTED', value: ({ createdAt }) => createdAt.slice(0, 19).replace('T', ' ') },
    { title: 'BY', value: ({ actor }) => actor },
  ],
};

type ActionMembers = Pick<ActionOrder, 'children' | 'output' | 'parameters' | 'step' | 'to'>;

/** `operation start` */
export async function operationStart(session: Session, call: Call): Promise<ExitCode> {
  const order = await readOrder(session, call);
  const key = await idempotencyKey(call);
  const client = clientOf(session, call);
  const operation = await client.ask('POST /v1/operations', {
    // Which members go with which action is the gateway's to say.
    body: order as HttpApi['StartOperation'],
    headers: { 'idempotency-key': quoted(key) },
  });
  if (call.options['follow'] === true) return follow(session, client, operation);
  printOperation(session, operation);
  if (operation.status === 'waiting') {
    const { operationId } = operation;
    session.say(
      `A second person approves it with: ${session.typed(`operation approve ${operationId}`)}`,
    );
  } else if (operation.endedAt === null) {
    session.say(
      `It goes on. Follow it with: ${session.typed(`operation get ${operation.operationId} -f`)}`,
    );
  }
  return EXIT.done;
}

/** `operation get` */
export async function operationGet(session: Session, call: Call): Promise<ExitCode> {
  const client = clientOf(session, call);
  const operation = await client.ask(ONE, { path: { operationId: textArg(call, 0) } });
  if (call.options['follow'] === true) return follow(session, client, operation);
  printOperation(session, operation);
  return EXIT.done;
}

/** `operation list` */
export async function operationList(session: Session, call: Call): Promise<void> {
  const wanted = wantedItems(call, LIMIT);
  const client = session.listing(wanted);
  const status = textOption(call, 'status');
  const read = (query: PageQuery) =>
    client.ask('GET /v1/operations', { query: { ...query, status } });
  session.printRows(await itemsOf(read, { wanted }), STYLE);
}

/** `operation cancel` */
export async function operationCancel(session: Session, call: Call): Promise<void> {
  const reason = textOption(call, 'reason');
  const client = session.asking();
  const path = { operationId: textArg(call, 0) };
  const body = reason === undefined ? {} : { reason };
  printOperation(session, await client.ask(`${PATH}:cancel`, { path, body }));
}

/** `operation approve` and `operation reject` */
export function decideOn(verb: 'approve' | 'reject'): Action {
  return async (session, call) => {
    const comment = textOption(call, 'comment');
    const operation = await session
      .asking()
      .ask(`${PATH}:${verb}`, {
        path: { operationId: textArg(call, 0) },
        body: comment === undefined ? {} : { comment },
      });
    printOperation(session, operation);
    const isWhole = operation.refused + operation.failed === 0;
    return isWhole ? EXIT.done : EXIT.endedOtherwise;
  };
}

/** Whoever follows waits as long as it takes, unless `--timeout` says otherwise. */
function clientOf(session: Session, call: Call): BackstepClient {
  if (call.options['follow'] !== true) return session.asking();
  session.limit();
  return session.client();
}

async function follow(
  session: Session,
  client: BackstepClient,
  begun: OperationReport,
): Promise<ExitCode> {
  const { operationId } = begun;
  const leaving = session.onAbort(
    `It goes on. Call it off with: ${session.typed(`operation cancel ${operationId}`)}`,
  );
  let operation = begun;
  let said = '';
  const outage = new Outage(client.options, outageTeller(session));
  while (operation.endedAt === null) {
    const line = progressLine(operation);
    if (line !== said) session.say(line);
    said = line;
    await rest(LOOK_MS, session.signal);
    operation = await outage.bridge(() => client.ask(ONE, { path: { operationId } }));
    outage.settle();
  }
  leaving.takeBack();
  printOperation(session, operation);
  const isAll = operation.status === 'finished' && operation.refused + operation.failed === 0;
  return isAll ? EXIT.done : EXIT.endedOtherwise;
}

async function readOrder(session: Session, call: Call): Promise<OperationOrder> {
  const reason = textOption(call, 'reason') ?? '';
  if (reason.trim() === '') throw new CliError(EXIT.usage, '--reason must say why');
  const rate = readRate(textOption(call, 'rate'));
  return {
    // Of another one the gateway says which there are.
    action: textArg(call, 0) as OperationOrder['action'],
    q: textOption(call, 'query') ?? '',
    reason,
    ...(await actionMembers(session, call)),
    ...(rate !== undefined && { ratePerSecond: rate }),
    ...(call.options['dryRun'] === true && { dryRun: true }),
  };
}

/** The members that actions on tasks have besides a reason, as far as they were given. */
export async function actionMembers(session: Session, call: Call): Promise<ActionMembers> {
  const result = textOption(call, 'result');
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  return {
    ...textOptions(call, ['step', 'to']),
    ...(result !== undefined && { output: parseObject(result, '--result') }),
    ...(parameters !== undefined && { parameters }),
    ...whichChildren(call),
  };
}

/** Shows one operation. */
export function printOperation(session: Session, operation: OperationReport): void {
  session.printOne(operation, () => linesOf(operation), [operation.operationId]);
}

function linesOf(operation: OperationReport): readonly string[] {
  const { consent, counts, examples, flow, operationId, q, reason, status, taskId } = operation;
  const shown = examples.slice(0, EXAMPLES);
  const codes = Object.entries(counts).map(([code, count]) => `  ${count} × ${code}`);
  return [
    `${actionText(operation)}  ${status}  ${operationId}`,
    '',
    `  tasks   ${taskId ? `${flow} ${taskId}` : q}`,
    `  reason  ${reason}`,
    ...(!consent ? [] : [`  rule    ${consent.rule}`, `  ${consentLine(consent)}`]),
    `  ${progressLine(operation)}`,
    ...(codes.length > 0 ? ['', ...codes] : []),
    ...shown.map(({ message, taskId }) => `    ${taskId}  ${message}`),
  ];
}

function consentLine({ decision, expiresAt }: NonNullable<OperationSummary['consent']>): string {
  if (decision === null) return `not approved yet; possible until ${expiresAt}`;
  const { actor, approved, comment } = decision;
  return `${approved ? 'approved' : 'rejected'} by ${actor}${comment === null ? '' : `: ${comment}`}`;
}

function progressLine(operation: OperationSummary): string {
  const { done, dryRun, failed, refused, wouldDo } = operation;
  const acted = dryRun ? `${wouldDo ?? 0} would be acted on` : `${done} done`;
  return `${matchedText(operation)} matched: ${acted}, ${refused} refused, ${failed} failed`;
}

function matchedText({ isCounted, matched }: OperationSummary): string {
  return isCounted ? `${matched}` : `${matched}+`;
}

function actionText({ action, dryRun }: OperationSummary): string {
  return dryRun ? `${action} (dry run)` : action;
}
