import { plainLine } from '#wording';
import type {
  ActionReport,
  DiffReport,
  FileProblemReport,
  FlowReport,
  FlowStepReport,
  ListedFlow,
  MemberReport,
  PlannedStepReport,
  VersionReport,
} from '../client/types.js';
import { timeText } from '../drawing/words.js';
import type { RowStyle, Session } from '../session.js';
import { tableLines } from '../terminal/table.js';
import { type Call, restArgs, textArg, textOption } from '../tree/call.js';
import { readParameters } from './parameters.js';

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

const VERSION_STYLE: RowStyle<VersionReport> = {
  name: ({ version }) => `${version}`,
  columns: [
    { title: 'VERSION', value: ({ version }) => `${version}`, align: 'right' },
    { title: 'SINCE', value: ({ timeCreate }) => timeText(timeCreate) },
    { title: 'HASH', value: ({ hash }) => hash.slice(0, 12) },
  ],
};

/** A row of a plan: a step of the task, or of one of its child tasks. */
type PlanRow = PlannedStepReport & { readonly depth: number };

const PLAN_STYLE: RowStyle<PlanRow> = {
  name: ({ id }) => id,
  columns: [
    { title: 'STEP', value: ({ depth, id }) => `${'› '.repeat(depth)}${id}` },
    { title: 'DOES', value: deedOf },
    { title: 'UNDONE IF IT FAILS', value: ({ back }) => back.join(', ') },
  ],
};

/** `flow list`; mistakes in flow files, and why flows cannot be started, are told besides. */
export async function flowList(session: Session, call: Call): Promise<void> {
  const { files, items } = await session.asking().listFlows();
  const shown = call.options['all'] === true ? items : items.filter((flow) => !isGone(flow));
  session.printRows(shown, STYLE);
  const gone = items.length - shown.length;
  if (gone > 0) session.say(`${gone} without a file, or retired: --all shows them too`);
  for (const problem of files?.problems ?? []) session.say(brokenLine(problem));
  for (const { name, obstacle } of shown) {
    if (obstacle) session.say(plainLine(`${name} cannot be started: ${obstacle.message}`));
  }
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
export async function flowGet(session: Session, call: Call): Promise<void> {
  const version = textOption(call, 'flowVersion');
  const client = session.asking();
  const flow = await client.getFlow(textArg(call, 0), version);
  if (call.options['source'] === true) {
    session.printText(await client.flowSource(flow.name, flow.version));
    return;
  }
  session.printOne(flow, () => flowLines(flow, session.width), [flow.name]);
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

/** `flow versions` */
export async function flowVersions(session: Session, call: Call): Promise<void> {
  session.printRows(await session.asking().listVersions(textArg(call, 0)), VERSION_STYLE);
}

/** `flow diff`; without a second version, with the newest. */
export async function flowDiff(session: Session, call: Call): Promise<void> {
  const [, , to] = call.args;
  const diff = await session
    .asking()
    .ask('GET /v1/flows/{name}/versions/{version}:diff', {
      path: { name: textArg(call, 0), version: textArg(call, 1) },
      query: { to: typeof to === 'string' ? to : undefined },
    });
  const lines = diffLines(diff);
  session.printOne(diff, () => lines);
  if (lines.length === 0) session.say('The two versions say the same.');
}

/** As `diff` writes them: what goes, what comes, what is another. */
function diffLines({ added, changed, members, removed }: DiffReport): readonly string[] {
  return [
    ...members.map((member) => `~ ${memberText(member)}`),
    ...removed.map(({ step }) => `- ${step}`),
    ...added.map(({ step }) => `+ ${step}`),
    ...changed.flatMap(({ members: inner, pointer, step }) => {
      return inner.map((member) => `~ ${step}: ${memberText(within(member, pointer))}`);
    }),
  ];
}

/** The pointer from the step on, which is named already. */
function within(member: MemberReport, pointer: string): MemberReport {
  const isInside = member.pointer.startsWith(`${pointer}/`);
  return isInside ? { ...member, pointer: member.pointer.slice(pointer.length) } : member;
}

function memberText({ from, pointer, to }: MemberReport): string {
  const text = (value: unknown): string =>
    value === undefined ? 'nothing' : JSON.stringify(value);
  return `${pointer.slice(1)} ${text(from)} -> ${text(to)}`;
}

function deedOf({ children, command, kind, module }: PlanRow): string {
  if (module) return `${module}.${command}`;
  if (!children) return kind;
  const { count, flow } = children;
  const tasks =
    count === null ? 'child tasks' : count === 1 ? '1 child task' : `${count} child tasks`;
  return flow === null ? tasks : `${tasks} of ${flow}`;
}

/** The steps of child tasks stand below the step that has them. */
function planRows(items: readonly PlannedStepReport[], depth = 0): readonly PlanRow[] {
  return items.flatMap((item) => {
    return [{ ...item, depth }, ...planRows(item.children?.items ?? [], depth + 1)];
  });
}

/** `flow plan`: what a task would run, in that order, and the way back at each point. */
export async function flowPlan(session: Session, call: Call): Promise<void> {
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const plan = await session
    .asking()
    .ask('POST /v1/flows/{name}:plan', {
      path: { name: textArg(call, 0) },
      body: { parameters: parameters ?? {} },
    });
  if (session.options.output === 'json') {
    session.printJson(plan);
    return;
  }
  session.printRows(planRows(plan.items), PLAN_STYLE);
  for (const { member, step, taken, template } of plan.assumptions) {
    const words = `${JSON.stringify(template)} is not known yet, taken as ${JSON.stringify(taken)}`;
    session.say(`${step}, ${member}: ${words}.`);
  }
  if (plan.ends === 'fails') session.say('It would fail by itself then, and go back.');
  // With too many steps, or where the time of a plan was over.
  if (plan.ends === 'open') {
    session.say('The plan ends here: there are more steps, or one that a plan cannot pass.');
  }
}
