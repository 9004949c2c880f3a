import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Principal, usesModule } from '#access';
import type { WorkClaim, WorkItem } from '#engine';
import { type CommonParts, OSS_OPTIONS, type WorkParts } from '../options.js';
import type { Shown } from '../requests/shown.js';
import { ClaimTexts } from './claims.js';
import { type SaidRequest, wordsOf } from './said.request.js';

/** The request that items are an answer to. */
interface WorkRequest {
  readonly principal: Principal;
  readonly reply: FastifyReply;
  /** When it arrived, by the monotonic clock. */
  readonly arrivedAt: number;
}

/** Claims whose outcomes wait for their repetition, at most. */
const KEPT_MAX = 5_000;

/** Sends answers that hand items out. Those that cannot be written are handed back at once. */
@Injectable()
export class WorkAnswers {
  readonly claims: ClaimTexts;
  /** Whether lines of outcomes that are not taken yet are missing, by the texts of their claims. */
  private readonly kept = new Map<string, Promise<boolean>>();

  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & WorkParts) {
    this.claims = new ClaimTexts(options.claimTexts);
  }

  /** Begins the answer to a request. */
  requestOf(principal: Principal, reply: FastifyReply): WorkRequest {
    return { principal, reply, arrivedAt: this.options.clock.monotonic() };
  }

  /** Keeps what an attempt says. Resolves to whether lines of it are missing by now. */
  async keep(claim: WorkClaim, said: SaidRequest): Promise<boolean> {
    const words = wordsOf(said);
    return words !== undefined && (await this.options.desk.say(claim, words));
  }

  /** The same of what comes with an outcome: once, however often it is told until it is taken. */
  keepOnce(text: string, claim: WorkClaim, said: SaidRequest): Promise<boolean> {
    const known = this.kept.get(text);
    if (known !== undefined) return known;
    const [oldest = text] = this.kept.keys();
    if (this.kept.size >= KEPT_MAX) this.kept.delete(oldest);
    const keeping = this.keep(claim, said);
    this.kept.set(text, keeping);
    return keeping;
  }

  /** The outcome of a claim was taken, or never will be. */
  settled(text: string): void {
    this.kept.delete(text);
  }

  /**
   * Sends an answer of such members and items. Items of modules that the caller may not serve any
   * more are handed back.
   */
  send(request: WorkRequest, members: object, items?: readonly WorkItem[]): void {
    const { arrivedAt, principal, reply } = request;
    if (items === undefined) return void reply.send(members);
    const isFit = ({ module }: WorkItem): boolean => usesModule(principal, module);
    this.handBack(items.filter((item) => !isFit(item)));
    const fit = items.filter(isFit);
    const waitedMs = Math.max(0, Math.round(this.options.clock.monotonic() - arrivedAt));
    // A worker counts its times from `waitedMs` after the moment when it sent the request: so no
    // clock has to agree, and an answer that was long on its way shortens them.
    const shown = fit.map((item): Shown<'WorkItem'> => {
      return { waitedMs, ...item, claim: this.claims.write(item.claim, principal) };
    });
    this.watch(reply, fit);
    reply.send({ items: shown, ...members });
  }

  /** Nobody has what is in an answer that was not written to its end. */
  private watch({ raw }: FastifyReply, items: readonly WorkItem[]): void {
    if (items.length === 0) return;
    if (raw.destroyed) return this.handBack(items);
    let isWritten = false;
    raw.once('finish', () => {
      isWritten = raw.socket?.destroyed !== true;
    });
    raw.once('close', () => {
      if (!isWritten) this.handBack(items);
    });
  }

  private handBack(items: readonly WorkItem[]): void {
    if (items.length > 0) void this.options.desk.handBack(items.map(({ claim }) => claim));
  }
}
