import { type BeforeApplicationShutdown, Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLimited, type Principal } from '#access';
import type { Heartbeat, HeartbeatAnswer, PollAnswer, PollOrder } from '#engine';
import { forbidden, Problem } from '#http-server';
import { KeyWatch } from '../access/key-watch.js';
import { type CommonParts, OSS_OPTIONS, type WorkParts } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { PROTOCOLS } from '../requests/headers.js';
import type { Shown } from '../requests/shown.js';
import { expectServes } from './claims.js';
import { pollOf } from './poll.request.js';
import { taskGone } from './outcome-problems.js';
import type { SaidRequest } from './said.request.js';
import { WORK_LIMITS } from './work-limits.js';
import { WORK_ROUTES } from './work.routes.js';
import { WorkAnswers } from './work-answers.js';

/** Most polls that wait at one gateway. */
const PARKED_MAX = 5_000;
/** Seconds after which a poll may find room. */
const ROOM_RETRY_SECONDS = '5';
/** When a draining worker may ask again, in milliseconds. */
const DRAIN_RETRY_MS = 5_000;
/** A claim is renewed so many times in its lease. */
const BEATS = 3;
const BEAT_STEP_MS = 100;

type PublicRenewed = Shown<'ClaimRenewed'>;

/** Hands actions out to workers, and renews their claims. */
@Controller()
export class WorkController implements BeforeApplicationShutdown {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & WorkParts,
    private readonly answers: WorkAnswers,
    private readonly keyWatch: KeyWatch,
  ) {}

  /** The protocols and their bounds. */
  @Handles(WORK_ROUTES.describeWork)
  describe(_asked: Asked<typeof WORK_ROUTES.describeWork>): Shown<'WorkTerms'> {
    const { claims, lease, log, wait } = WORK_LIMITS;
    const limits = { claimsPerPoll: claims, waitMs: wait.max, leaseMs: lease, logBytes: log };
    return { protocols: PROTOCOLS, limits };
  }

  /** Take actions, or wait for some. */
  @Handles(WORK_ROUTES.pollWork)
  async poll(
    { body, principal, request }: Asked<typeof WORK_ROUTES.pollWork>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const asked = this.answers.requestOf(principal, reply);
    const order = pollOf(body);
    expectServes(principal, order.modules);
    expectWholeFlows(principal);
    if (order.waitMs > 0 && this.options.desk.parked >= PARKED_MAX) throw tooManyPolls();
    const { isDraining, items, retryAfterMs } = await this.wait(order, principal, request);
    const retry = retryAfterMs ?? (isDraining ? DRAIN_RETRY_MS : undefined);
    const members = {
      ...(isDraining && { drain: true }),
      ...(retry !== undefined && { retryAfterMs: retry }),
    };
    this.answers.send(asked, members, items);
  }

  /** Ends at once when the client has gone or has lost its rights. */
  private async wait(
    order: PollOrder,
    principal: Principal,
    { socket }: FastifyRequest,
  ): Promise<PollAnswer> {
    const closed = new AbortController();
    const end = (): void => closed.abort();
    socket.once('close', end);
    const stopAsking = this.keyWatch.watch(principal, end);
    try {
      if (socket.destroyed) end();
      return await this.options.desk.poll(order, closed.signal);
    } finally {
      stopAsking();
      socket.off('close', end);
    }
  }

  /** Renew many claims. */
  @Handles(WORK_ROUTES.renewWork)
  async renew({
    body,
    principal,
  }: Asked<typeof WORK_ROUTES.renewWork>): Promise<Shown<'WorkRenewed'>> {
    const read = body.claims.map(({ claim }) => this.beatOrRefusal(claim, principal));
    const beats = read.filter((beat): beat is Heartbeat => !(beat instanceof Problem));
    const [refusal] = read.filter((beat) => beat instanceof Problem);
    // Those of a key that was replaced must not take the others with them.
    if (beats.length === 0 && refusal !== undefined) throw refusal;
    const answers = beats.length === 0 ? [] : await this.options.desk.heartbeat(beats);
    const answerTo = new Map(beats.map((beat, n) => [beat, answers[n]!]));
    const claims = body.claims.map(async ({ claim, ...said }, n) => {
      const beat = read[n]!;
      if (beat instanceof Problem) return { claim, state: 'lost', reason: 'not_yours' } as const;
      const answer = answerTo.get(beat)!;
      return { claim, ...(await this.shown(answer, beat, said)) };
    });
    return { claims: await Promise.all(claims), heartbeatMs: heartbeatMsOf(answers) };
  }

  /** A problem: the claim is another key's. Throws the `Problem` that it is none. */
  private beatOrRefusal(text: string, principal: Principal): Heartbeat | Problem {
    try {
      return { claim: this.answers.claims.read(text, principal) };
    } catch (error) {
      if (error instanceof Problem && error.code === 'FORBIDDEN') return error;
      throw error;
    }
  }

  /** Renew one claim. */
  @Handles(WORK_ROUTES.renewClaim)
  async renewOne(asked: Asked<typeof WORK_ROUTES.renewClaim>): Promise<PublicRenewed> {
    const beat = { claim: this.answers.claims.read(asked.path.claim, asked.principal) };
    const { body } = asked;
    const answers = await this.options.desk.heartbeat([beat]);
    const [answer = { state: 'gone' }] = answers;
    if (answer.state === 'gone') throw taskGone();
    const shown = await this.shown(answer, beat, body);
    return { heartbeatMs: heartbeatMsOf(answers), ...shown };
  }

  /** An answer as HTTP shows it; what came with its heartbeat is kept. */
  private async shown(
    answer: HeartbeatAnswer,
    beat: Heartbeat,
    said: SaidRequest,
  ): Promise<Omit<PublicRenewed, 'heartbeatMs'>> {
    const isTheirs = answer.state === 'held' || answer.state === 'cancelled';
    const isCut = isTheirs && (await this.answers.keep(beat.claim, said));
    return { ...presentRenewed(answer), ...(isCut && { logTruncated: true }) };
  }

  /** Before the listener closes: it waits for every answer. */
  beforeApplicationShutdown(): Promise<void> {
    return this.options.desk.close();
  }
}

/** Polls look at modules alone: a caller whose flows are limited would get those of others. */
function expectWholeFlows(principal: Principal): void {
  if (!isLimited(principal)) return;
  throw forbidden(principal, 'is limited to flows or labels, and work is handed out by modules');
}

function tooManyPolls(): Problem {
  const detail = `${PARKED_MAX} polls wait at this gateway already.`;
  const headers = { 'retry-after': ROOM_RETRY_SECONDS };
  return new Problem('TOO_MANY_REQUESTS', detail, { headers });
}

/**
 * How often to renew claims of such leases, by the shortest of them. Not sooner than what is stored
 * again: some milliseconds of a lease have gone by when it is told.
 */
function heartbeatMsOf(answers: readonly HeartbeatAnswer[]): number {
  const leases = answers.flatMap((answer) => (answer.state === 'held' ? [answer.leaseMs] : []));
  const third = Math.min(WORK_LIMITS.lease.default, ...leases) / BEATS;
  return Math.ceil(third / BEAT_STEP_MS) * BEAT_STEP_MS;
}

function presentRenewed(answer: HeartbeatAnswer): Omit<PublicRenewed, 'heartbeatMs'> {
  if (answer.state === 'gone') return { state: 'lost', reason: 'task_gone' };
  return answer;
}
