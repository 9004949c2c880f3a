import { plainLine } from '#wording';
import type { BackstepClient } from '../client/backstep-client.js';
import { commandsIn, type Sight } from '../client/follow-task.js';
import type { OutageListener } from '../client/outage.js';
import { type Followed, followUntilStill, type StillFollowers } from '../client/stillness.js';
import type { ExplanationReport, StepReport, TaskReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { clipText } from '../terminal/table.js';
import { drawTask, outcomeLine, type Pens } from './draw-task.js';
import { eventLine } from './event-line.js';
import { LiveDrawing } from './live-drawing.js';
import { sayRemedies } from './remedies.js';
import { lastStack } from './stack-lines.js';
import { viewTask } from './task-view.js';
import { timeText } from './words.js';

/** How often what is running is drawn again, in milliseconds. */
const REDRAW_MS = 100;

/** How often it is asked how far running attempts are, in milliseconds. */
const LOOK_MS = 2_000;

/** Most columns of a fact, where a line may have any number of them. */
const WIDTH_MAX = 400;

const NAME_WIDTH = 12;

/** Follows a task until it stands still, in the session's format. Resolves to the exit code. */
export async function showTask(
  session: Session,
  client: BackstepClient,
  taskId: string,
): Promise<ExitCode> {
  const { output } = session.options;
  const followed =
    output === 'table' && session.redraws
      ? await drawLive(session, client, taskId)
      : await tellLines(session, client, taskId);
  if (output === 'name') session.print(taskId);
  if (output === 'json') session.printJson(followed.sight.task);
  await sayNext(session, client, followed);
  return exitCodeOf(followed.sight);
}

/** Waits until a task stands still and shows it then. Resolves to the exit code. */
export async function awaitTask(
  session: Session,
  client: BackstepClient,
  taskId: string,
): Promise<ExitCode> {
  const followers = { onOutage: outageTeller(session), onStill: stillTeller(session) };
  const followed = await followUntilStill(client, taskId, followers);
  printTask(session, followed.sight);
  await sayNext(session, client, followed);
  return exitCodeOf(followed.sight);
}

/** A task as it is now, in the session's format; with its facts above its steps. */
export function printWholeTask(session: Session, sight: Sight): void {
  const { task } = sight;
  printTask(session, sight, ['', ...taskFacts(task, session.width)]);
}

/** A task as it is now, in the session's format. */
export function printTask(
  session: Session,
  { task, events }: Sight,
  facts: readonly string[] = [],
): void {
  const { output } = session.options;
  if (output === 'name') return session.print(task.taskId);
  if (output !== 'table') return session.printJson(task);
  const pens = { paint: session.paint, width: session.width };
  const view = viewTask(task, events);
  const [head = '', ...steps] = drawTask(view, pens);
  const all = [head, ...facts, ...steps, '', outcomeLine(view, pens)];
  for (const line of [...all, ...lastStack(events, session.paint)]) session.print(line);
}

function exitCodeOf({ task }: Sight): ExitCode {
  return task.status === 'succeeded' ? EXIT.done : EXIT.endedOtherwise;
}

async function drawLive(
  session: Session,
  client: BackstepClient,
  taskId: string,
): Promise<Followed> {
  const live = new LiveDrawing(session.terminal.stdout);
  const now = nowOnceLoaded();
  const pens = (): Pens => ({ paint: session.paint, width: session.width - 1, now: now() });
  let sight: Sight | undefined;
  let still: readonly string[] = [];
  const draw = (): void => {
    if (sight === undefined) return;
    live.show([...drawTask(viewTask(sight.task, sight.events), pens()), ...still]);
  };
  const onTask = (seen: Sight): void => {
    sight = seen;
    still = [];
    draw();
  };
  const onStill = (explained: ExplanationReport): void => {
    still = ['', clipText(stillWords(explained), pens().width)];
    draw();
  };
  /** No event tells how far an attempt is. That nobody answers is told by what follows the task. */
  const lookAgain = async (): Promise<void> => {
    const task = await client.getTask(taskId).catch(() => null);
    if (task !== null && sight?.task.revision === task.revision) sight = { ...sight, task };
  };
  const redraws = setInterval(draw, REDRAW_MS);
  const looks = setInterval(() => {
    if (sight === undefined || !commandsIn(sight.task.steps).some(runs)) return;
    void lookAgain();
  }, LOOK_MS);
  try {
    const followers = { onTask, onStill, onOutage: outageTeller(session) };
    const followed = await followUntilStill(client, taskId, followers);
    const view = viewTask(followed.sight.task, followed.sight.events);
    live.finish([...drawTask(view, pens()), '', outcomeLine(view, pens())]);
    return followed;
  } finally {
    clearInterval(redraws);
    clearInterval(looks);
  }
}

function runs({ rollback, state }: StepReport): boolean {
  return state === 'running' || rollback?.state === 'running';
}

/** The time; undefined until the platform is loaded, which nothing waits for. */
function nowOnceLoaded(): () => number | undefined {
  let now: (() => number) | undefined;
  const load = async (): Promise<void> => {
    const { SystemClock } = await import('#machine');
    const clock = new SystemClock();
    now = () => clock.now();
  };
  void load();
  return () => now?.();
}

/** One line per change, for files and pipes. */
async function tellLines(
  session: Session,
  client: BackstepClient,
  taskId: string,
): Promise<Followed> {
  const { output } = session.options;
  const followers: StillFollowers = {
    onOutage: outageTeller(session),
    onStill: stillTeller(session),
    onEvents: (events) => {
      for (const event of events) {
        if (output === 'jsonl') session.printJson(event);
        if (output === 'table') session.print(eventLine(event, session.paint));
      }
    },
  };
  const followed = await followUntilStill(client, taskId, followers);
  const { events, task } = followed.sight;
  const pens = { paint: session.paint, width: session.width };
  if (output === 'table') session.print(outcomeLine(viewTask(task, events), pens));
  return followed;
}

function stillTeller(session: Session): (explained: ExplanationReport) => void {
  return (explained) => session.say(stillWords(explained));
}

function stillWords({ causes: [first] }: ExplanationReport): string {
  return `It does not move. ${first?.message ?? ''}`;
}

/** Says that the connection was lost, and that it is there again. */
export function outageTeller(session: Session): OutageListener {
  return {
    lost: (reason) => session.say(`the connection is lost, and tried again: ${reason}`),
    regained: () => session.say('the connection is there again'),
  };
}

async function sayNext(
  session: Session,
  client: BackstepClient,
  { explained, sight: { task } }: Followed,
): Promise<void> {
  if (explained !== undefined) return sayRemedies(session, task.taskId, explained.causes);
  if (task.status === 'on_hold') await sayChoices(session, client, task);
  if (task.status !== 'rollback_failed') return;
  const { taskId } = task;
  const failed = commandsIn(task.steps).find(({ rollback }) => rollback?.state === 'failed');
  if (failed === undefined && commandsIn(task.steps).some(({ pivot }) => pivot === true)) {
    session.say('It passed a point of no return. Once it is undone by hand:');
    session.say(`  ${session.typed(`task terminate ${taskId} --reason "..."`)}`);
    return;
  }
  session.say('The way back waits for a person. Once the cause is mended:');
  session.say(`  ${session.typed(`task retry ${taskId} --reason "..."`)}`);
  session.say('or, when the step was undone by hand:');
  session.say(
    `  ${session.typed(`task skip ${taskId} --step ${failed?.id ?? '...'} --reason "..."`)}`,
  );
}

async function sayChoices(
  session: Session,
  client: BackstepClient,
  { hold, lastError, taskId }: TaskReport,
): Promise<void> {
  session.say(`The task waits for a person: ${hold?.reason ?? ''}`);
  session.say(`  ${session.typed(`task retry ${taskId} --reason "..."`)}`);
  const step = lastError?.step ?? null;
  if (step !== null) {
    session.say(`  ${session.typed(`task skip ${taskId} --step ${step} --reason "..."`)}`);
  }
  // Without the plan, the gateway says what is in the way.
  const plan = await client
    .ask('GET /v1/tasks/{taskId}/rollback-plan', { path: { taskId } })
    .catch(() => null);
  const { obstacle = null, pivot = null, to = null } = plan ?? {};
  const down = to === null ? '' : ` --to ${to}`;
  const isPossible = obstacle === null || to !== null;
  if (isPossible)
    session.say(`  ${session.typed(`task rollback ${taskId}${down} --reason "..."`)}`);
  if (pivot !== null) session.say(`(${pivot} is a point of no return: not past it.)`);
}

/** All facts of a task besides its steps, a line each. A fact without a value has no line. */
function taskFacts(task: TaskReport, width: number): string[] {
  const { flowVersion, input, labels, origin, timeCreate, timeEnd, timeStart } = task;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['version', `${flowVersion}`],
    ['created', timeText(timeCreate)],
    ['started', timeStart === null ? '' : timeText(timeStart)],
    ['ended', timeEnd === null ? '' : timeText(timeEnd)],
    ['origin', pairs(origin ?? {})],
    ['labels', pairs(labels)],
    ['parameters', pairs(input)],
  ];
  return facts.flatMap(([name, value]) => {
    const line = `  ${name.padEnd(NAME_WIDTH)}${plainLine(value)}`;
    return value === '' ? [] : [clipText(line, Math.min(width, WIDTH_MAX))];
  });
}

/** As they are written on a command line. The server has masked what is secret. */
function pairs(object: Readonly<Record<string, unknown>>): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
