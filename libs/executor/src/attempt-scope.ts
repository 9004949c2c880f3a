import { AsyncLocalStorage } from 'node:async_hooks';
import type { CommandContext } from '#ports';
import { sharedByCopies } from './shapes.js';

const attempts = sharedByCopies('attempts', () => new AsyncLocalStorage<CommandContext>());

/** Runs a command so that whatever it calls can ask for its attempt, however deep. */
export function withinAttempt<T>(attempt: CommandContext, run: () => T): T {
  return attempts.run(attempt, run);
}

/** The attempt that the code of now works for; undefined: none. */
export function attemptNow(): CommandContext | undefined {
  return attempts.getStore();
}
