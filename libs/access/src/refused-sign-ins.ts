import type { AuditFact, Clock, Timer } from '#ports';
import { plainLine } from '#wording';
import type { AuditTrail } from './audit-trail.js';

/** A credential that was shown and not accepted. */
export interface RefusedSignIn extends Pick<AuditFact, 'requestId' | 'status' | 'target'> {
  /** Of the client, as limits count it. */
  readonly address: string;
  /** Why it was refused, in a few words, which repeat nothing of the credential. */
  readonly why: string;
}

interface RefusedSignInsOptions {
  readonly trail: Pick<AuditTrail, 'add'>;
  readonly clock: Clock;
}

/** The operation of such entries in the audit log. */
export const REFUSE_SIGN_IN = 'REFUSE /v1/session';
/**
 * In this number of milliseconds a process writes `FIRST_MAX` entries, and one about all others.
 */
const WINDOW_MS = 300_000;
const FIRST_MAX = 5;
/** Addresses and reasons that are told apart. */
const TOLD_APART_MAX = 1_000;

/**
 * Writes refused sign-ins into the audit log, and never more than a few: anybody can send wrong
 * credentials. The first one of an address stands for itself, the others are counted.
 */
export class RefusedSignIns {
  private readonly seen = new Set<string>();
  private readonly counts = { address: new Map<string, number>(), why: new Map<string, number>() };
  private last: RefusedSignIn | null = null;
  private firsts = 0;
  private more = 0;
  private timer: Timer | null = null;

  constructor(private readonly options: RefusedSignInsOptions) {}

  /** Notes one; nobody waits for it. */
  note(refused: RefusedSignIn): void {
    this.timer ??= this.options.clock.after(WINDOW_MS, () => void this.closeWindow());
    const { address, why } = refused;
    if (!this.seen.has(address) && this.firsts < FIRST_MAX) {
      this.seen.add(address);
      this.firsts += 1;
      void this.write(refused, `${why}, from ${plainLine(address)}`);
      return;
    }
    this.last = refused;
    this.more += 1;
    count(this.counts.address, address);
    count(this.counts.why, why);
  }

  /** Writes what was only counted so far. */
  async close(): Promise<void> {
    this.timer?.cancel();
    await this.closeWindow();
  }

  private async closeWindow(): Promise<void> {
    const { counts, last, more } = this;
    this.timer = null;
    const from = most(counts.address);
    const why = most(counts.why);
    const addresses = counts.address.size;
    this.firsts = 0;
    this.more = 0;
    this.last = null;
    for (const one of [this.seen, counts.address, counts.why]) one.clear();
    if (last === null) return;
    const reason =
      `${more} more in five minutes, from ${addresses} ${addresses === 1 ? 'address' : 'addresses'}; ` +
      `most from ${plainLine(from)}; mostly: ${why}`;
    await this.write(last, reason);
  }

  private write({ requestId, status, target }: RefusedSignIn, reason: string): Promise<boolean> {
    const { clock, trail } = this.options;
    const at = clock.now();
    const who = { actor: 'unknown', keyId: null } as const;
    return trail.add({ at, ...who, operation: REFUSE_SIGN_IN, target, status, reason, requestId });
  }
}

function count(counts: Map<string, number>, name: string): void {
  if (counts.size >= TOLD_APART_MAX && !counts.has(name)) return;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function most(counts: ReadonlyMap<string, number>): string {
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
