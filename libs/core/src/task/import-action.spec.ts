import { describe, expect, it } from '@jest/globals';
import { putBack } from '../stored/archived-task.js';
import type { PersonsAction, TaskEvent } from './event.js';
import { Play, START, step } from '../transitions/play-spec.js';

const ASKED: PersonsAction = { actor: 'ann', reason: 'why', key: null };

/** A task of one step that has succeeded. */
function succeeded(): Play {
  const play = new Play({ steps: [step('a', [])] });
  play.do({ kind: 'claimed', direction: 'normal', step: 0, attempt: 1, owner: 'e' });
  const ref = { direction: 'normal', step: 0 } as const;
  return play.do({ kind: 'succeeded', ...ref, token: play.task.token, output: null });
}

/** Long after acts of persons are forgotten. */
const LATE = START + 100_000_000;

const BACK: readonly TaskEvent[] = [
  { kind: 'undo_requested', ...ASKED },
  { kind: 'reset_requested', to: 'a', ...ASKED },
];

describe('a task that was imported', () => {
  it.each(BACK)('is not undone once it succeeded: $kind', (event) => {
    const play = succeeded();
    expect(play.decide(event, LATE)).toMatchObject({ kind: 'moved' });
    play.task = putBack(play.task, START + 5);
    const message = expect.stringContaining('imported');
    const refused = { kind: 'refused', code: 'ILLEGAL_ACTION', message };
    expect(play.decide(event, LATE)).toMatchObject(refused);
  });
});
