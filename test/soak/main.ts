/**
 * `soak --minutes N [--seed S] [--deployment standalone|distributed] [--profile NAME]`:
 * load and blows of chance for so long. Exit code 1 where something was lost, stuck or wrong. The
 * profiles are `default`, `quick`, `store-outages` and `wide`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { FAILING_FLOW } from '../load/index.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { helpOnRequest } from '../tools/help-on-request.js';
import { writeFlows, writeHosts } from '../trial/inputs.js';
import { seededRandom } from '../trial/seeded-random.js';
import { figuresText } from './figures-text.js';
import { soakOutages } from './outage-soak.js';
import { PROFILES, type ProfileName } from './profiles.js';
import { soak } from './soak.js';
import { soakWide } from './wide-soak.js';
import { type SoakTarget, startTarget } from './targets.js';

const USAGE =
  'usage: soak --minutes N [--seed S] [--deployment standalone|distributed] ' +
  '[--profile default|quick|store-outages|wide]';

const SOAKS: Readonly<Record<ProfileName, () => Promise<boolean>>> = {
  default: chanceSoak,
  quick: chanceSoak,
  'store-outages': outageSoak,
  wide: wideSoak,
};

const { minutes, seed, kind, profileName } = readArguments();
const over = new AbortController();
process.once('SIGINT', () => over.abort());
process.once('SIGTERM', () => over.abort());
const folder = await mkdtemp(path.join(tmpdir(), 'backstep-soak-'));
console.log(`seed ${seed}, ${kind}, profile ${profileName}, ${minutes} minutes`);
let isGood = false;
let target: SoakTarget | undefined;
try {
  isGood = await SOAKS[profileName]();
} catch (error) {
  console.error(error);
} finally {
  await target?.stop();
}
if (isGood) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
else {
  const flags = `--minutes ${minutes} --deployment ${kind} --profile ${profileName}`;
  console.error(`repeat: npm run soak -- ${flags} --seed ${seed}; logs: ${folder}`);
}
process.exit(isGood ? 0 : 1);

async function chanceSoak(): Promise<boolean> {
  target = await start();
  const { signal } = over;
  const seconds = minutes * 60;
  const figures = await soak({ target, seconds, seed, signal, print: console.log });
  console.log(figuresText(figures));
  return [figures.lost, figures.stuck, figures.wrong].every(({ length }) => length === 0);
}

function outageSoak(): Promise<boolean> {
  const { signal } = over;
  const profile = PROFILES['store-outages'];
  return soakOutages({ folder, profile, seconds: minutes * 60, seed, signal, print: console.log });
}

function wideSoak(): Promise<boolean> {
  const { signal } = over;
  const profile = PROFILES.wide;
  return soakWide({ folder, kind, profile, seconds: minutes * 60, signal, print: console.log });
}

async function start(): Promise<SoakTarget> {
  const { holdSeconds, settings } = PROFILES[profileName];
  const inputs = {
    resourceHosts: await writeHosts(folder),
    flows: await writeFlows(folder, FAILING_FLOW),
  };
  const hold = { random: seededRandom(seed + 3), seconds: holdSeconds };
  return startTarget(kind, { folder, settings: { ...settings, ...inputs }, hold });
}

function readArguments() {
  helpOnRequest(USAGE);
  const { values } = parse();
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const kind = DEPLOYMENTS.find((deployment) => deployment.kind === values.deployment)?.kind;
  const profileName = values.profile as ProfileName;
  const isUsable =
    minutes > 0 && Number.isSafeInteger(seed) && Object.hasOwn(PROFILES, profileName);
  if (kind === undefined || !isUsable) return fail();
  return { minutes, seed, kind, profileName };
}

function parse() {
  try {
    return parseArgs({
      options: {
        minutes: { type: 'string' },
        seed: { type: 'string' },
        deployment: { type: 'string', default: 'distributed' },
        profile: { type: 'string', default: 'default' },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message = ''): never {
  console.error(`${message}\n${USAGE}`.trim());
  process.exit(2);
}
