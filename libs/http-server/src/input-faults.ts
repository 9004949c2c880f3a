import { ERRORS_MAX, type InputFault, invalidInput } from './problems.js';

/** Collects what is wrong with one request: puts the first mistakes into words, counts the rest. */
export class InputFaults {
  private readonly found: InputFault[] = [];
  private more = 0;

  /** The mistakes that an answer lists. */
  get listed(): readonly InputFault[] {
    return this.found;
  }

  /** `describe` is asked only where the mistake will be listed. */
  add(describe: () => InputFault): void {
    if (this.found.length < ERRORS_MAX) this.found.push(describe());
    else this.more += 1;
  }

  /** Throws if anything was wrong. */
  finish(): void {
    if (this.found.length > 0) throw invalidInput(this.found, this.more);
  }
}
