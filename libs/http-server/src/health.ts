import { Controller, type DynamicModule, Get, Inject, Module, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { withinLimit } from '#machine';
import type { Clock } from '#ports';

/** Under this name Nest finds what the health module was made with. */
const HEALTH_OPTIONS = Symbol('health options');

/** Gives the metrics of this process as text. */
interface MetricsText {
  readonly contentType: string;
  text(this: void): Promise<string> | string;
}

/** Options of the health module. */
interface HealthOptions {
  readonly checks: readonly ReadinessCheck[];
  readonly clock: Clock;
  readonly metrics: MetricsText;
  /** How requests say whose they are. Default: `off`. */
  readonly auth?: string;
  /** Where a browser signs in at an identity provider; null: nowhere. Default: null. */
  readonly signIn?: string | null;
  /** Notes for callers who ask for readiness; they do not change it. Default: none. */
  readonly notes?: () => readonly string[];
}

/** One thing that must be there before a process can do its work. */
export interface ReadinessCheck {
  readonly name: string;
  /** Resolves when it is there; rejects with an error that says for people what is wrong. */
  check(): Promise<void>;
}

/** The result of a readiness check. */
interface CheckResult {
  readonly name: string;
  readonly ready: boolean;
  readonly message: string | null;
  /** Since when it has failed, as far as this process asked, ISO 8601. Absent: it is ready. */
  readonly since?: string;
}

/** Whether a process can do its work, and what is missing if not. */
interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: readonly CheckResult[];
}

/** A check that takes longer has failed. */
const CHECK_MS = 2_000;

/** Since when checks have failed, milliseconds since 1970: one answer for all that ask. */
const FAILING = new WeakMap<ReadinessCheck, number>();

/** Runs all checks side by side; none can hold up the answer. */
export async function readiness(
  checks: readonly ReadinessCheck[],
  clock: Clock,
): Promise<Readiness> {
  const results = await Promise.all(checks.map((check) => judge(check, clock)));
  const status = results.every(({ ready }) => ready) ? 'ready' : 'not_ready';
  return { status, checks: results };
}

async function judge(check: ReadinessCheck, clock: Clock): Promise<CheckResult> {
  const { name } = check;
  try {
    await withinLimit(() => check.check(), { clock, ms: CHECK_MS });
    FAILING.delete(check);
    return { name, ready: true, message: null };
  } catch (error) {
    const since = FAILING.get(check) ?? clock.now();
    FAILING.set(check, since);
    const message = error instanceof Error ? error.message : 'failed';
    return { name, ready: false, message, since: new Date(since).toISOString() };
  }
}

/** Routes for load balancers, supervisors and scrapers. */
@Controller()
class HealthController {
  constructor(@Inject(HEALTH_OPTIONS) private readonly options: HealthOptions) {}

  /** The process runs and its event loop turns. */
  @Get('livez')
  @RouteConfig({ isHealth: true })
  live(@Res() reply: FastifyReply): void {
    reply.send({ status: 'live' });
  }

  /** The process can do its work. */
  @Get('readyz')
  @RouteConfig({ isHealth: true })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { auth = 'off', checks, clock, notes, signIn = null } = this.options;
    const result = await readiness(checks, clock);
    const code = result.status === 'ready' ? 200 : 503;
    const body = { ...result, auth, signIn, notes: notes?.() ?? [] };
    reply.code(code).send(body);
  }

  /** Numbers, in Prometheus' text format. */
  @Get('metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { text, contentType } = this.options.metrics;
    reply.type(contentType).send(await text());
  }
}

/** `/livez`, `/readyz` and `/metrics`, for every process that listens. */
@Module({})
export class HealthModule {
  static register(options: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [{ provide: HEALTH_OPTIONS, useValue: options }],
    };
  }
}
