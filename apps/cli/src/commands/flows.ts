import { plainLine } from '#wording';
import type {
  ActionReport,
  FileProblemReport,
  FlowReport,
  FlowStepReport,
  ListedFlow,
} from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { tableLines } from '../terminal/table.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { timeText } from './task-columns.js';

const STYLE: RowStyle<ListedFlow> = {
  name: ({ name }) => name,
  columns: [
    { title: 'FLOW', value: ({ name }) => name },
    { title: 'VERSION', value: ({ version }) => `${version}`, align: 'right' },
    { title: 'STEPS', value: ({ steps }) => `${rowsOf(steps).length}`, align: 'right' },
    { title: 'DRILL', value: drillText },
    { title: 'STARTABLE', value: ({ startable }) => (startable === false ? 'no' : 'yes') },
    { title: 'SINCE', value: ({ timeCreate }) => timeText(timeCreate) },
    { title: 'DESCRIPTION', value: ({ description }) => description ?? '' },
  ],
};

/** `flow list`; mistakes in flow files, and why flows cannot be started, are told besides. */
export async function flowList(session: Session, call: Call): Promise<ExitCode> {
  const { files, items } = await session.asking().listFlows();
  const shown = call.options['all'] === true ? items : items.filter((flow) => !isGone(flow));
  session.printRows(shown, STYLE);
  const gone = items.length - shown.length;
  if (gone > 0) session.say(`${gone} without a file, or retired: --all shows them too`);
  for (const problem of files?.problems ?? []) session.say(brokenLine(problem));
  for (const { name, obstacle } of shown) {
    if (obstacle) session.say(plainLine(`${name} cannot be started: ${obstacle.message}`));
  }
  return EXIT.done;
}

/** It was retired, or its file is gone: it takes no new tasks, whatever executors there are. */
function isGone({ file, obstacle, startable }: ListedFlow): boolean {
  return startable === false && file === null && !obstacle;
}

/** How the flow fared in its last drill; a version stands there where it was an older one. */
function drillText({ drill, version }: Pick<FlowReport, 'drill' | 'version'>): string {
  if (drill === null || drill === undefined) return '-';
  const { failures, passed, total } = drill;
  const result = passed ? 'passed' : `failed ${failures}/${total}`;
  return drill.version === version ? result : `${result} (v${drill.version})`;
}

function brokenLine({ code, column, file, flow, hint, line, message }: FileProblemReport): string {
  const place = file === null ? 'the folder of flows' : `${file}:${line}:${column}`;
  const what = flow === null ? '' : `flow ${flow}, `;
  return plainLine(`broken: ${what}${place} ${code} ${message} ${hint}`);
}

/** `flow get` */
export async function flowGet(session: Session, call: Call): Promise<ExitCode> {
  const version = textOption(call, 'flowVersion');
  const flow = await session.asking().getFlow(textArg(call, 0), version);
  if (session.options.output === 'name') session.print(flow.name);
  else if (session.options.output !== 'table') session.printJson(flow);
  else for (const line of flowLines(flow, session.width)) session.print(line);
  return EXIT.done;
}

/** A step of a flow with how many groups it lies in. */
interface StepRow {
  readonly step: FlowStepReport;
  readonly depth: number;
}

function rowsOf(steps: readonly FlowStepReport[], depth = 0): readonly StepRow[] {
  return steps.flatMap((step) => [{ step, depth }, ...rowsOf(step.group ?? [], depth + 1)]);
}

function flowLines(flow: FlowReport, width: number): string[] {
  const { description, maxLive, name, steps, version } = flow;
  const rows = tableLines(
    rowsOf(steps),
    [
      { title: 'STEP', value: nameText },
      { title: 'COMMAND', value: ({ step }) => commandText(step) },
      { title: '↩ ROLLBACK', value: ({ step }) => (step.group ? '' : actionText(step.rollback)) },
      { title: 'RETRY', value: ({ step }) => retryText(step) },
      { title: 'TIMEOUT', value: ({ step }) => timeoutText(step), align: 'right' },
      { title: 'NEEDS', value: ({ step }) => step.needs.join(', ') },
    ],
    width,
  );
  const title = `${name} v${version}${description === null ? '' : `: ${description}`}`;
  const bound = maxLive === undefined ? [] : [`at most ${maxLive} live tasks`];
  const drill = flow.drill ? [`drill: ${drillText(flow)}, ${timeText(flow.drill.at)}`] : [];
  return [title, ...bound, ...drill, '', ...rows, ...inputLines(flow, width)];
}

/** Lines on the members of a flow's input, as far as a table can show a JSON Schema. */
function inputLines({ input }: FlowReport, width: number): readonly string[] {
  const { properties = {}, required = [] } = (input ?? {}) as InputReport;
  const members = Object.entries(properties);
  if (members.length === 0) return [];
  const rows = tableLines(
    members,
    [
      { title: 'PARAMETER', value: ([name]) => name },
      { title: 'TYPE', value: ([, { type }]) => [type ?? []].flat().join(' or ') },
      { title: 'REQUIRED', value: ([name]) => (required.includes(name) ? 'yes' : 'no') },
      { title: 'DESCRIPTION', value: ([, { description }]) => description ?? '' },
    ],
    width,
  );
  return ['', ...rows];
}

/** The members of a flow's input that are shown. */
interface InputReport {
  readonly required?: readonly string[];
  readonly properties?: Readonly<
    Record<string, { readonly type?: string | readonly string[]; readonly description?: string }>
  >;
}

/** How often an action is tried again, or in all where it says so. */
function retryText({ group, normal }: FlowStepReport): string {
  if (group !== undefined || normal === undefined) return '';
  const { retry } = normal;
  if (typeof retry === 'number') return retry === 0 ? '-' : `${retry}`;
  const { attempts, backoff } = retry as { readonly attempts?: number; readonly backoff?: string };
  return `${attempts ?? '?'} attempts, ${backoff ?? ''}`;
}

/** Cells have no space at their beginning, so lines show how deep a step lies. */
function nameText({ depth, step }: StepRow): string {
  return depth === 0 ? step.name : `└${'─'.repeat(depth)} ${step.name}`;
}

function actionText(half: ActionReport | null | undefined): string {
  return half ? `${half.module}.${half.command}` : '-';
}

function commandText({ group, normal, retry = 0 }: FlowStepReport): string {
  if (group === undefined) return actionText(normal);
  if (typeof retry === 'object' && 'forEach' in retry) return 'group, a try for each';
  const tries = typeof retry === 'number' ? retry + 1 : retry.attempts;
  return tries === 1 ? 'group' : `group, ${tries} tries`;
}

function timeoutText({ normal, timeout }: FlowStepReport): string {
  const seconds = normal?.timeout ?? timeout ?? null;
  return seconds === null ? '' : `${seconds} s`;
}
