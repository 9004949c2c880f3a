import { ownUsage } from './processor-time.js';

/** The calls that a program answers, by name. */
export type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

/** A question and its answer, as they travel between the bench and its programs. */
export interface Question {
  readonly id: number;
  readonly call: string;
  readonly argument: unknown;
}
/** An answer, something told without being asked, or that the program is ready to be asked. */
export type Said =
  | { readonly id: number; readonly answer?: unknown; readonly error?: string }
  | { readonly told: unknown }
  | { readonly ready: true };

/** Makes this process a program of the bench; it ends when the bench ends, however that comes. */
export function serve(handlers: Handlers): void {
  const all: Handlers = { usage: ownUsage, ...handlers };
  process.on('disconnect', () => process.exit(0));
  process.on('message', (question: Question) => void answer(all, question));
  say({ ready: true });
}

/** Tells the bench something that it did not ask for. */
export function tell(told: unknown): void {
  say({ told });
}

async function answer(handlers: Handlers, { argument, call, id }: Question): Promise<void> {
  try {
    const handler = handlers[call];
    if (handler === undefined) throw new Error(`${call} is not known here`);
    say({ id, answer: await handler(argument as never) });
  } catch (error) {
    say({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

function say(said: Said): void {
  process.send?.(said);
}
