import type { RunningServer } from '../test/servers/index.js';
import { waitUntil } from '../test/servers/wait-until.js';
import { groupUsage, sumOf, type Usage, usedBetween } from './processor-time.js';
import type { Program } from './program.js';
import type { Stamp } from './programs/bench-module.js';
import type { Family } from './programs/families.js';
import type { Drive, Driven, HandedIn } from './pump.js';

/** The parts of a system under test. */
export interface SiteParts {
  /** Takes the tasks. */
  readonly lead: Program;
  /** Do the steps, where the lead does not. */
  readonly executors?: readonly Program[];
  readonly servers?: readonly RunningServer[];
  /** Lets go of what the site only borrowed. */
  readonly release?: () => Promise<void>;
}

/** Longest wait for created tasks to start. */
const START_MS = 60_000;

/** Usage of the parts of a site, by name. */
export type Shares = Readonly<Record<string, Usage>>;

/** A drive together with what it used. */
export interface Accounted extends Driven {
  readonly shares: Shares;
}

/** One system under test: programs of the bench and the servers they use. */
export class Site {
  private constructor(private readonly parts: SiteParts) {}

  /** Connects the parts: executors tell the lead when tasks have finished. */
  static of(parts: SiteParts): Site {
    for (const executor of parts.executors ?? []) {
      executor.onTold = ({ finished }: { finished: number }) => {
        void parts.lead.ask('finished', finished).catch(() => undefined);
      };
    }
    return new Site(parts);
  }

  /** Hands in tasks; resolves when the last one has finished. */
  async drive(drive: Drive): Promise<Accounted> {
    const before = await this.#shares();
    const driven = await this.parts.lead.ask<Driven>('drive', drive);
    const after = await this.#shares();
    const shares = Object.entries(after).map(([name, usage]) => {
      return [name, usedBetween(before[name]!, usage)] as const;
    });
    return { ...driven, shares: Object.fromEntries(shares) };
  }

  /** Stamps of all steps that noted when they ran, since the last time. */
  async stamps(): Promise<readonly Stamp[]> {
    const { executors = [], lead } = this.parts;
    const all = [lead, ...executors].map((program) => program.ask<readonly Stamp[]>('stamps'));
    return (await Promise.all(all)).flat();
  }

  /** Where it listens for HTTP. */
  url(): Promise<string> {
    return this.parts.lead.ask<string>('url');
  }

  /** Makes a number of tasks to read, and tells their ids. */
  seed(count: number): Promise<readonly string[]> {
    return this.parts.lead.ask<readonly string[]>('seed', count);
  }

  /** Runs one task with child tasks, and has it undone. */
  family(flow: string): Promise<Family> {
    return this.parts.lead.ask<Family>('family', flow);
  }

  /** Hands tasks in all at once; resolves when they are stored. */
  async handIn(tasks: HandedIn): Promise<void> {
    await this.parts.lead.ask('handIn', tasks);
  }

  /** Processor time and memory that its parts have used so far. */
  async usage(): Promise<Usage> {
    return sumOf(Object.values(await this.#shares()));
  }

  /** Makes one task that waits for an hour; resolves when its step has been told to. */
  async park(): Promise<void> {
    const wanted = (await this.waits()) + 1;
    await this.parts.lead.ask('park');
    await this.untilWaits(wanted);
  }

  /** Resolves when this number of tasks waits. */
  untilWaits(count: number): Promise<void> {
    const probe = async (): Promise<void> => {
      const waits = await this.waits();
      if (waits < count) throw new Error(`${waits} of ${count} wait`);
    };
    return waitUntil(probe, { what: 'created tasks do not start', deadlineMs: START_MS });
  }

  /** How many tasks wait that were created to wait, in all its life. */
  async waits(): Promise<number> {
    const { executors = [], lead } = this.parts;
    const programs = executors.length > 0 ? executors : [lead];
    const counts = await Promise.all(programs.map((program) => program.ask<number>('waits')));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Stops the programs; servers that are its own, too. */
  async stop(): Promise<void> {
    const { executors = [], lead, release } = this.parts;
    await Promise.all([lead, ...executors].map((program) => program.stop()));
    await release?.();
  }

  async #shares(): Promise<Shares> {
    const { executors = [], lead, servers = [] } = this.parts;
    const own = await lead.usage();
    const others = await Promise.all(executors.map((executor) => executor.usage()));
    const shares: Record<string, Usage> = { [others.length > 0 ? 'gateway' : 'process']: own };
    if (others.length > 0) shares['executors'] = sumOf(others);
    for (const { name, pid } of servers) shares[name] = groupUsage(pid);
    return shares;
  }
}
