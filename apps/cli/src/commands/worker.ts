import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { SystemClock, SystemEntropy } from '#machine';
import { Worker, WorkerRefused } from '#worker';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, listOption, readDuration, restArgs, textOption } from '../tree/call.js';
import { findProgram, type Program } from '../worker/find-program.js';
import { GroupKeeper } from '../worker/group-keeper.js';
import { HttpConnection } from '../worker/http-connection.js';
import { runProgram } from '../worker/run-program.js';

/** `worker -- <program>`: carries out actions by programs until a signal ends it. */
export async function worker(session: Session, call: Call): Promise<ExitCode> {
  const module = textOption(call, 'module') ?? '';
  const programs = await programsOf(session, call);
  const secrets = listOption(call, 'secret');
  const clock = new SystemClock();
  const keeper = new GroupKeeper();
  const { cwd, env } = session.terminal;
  const folder = path.resolve(cwd, textOption(call, 'dir') ?? tmpdir());
  const options = { clock, cwd, env, folder, host: hostname(), keeper, secrets };
  const lease = textOption(call, 'lease');
  const running = new Worker({
    modules: {
      [module]: Object.fromEntries([...programs.keys()].map((name) => [name, { secrets }])),
    },
    handle: (attempt) => runProgram(programs.get(attempt.item.command)!, attempt, options),
    slots: slotsOf(call),
    leaseMs: lease === undefined ? undefined : readDuration(lease, '--lease'),
    build: textOption(call, 'build'),
    connection: new HttpConnection(session.client().options, clock),
    clock,
    entropy: new SystemEntropy(),
    say: (line) => session.say(line),
  });
  session.sayMore(`serves ${[...programs.keys()].map((name) => `${module}.${name}`).join(', ')}`);
  return untilStopped(running, { keeper, session });
}

/** The timers of the clock do not keep this process alive. */
const KEEP_ALIVE_MS = 1_000_000;

async function untilStopped(
  running: Worker,
  { keeper, session }: { readonly keeper: GroupKeeper; readonly session: Session },
): Promise<ExitCode> {
  const alive = setInterval(() => {}, KEEP_ALIVE_MS);
  const stopping = session.onAbort('no more work is taken; what runs is finished');
  try {
    await running.run(session.signal);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof WorkerRefused)) throw error;
    throw new CliError(EXIT.endedOtherwise, error.message);
  } finally {
    stopping.takeBack();
    keeper.close();
    clearInterval(alive);
  }
}

/** Programs by the commands that they carry out. */
async function programsOf(
  { terminal }: Session,
  call: Call,
): Promise<ReadonlyMap<string, Program>> {
  const rest = restArgs(call);
  const programs = new Map<string, Program>();
  for (const text of listOption(call, 'command')) {
    const [, name = '', line] = /^([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    const words = line === undefined ? rest : ['sh', '-c', line];
    if (words.length === 0) throw noProgram(name);
    if (programs.has(name)) throw new CliError(EXIT.usage, `--command ${name} is given twice`);
    programs.set(name, await findProgram(words, terminal));
  }
  if (programs.size > 0) return programs;
  throw new CliError(EXIT.usage, 'say with --command what the program carries out');
}

function noProgram(name: string): CliError {
  const hint = `Write it after --, or as --command '${name}=./do-it'.`;
  return new CliError(EXIT.usage, `no program carries out ${name}`, hint);
}

const SLOTS_MAX = 1_000;

function slotsOf(call: Call): number {
  const text = textOption(call, 'slots') ?? '1';
  const slots = Number(text);
  if (Number.isInteger(slots) && slots >= 1 && slots <= SLOTS_MAX) return slots;
  throw new CliError(EXIT.usage, `--slots "${text}" is no whole number from 1 to ${SLOTS_MAX}`);
}
