import { withinLimit } from '#machine';
import type { Clock } from '#ports';

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
