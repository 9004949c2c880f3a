import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  type Client,
  ClientJournal,
  ClientProgram,
  CLIENTS,
  type JournalLine,
  keyFaults,
  killAmidTasks,
  missingFor,
  moduleOf,
} from '../conformance/index.js';
import { countByStatus, hasEnded } from '../ledger/index.js';
import { Api, type TaskView } from '../load/index.js';
import { describeWith } from '../servers/describe-with.js';
import { type DeploymentPlan, DEPLOYMENTS, SECRET_KEY, startDeployment } from '../stack/index.js';
import { playsAll } from '../trial/plays-all.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

/** Kills of each worker. */
const KILLS = playsAll() ? 50 : 2;
const LANGUAGES = ['typescript', 'python', 'go', 'program'];
const CHOSEN = CLIENTS.filter(({ language }) => LANGUAGES.includes(language));
const MEMBERS = CHOSEN.filter((client) => missingFor(client) === undefined);

const FORWARD = 'kills-forward';
const BACK = 'kills-back';
const ONCE = 'kills-once';
const FAILURE = { kind: 'terminal', message: 'the last step was told to fail' };
const OFTEN = { restarts: 100 };

jest.setTimeout(3_600_000);

/** A step in each language, one after another. */
function stepsOf(onCrash: object | 'fail'): readonly object[] {
  return MEMBERS.map(({ language }) => ({
    name: language,
    normal: {
      ...{ module: moduleOf(language), command: 'slow', timeout: 600, onCrash },
      parameters: { ms: '{% $input.ms %}' },
    },
    rollback: { module: moduleOf(language), command: 'undo', timeout: 600, onCrash: OFTEN },
  }));
}

const fail = { name: 'fail', normal: { module: 'lab', command: 'fail', parameters: FAILURE } };
const FLOWS = {
  [FORWARD]: stepsOf(OFTEN),
  [BACK]: [...stepsOf(OFTEN), fail],
  [ONCE]: stepsOf('fail'),
};

/** The statuses with which a task may end. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  [FORWARD]: ['succeeded'],
  [BACK]: ['rolled_back'],
  [ONCE]: ['succeeded', 'rolled_back'],
};

for (const deployment of DEPLOYMENTS) {
  const { kind, servers } = deployment;
  describeWith(`workers of a ${kind} Backstep that are killed`, { servers, own: true }, () => {
    killingOf(deployment);
  });
}

function killingOf({ kind }: DeploymentPlan): void {
  const trial = new Trial(`worker-kills-${kind}`);
  const folderOf = ({ language }: Client): string => path.join(trial.folder, language);
  const programs: ClientProgram[] = [];
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const own = { flows: await writeFlows(folder, FLOWS), secretKey: SECRET_KEY };
      const settings = { ...WAITS.outlastFaults, ...own };
      const { url } = trial.use(await startDeployment(kind, { folder, settings }));
      api = new Api(url);
      for (const client of MEMBERS) {
        await mkdir(folderOf(client));
        const place = { folder: folderOf(client), url };
        programs.push(trial.use(await ClientProgram.start(client, place)));
      }
      await Promise.all(programs.map((program) => program.untilServed(api)));
    }),
  );
  afterAll(() => trial.close());

  trial.it('end every task, with each effect once, forward and back', async () => {
    const flows = Object.keys(FLOWS);
    const kills = { programs, api, flows, count: KILLS, random: trial.random };
    const created = await killAmidTasks(kills);
    const tasks: TaskView[] = [];
    for (const taskId of created) tasks.push(await api.task(taskId));
    const lines = linesByTask(MEMBERS.map(folderOf));
    const faults = tasks.flatMap((task) => faultsOf(task, lines.get(task.taskId) ?? []));
    console.log(`${kind}, seed ${trial.seed}: ${summaryOf(tasks, lines)}`);
    expect(faults).toEqual([]);
  });

  for (const client of CHOSEN.filter((each) => missingFor(each) !== undefined)) {
    it.skip(`${client.language} is not tried: this machine has no ${missingFor(client)}`, () => {});
  }
}

type Lines = ReadonlyMap<string, readonly JournalLine[]>;

/** The lines of all languages, in each the oldest first. */
function linesByTask(folders: readonly string[]): Lines {
  const byTask = new Map<string, JournalLine[]>();
  for (const line of folders.flatMap((folder) => new ClientJournal(folder).lines())) {
    const known = byTask.get(line.taskId);
    if (known === undefined) byTask.set(line.taskId, [line]);
    else known.push(line);
  }
  return byTask;
}

/** The faults of a task: in its end, its effects, their order and their keys. */
function faultsOf(task: TaskView, lines: readonly JournalLine[]): readonly string[] {
  const { flow, status, steps } = task;
  const mine = steps.filter(({ name }) => LANGUAGES.includes(name));
  const faults = mine.flatMap(({ name }) => {
    return stepFaults(
      task,
      lines.filter(({ step }) => step === name),
    );
  });
  const isEnd = hasEnded(task) && ENDS[flow]?.includes(status) === true;
  const all = isEnd ? faults : [`it is ${status}`, ...faults];
  return all.map((fault) => `${flow} ${task.taskId}: ${fault}`);
}

function stepFaults({ flow, status }: TaskView, lines: readonly JournalLine[]): readonly string[] {
  const [first] = lines;
  const forward = lines.filter(({ direction }) => direction === 'normal');
  const undone = lines.filter(({ event }) => event === 'undone');
  const starts = forward.filter(({ event }) => event === 'started').length;
  const isDone = forward.some(({ event }) => event === 'ended');
  const isAfter = lines.findIndex(({ direction }) => direction === 'rollback');
  const isMixed =
    isAfter >= 0 && lines.slice(isAfter).some(({ direction }) => direction === 'normal');
  const faults = [
    status === 'succeeded' && !isDone && 'it was not done',
    status === 'succeeded' && undone.length > 0 && 'it was undone',
    status === 'rolled_back' && forward.length > 0 && undone.length === 0 && 'it was not undone',
    isMixed && 'it was done after its undo had begun',
    flow === ONCE && starts > 1 && `it was started ${starts} times`,
    // Of a worker that dies before its first line, nobody knows the key.
    starts > 0 && keyFaults(lines)[0],
  ];
  return faults
    .filter((fault) => typeof fault === 'string')
    .map((fault) => `${first?.step ?? 'a step'}: ${fault}`);
}

function summaryOf(tasks: readonly TaskView[], lines: Lines): string {
  const all = [...lines.values()].flat();
  const starts = all.filter(({ event }) => event === 'started');
  const actions = new Set(starts.map(({ direction, run, taskId }) => taskId + run + direction));
  const again = starts.length - actions.size;
  const kills = KILLS * MEMBERS.length;
  const ends = JSON.stringify(countByStatus(tasks));
  return `${kills} kills, ${tasks.length} tasks ${ends}, ${again} actions were started again`;
}
