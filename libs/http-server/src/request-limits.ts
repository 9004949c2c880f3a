import type { Socket } from 'node:net';
import type { Principal } from '#access';
import type { Clock } from '#ports';
import { Problem } from './problems.js';

/** How much one client may ask for; Infinity: as much as it likes. */
interface LimitOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Requests a second, by key or token. */
  readonly perKey: number;
  /** Bytes of bodies a second, by key or token. Default: as many as it likes. */
  readonly bytesPerKey?: number;
  /** Requests a second, by address. */
  readonly perAddress: number;
  /** Keys and tokens in a minute that are not taken, by address. */
  readonly failures: number;
}

/** Requests may come in a row as they would in this number of seconds. */
const BURST_S = 2;

const MINUTE_S = 60;

/** How often something may be done by each of many. */
interface RateOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Times a second; Infinity: as often as one likes. */
  readonly perSecond: number;
  /** Times in a row, after a while of none. */
  readonly burst: number;
}

/** Buckets that are kept; of more, those that were used longest ago are taken to be full again. */
const KEPT_MAX = 10_000;

interface Bucket {
  tokens: number;
  /** By the monotonic clock. */
  filledAt: number;
}

/**
 * Holds clients to their limits, before a body is read. A caller with a good key is let in also
 * from an address that sent many bad ones: others may be behind the same proxy.
 */
export class RequestLimits {
  private readonly keys: RateBuckets;
  private readonly bytes: RateBuckets;
  private readonly addresses: RateBuckets;
  private readonly failures: RateBuckets;

  constructor(options: LimitOptions) {
    const { bytesPerKey = Infinity, clock, failures, perAddress, perKey } = options;
    const rate = (perSecond: number): RateBuckets =>
      new RateBuckets({ clock, perSecond, burst: Math.max(1, perSecond * BURST_S) });
    this.keys = rate(perKey);
    this.bytes = rate(bytesPerKey);
    this.addresses = rate(perAddress);
    this.failures = new RateBuckets({ clock, perSecond: failures / MINUTE_S, burst: failures });
  }

  /** The problem that too many requests come from an address; null: they do not. */
  ofAddress(socket: Pick<Socket, 'remoteAddress'>): Problem | null {
    const wait = this.addresses.take(clientAddress(socket));
    return wait === 0 ? null : tooMany(wait, 'Too many requests come from this address.');
  }

  /** The problem that too many requests come with a key or token; null: they do not. */
  ofCaller({ keyId }: Principal): Problem | null {
    if (keyId === null) return null;
    const wait = this.keys.take(keyId);
    if (wait > 0) return tooMany(wait, 'Too many requests come with this key.');
    const owed = this.bytes.owed(keyId);
    return owed === 0 ? null : tooMany(owed, 'Too many bytes come with this key.');
  }

  /** Counts a body that was read. Bytes beyond the bound keep the next requests waiting. */
  countBody({ keyId }: Principal, bytes: number): void {
    if (keyId !== null) this.bytes.spend(keyId, bytes);
  }

  /** Counts what was not taken. The problem that there are too many of it; null: there are not. */
  ofFailure(socket: Pick<Socket, 'remoteAddress'>): Problem | null {
    const wait = this.failures.take(clientAddress(socket));
    const detail = 'Too many refused keys or tokens came from this address.';
    return wait === 0 ? null : tooMany(wait, detail);
  }
}

const GROUPS_OF_A_NETWORK = 4;

/**
 * The address that a client counts as: of IPv6 its network, as one machine has all addresses there.
 */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  if (!address.includes(':')) return address;
  const [front = '', back] = address.split('::');
  const left = front === '' ? [] : front.split(':');
  const right = back === undefined || back === '' ? [] : back.split(':');
  const zeros = back === undefined ? 0 : 2 * GROUPS_OF_A_NETWORK - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups.slice(0, GROUPS_OF_A_NETWORK).join(':')}::`;
}

function tooMany(waitMs: number, detail: string): Problem {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
  return new Problem('TOO_MANY_REQUESTS', detail, { headers });
}

/** A token bucket for each of many names, in bounded memory. */
export class RateBuckets {
  /** Used longest ago first. */
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly options: RateOptions) {}

  /** Takes a token. Returns the milliseconds until there is one; 0: it was taken. */
  take(name: string): number {
    if (this.options.perSecond === Infinity) return 0;
    const bucket = this.keep(name);
    if (bucket.tokens < 1) return this.waitOf(bucket);
    bucket.tokens -= 1;
    return 0;
  }

  /** Milliseconds until nothing is owed that was spent beyond what there was; 0: nothing is. */
  owed(name: string): number {
    if (this.options.perSecond === Infinity) return 0;
    const { tokens } = this.filled(name);
    return tokens >= 0 ? 0 : (-tokens / this.options.perSecond) * 1_000;
  }

  /** Takes this number of tokens, whether or not there are as many. */
  spend(name: string, count: number): void {
    if (this.options.perSecond === Infinity) return;
    this.keep(name).tokens -= count;
  }

  /** How many are kept. */
  get size(): number {
    return this.buckets.size;
  }

  private keep(name: string): Bucket {
    const bucket = this.filled(name);
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    if (this.buckets.size > KEPT_MAX) this.dropOldest();
    return bucket;
  }

  private filled(name: string): Bucket {
    const { burst, clock, perSecond } = this.options;
    const now = clock.monotonic();
    const bucket = this.buckets.get(name) ?? { tokens: burst, filledAt: now };
    const more = ((now - bucket.filledAt) / 1_000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + more);
    bucket.filledAt = now;
    return bucket;
  }

  private waitOf({ tokens }: Bucket): number {
    return ((1 - tokens) / this.options.perSecond) * 1_000;
  }

  private dropOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}
