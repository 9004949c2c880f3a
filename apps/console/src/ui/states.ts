import type { IconName } from './icons.js';

/** How a state is shown besides its word: never by colour alone. */
export interface Look {
  readonly tone: 'good' | 'bad' | 'move' | 'back' | 'wait' | 'quiet';
  readonly icon: IconName;
}

const LOOKS: Readonly<Record<string, Look>> = {
  succeeded: { tone: 'good', icon: 'check' },
  not_started: { tone: 'quiet', icon: 'clock' },
  pending: { tone: 'quiet', icon: 'dot' },
  queued: { tone: 'wait', icon: 'clock' },
  running: { tone: 'move', icon: 'play' },
  waiting: { tone: 'wait', icon: 'clock' },
  rolling_back: { tone: 'back', icon: 'back' },
  rolled_back: { tone: 'back', icon: 'back' },
  rollback_failed: { tone: 'bad', icon: 'alert' },
  failed: { tone: 'bad', icon: 'cross' },
  timed_out: { tone: 'bad', icon: 'clock' },
  terminated: { tone: 'quiet', icon: 'stop' },
  on_hold: { tone: 'wait', icon: 'hand' },
  paused: { tone: 'wait', icon: 'pause' },
  skipped: { tone: 'quiet', icon: 'dash' },
  none: { tone: 'quiet', icon: 'dot' },
  unreadable: { tone: 'bad', icon: 'alert' },
};

/** The look of a state of a task, a step or its undo; of one that is not known, a quiet one. */
export function lookOf(state: string): Look {
  return LOOKS[state] ?? { tone: 'quiet', icon: 'dot' };
}

/** Every status of a task that a list can be filtered by. */
export const STATUSES = [
  'running',
  'not_started',
  'succeeded',
  'rolling_back',
  'rolled_back',
  'rollback_failed',
  'on_hold',
  'paused',
  'terminated',
] as const;
