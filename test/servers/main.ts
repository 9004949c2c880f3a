/**
 * `up [--until-stdin-ends] [names...]`: starts servers and prints their URLs as JSON, by the
 * variables that tests read them from. Stays until Ctrl-C, or until its input ends, which is how a
 * script that is killed takes the servers along.
 */
import { parseArgs } from 'node:util';
import { URL_VARIABLES, isMissing } from './index.js';
import { startMariadb, startMongo, startRabbitmq, startRedis } from './index.js';
import type { Missing, RunningServer, ServerName } from './index.js';

const STARTERS: Readonly<Record<ServerName, () => Promise<RunningServer | Missing>>> = {
  rabbitmq: startRabbitmq,
  mongo: startMongo,
  mariadb: startMariadb,
  redis: startRedis,
};
const NAMES = Object.keys(STARTERS) as ServerName[];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'until-stdin-ends': { type: 'boolean', default: false } },
});
const [verb, ...wanted] = positionals;
const unknown = wanted.filter((name) => !(name in STARTERS));
if (verb !== 'up' || unknown.length > 0) {
  console.error(`usage: up [--until-stdin-ends] [${NAMES.join(' ')}]`);
  process.exit(2);
}

let servers: readonly RunningServer[] = [];
process.once('SIGINT', () => void end(0));
process.once('SIGTERM', () => void end(0));
if (values['until-stdin-ends']) process.stdin.resume().once('end', () => void end(0));

const names = wanted.length > 0 ? (wanted as ServerName[]) : NAMES;
const results = await Promise.all(names.map((name) => STARTERS[name]()));
servers = results.filter((result): result is RunningServer => !isMissing(result));
const missing = results.filter(isMissing);
for (const { missing: name, why } of missing) console.error(`${name} is missing: ${why}`);
if (servers.length === 0 || (wanted.length > 0 && missing.length > 0)) await end(1);
console.log(JSON.stringify(urlsOf(servers)));
// Servers do not keep this process alive.
setInterval(() => undefined, 60_000);

function urlsOf(running: readonly RunningServer[]): Record<string, string> {
  return Object.fromEntries(running.map(({ name, url }) => [URL_VARIABLES[name], url]));
}

/** Servers that are still starting go with this process. */
async function end(code: number): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
  process.exit(code);
}
