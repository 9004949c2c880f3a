import type { BackstepClient } from '../client/backstep-client.js';
import { followTask, type Sight } from '../client/follow-task.js';
import { rest } from '../client/http.js';
import type { TaskReport } from '../client/types.js';
import { HOST_STYLE, listHosts } from '../commands/resource-hosts.js';
import { drawTask, outcomeLine, type Pens } from '../drawing/draw-task.js';
import { eventLine } from '../drawing/event-line.js';
import { LiveDrawing } from '../drawing/live-drawing.js';
import { replayTask } from '../drawing/replay.js';
import { viewTask } from '../drawing/task-view.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { tableLines } from '../terminal/table.js';
import { type DemoServer, SIZE } from './demo-server.js';

const FLOW = 'create-db-instance';

/** How often two requests may miss the race that they are to run. */
const RACES_MAX = 5;

/** How long each change is shown, in milliseconds. */
const CHANGE_MS = 110;

/**
 * Shows a task that succeeds, one that is undone, and what is left. Resolves to the id of the one
 * that was undone. Throws if one does not end so.
 */
export async function runScenes(
  session: Session,
  client: BackstepClient,
  server: DemoServer,
): Promise<string> {
  await succeed(session, client);
  const race = await runRace(client);
  await showRace(session, race);
  await showRest(session, client, { server, race });
  return race.loser.task.taskId;
}

async function succeed(session: Session, client: BackstepClient): Promise<void> {
  const pace = session.redraws ? ' (slowed down for you)' : '';
  session.say(`\n1. A database instance in three steps, each with its way back${pace}:\n`);
  const [sight] = await runAll(client, ['orders']);
  await drawSlowly(session, sight as Sight);
  expectStatus(sight, 'succeeded');
}

/** Two tasks that wanted the same room. */
interface Race {
  readonly winner: Sight;
  readonly loser: Sight;
}

/**
 * Two requests for the last room on the only host, at the same moment: both find that there is
 * room, one gets it. Where one was so late that its check already failed, they try again.
 */
async function runRace(client: BackstepClient): Promise<Race> {
  for (let tries = 1; ; tries += 1) {
    const names = ['invoices', 'payments'].map((name) => (tries > 1 ? `${name}-${tries}` : name));
    const sights = await runAll(client, names);
    const winner = sights.find(({ task }) => task.status === 'succeeded');
    const loser = sights.find((sight) => sight !== winner);
    const lastStep = loser?.task.steps.at(-1);
    if (winner && loser && (lastStep?.attempts ?? 0) > 0) return { winner, loser };
    if (winner === undefined || tries === RACES_MAX) {
      throw new CliError(EXIT.endedOtherwise, 'the second task did not fail in its last step');
    }
    await remove(client, winner);
  }
}

async function runAll(client: BackstepClient, names: readonly string[]): Promise<Sight[]> {
  const orders = names.map((instance) => ({ flow: FLOW, parameters: { ...SIZE, instance } }));
  const answers = await client.createTasks(orders);
  return Promise.all(
    answers.map(({ problem, taskId }) => {
      if (taskId !== undefined) return followTask(client, taskId, {});
      throw new CliError(EXIT.endedOtherwise, `a task was refused: ${problem?.detail}`);
    }),
  );
}

/** The name of the instance that a task was to make. */
function instanceOf({ parameters: { instance } }: TaskReport): string {
  return typeof instance === 'string' ? instance : '';
}

/** Makes room again, the way an operator would. */
async function remove(client: BackstepClient, { task }: Sight): Promise<void> {
  const order = { flow: 'delete-db-instance', parameters: { ...SIZE, instance: instanceOf(task) } };
  const [answer] = await client.createTasks([order]);
  if (answer?.taskId !== undefined) await followTask(client, answer.taskId, {});
}

async function showRace(session: Session, { loser, winner }: Race): Promise<void> {
  const [lost, won] = [loser, winner].map(({ task }) => instanceOf(task));
  session.say('\n2. The same twice more at one moment, and the host has room for one of the two:');
  session.say(`   both checks find room, "${won}" is charged first, and "${lost}" fails in its`);
  session.say('   last step. Everything that it did is undone, last first:\n');
  await drawSlowly(session, loser);
  expectStatus(loser, 'rolled_back');
}

async function showRest(
  session: Session,
  client: BackstepClient,
  { race, server }: { readonly race: Race; readonly server: DemoServer },
): Promise<void> {
  const lost = instanceOf(race.loser.task);
  const hosts = await listHosts(client);
  const instances = await server.instances();
  session.say(
    `\n3. Nothing of "${lost}" is left, neither in the inventory nor among the instances:\n`,
  );
  const lines = tableLines(hosts, HOST_STYLE.columns, session.width);
  for (const line of lines) session.print(line);
  session.print(`\ninstances: ${instances.join(', ')}`);
  const { taskId } = race.loser.task;
  const holds = hosts.some(({ allocations }) => allocations.some((one) => one.taskId === taskId));
  if (!holds && !instances.includes(lost)) return;
  throw new CliError(EXIT.endedOtherwise, `something of "${lost}" was left behind`);
}

function expectStatus(sight: Sight | undefined, status: string): void {
  if (sight?.task.status === status) return;
  const sentence = `the task ended as ${sight?.task.status} instead of ${status}`;
  throw new CliError(EXIT.endedOtherwise, sentence);
}

/** Draws what happened to a task change by change: it itself took milliseconds. */
async function drawSlowly(session: Session, { events, task }: Sight): Promise<void> {
  const view = viewTask(task, events);
  const width = session.redraws ? session.width - 1 : session.width;
  const pens: Pens = { paint: session.paint, width };
  const last = [...drawTask(view, pens), '', outcomeLine(view, pens)];
  if (!session.redraws) {
    for (const event of events) session.print(eventLine(event, session.paint));
    for (const line of ['', ...last]) session.print(line);
    return;
  }
  const live = new LiveDrawing(session.terminal.stdout);
  for (const picture of replayTask(view, events)) {
    live.show(drawTask(picture, pens));
    await rest(CHANGE_MS, session.signal);
  }
  live.finish(last);
}
