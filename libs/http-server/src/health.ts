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
}

/** Whether a process can do its work, and what is missing if not. */
interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly checks: readonly CheckResult[];
}

/** A check that takes longer has failed. */
const CHECK_MS = 2_000;

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
    return { name, ready: true, message: null };
  } catch (error) {
    return { name, ready: false, message: error instanceof Error ? error.message : 'failed' };
  }
}
