import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Case,
  CASES,
  type Client,
  CLIENTS,
  ClientProgram,
  FaultyProxy,
  flowOf,
  keyFaults,
  missingFor,
  playCase,
  type Stage,
  wordsOf,
} from '../conformance/index.js';
import { Api } from '../load/index.js';
import { type DeploymentKind, SECRET_KEY, startDeployment } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

/** Plays every case with every client at one Backstep. */
export function conformanceOf(kind: DeploymentKind): void {
  const trial = new Trial(`conformance-${kind}`);
  let api: Api;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      const all = CLIENTS.flatMap((client) => CASES.map((one) => flowOf(one, client)));
      const flows = Object.fromEntries(all.map(({ flow, name }) => [name, flow]));
      const own = { flows: await writeFlows(folder, flows), secretKey: SECRET_KEY };
      const settings = { ...WAITS.outlastFaults, ...own };
      const backstep = trial.use(await startDeployment(kind, { folder, settings }));
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  describe.each(CLIENTS)('$language', (client) => {
    const missing = missingFor(client);
    if (missing === undefined) clientTests(client, { trial, apiOf: () => api });
    else it.skip(`is not tried: this machine has no ${missing}`, () => {});
  });
}

interface Surroundings {
  readonly trial: Trial;
  readonly apiOf: () => Api;
}

function clientTests(client: Client, { apiOf, trial }: Surroundings): void {
  let stage: Stage;

  beforeAll(
    trial.guard(async () => {
      const api = apiOf();
      const folder = path.join(trial.folder, client.language);
      await mkdir(folder);
      const proxy = trial.use(await FaultyProxy.start(api.url));
      const program = trial.use(await ClientProgram.start(client, { folder, url: proxy.url }));
      stage = { api, client, folder, program, proxy };
      await program.untilServed(api);
    }),
  );
  afterAll(() => stage.program.stop());

  for (const one of CASES) {
    const reason = client.except[one.name];
    if (reason !== undefined) it.skip(`${one.name} (skipped: ${reason})`, () => {});
    else trial.it(one.name, () => expectPlayed(one, stage));
  }
}

async function expectPlayed(one: Case, stage: Stage): Promise<void> {
  const { journal, lines: details = {}, log, status, steps = {} } = one.expect;
  const { lines, log: logged, task } = await playCase(one, stage);
  expect(task).toMatchObject({ status });
  for (const [name, members] of Object.entries(steps)) {
    expect(task.steps.find((step) => step.name === name)).toMatchObject(withEnds(members));
  }
  if (journal !== undefined) expect(lines.map(wordsOf)).toEqual(journal);
  for (const [words, members] of Object.entries(details)) {
    expect(lines.find((line) => wordsOf(line) === words)).toMatchObject(members);
  }
  if (log !== undefined) {
    expect(logged).toEqual(log.map(endsWith));
  }
  expect(keyFaults(lines)).toEqual([]);
}

/** A client may write more before a message. */
function withEnds(members: object): object {
  if (!('message' in members)) return members;
  return { ...members, message: endsWith(String(members.message)) };
}

function endsWith(end: string): unknown {
  const literal = end.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return expect.stringMatching(new RegExp(`${literal}$`));
}
