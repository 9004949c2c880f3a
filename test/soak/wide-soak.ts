import { type DeploymentKind, startDeployment } from '../stack/index.js';
import { writeFlows } from '../trial/inputs.js';
import { BusyPrograms, playWide, wideFlows, wideRounds, wideText } from '../wide/index.js';
import type { Profile } from './profiles.js';

/** How long wide tasks run, on which deployment. */
export interface WideSoakPlan {
  readonly folder: string;
  readonly kind: DeploymentKind;
  readonly profile: Profile & Required<Pick<Profile, 'wide'>>;
  readonly seconds: number;
  /** Ends it before its time, between two rounds. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Above what a busy machine takes for four tasks there and back. */
const WITHIN_MS = 240_000;

/**
 * Rounds of wide tasks, each kind at least once, while other programs want the processors; whether
 * nothing was harmed. A process that has its store to itself may not conflict with itself, either.
 */
export async function soakWide(plan: WideSoakPlan): Promise<boolean> {
  const { folder, kind, print, profile, seconds, signal } = plan;
  const { busyPrograms, steps } = profile.wide;
  const flows = await writeFlows(folder, wideFlows(steps));
  const settings = { ...profile.settings, flows };
  const backstep = await startDeployment(kind, { folder, settings });
  const busy = BusyPrograms.start(busyPrograms);
  const endsAt = performance.now() + seconds * 1_000;
  let isGood = true;
  try {
    do {
      for (const round of wideRounds({ steps, withinMs: WITHIN_MS })) {
        if (signal.aborted) break;
        const figures = await playWide(backstep, round);
        print(wideText(figures));
        const conflicts = kind === 'standalone' ? (figures.notices['commit_conflict'] ?? 0) : 0;
        isGood &&= figures.faults.length === 0 && conflicts === 0;
      }
    } while (performance.now() < endsAt && !signal.aborted);
  } finally {
    await busy.stop();
    await backstep.stop();
  }
  return isGood;
}
