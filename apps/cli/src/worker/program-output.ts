import type { JsonObject } from '#core';
import { readJson, WrongJson } from '#json';
import type { Outcome } from '#worker';
import type { ReadLine } from './line-reader.js';

/** Larger outputs are refused, whatever the gateway would take. */
export const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** An output, or the reason why it is none. */
type Found = { readonly output: JsonObject } | { readonly code: string; readonly message: string };

/**
 * The output that a program writes: the last line of standard output that is a JSON object. All
 * other lines are for people.
 */
export class ProgramOutput {
  #last: { readonly found: Found; readonly text: string } | null = null;

  /** Takes the lines that are no output, secrets of it masked. */
  constructor(
    private readonly secrets: readonly string[],
    private readonly log: (text: string) => void,
  ) {}

  add({ isCut, text }: ReadLine): void {
    const found = isCut && text.trimStart().startsWith('{') ? TOO_LARGE : objectIn(text);
    if (found === null) return this.log(text);
    this.giveUp();
    this.#last = { found, text };
  }

  /**
   * How a program ended with exit code 0 that wrote this text to `$BACKSTEP_OUTPUT`. Null: it wrote
   * more than an output may have.
   */
  outcome(written: string | null): Outcome {
    const isWritten = written?.trim() !== '';
    const found = isWritten ? outputIn(written) : this.#last?.found;
    if (isWritten) this.giveUp();
    if (found === undefined) return { kind: 'complete' };
    if ('output' in found) return { kind: 'complete', output: found.output };
    return { kind: 'fail', retryable: false, ...found };
  }

  /** The line that could be the output is a line like all others. */
  giveUp(): void {
    if (this.#last !== null) this.log(this.#masked(this.#last.text, this.#last.found));
    this.#last = null;
  }

  #masked(text: string, found: Found): string {
    if (this.secrets.length === 0) return text;
    if (!('output' in found)) return '***';
    const hidden = this.secrets.filter((name) => name in found.output).map((name) => [name, '***']);
    return hidden.length === 0
      ? text
      : JSON.stringify({ ...found.output, ...Object.fromEntries(hidden) });
  }
}

const TOO_LARGE: Found = {
  code: 'OUTPUT_TOO_LARGE',
  message: `the output has more than ${OUTPUT_BYTES_MAX} bytes`,
};

/** Null: the line is no JSON object. */
function objectIn(text: string): Found | null {
  if (!/^\s*\{[\s\S]*\}\s*$/.test(text)) return null;
  try {
    return { output: readJson(text, { bytes: OUTPUT_BYTES_MAX }) as JsonObject };
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    return error.code === 'SYNTAX' ? null : invalid(error.message);
  }
}

function outputIn(text: string | null): Found {
  if (text === null) return TOO_LARGE;
  try {
    const output = readJson(text, { bytes: OUTPUT_BYTES_MAX });
    const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
    return isObject ? { output: output as JsonObject } : invalid('it is not a JSON object');
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error;
    return invalid(error.message);
  }
}

function invalid(reason: string): Found {
  return { code: 'INVALID_OUTPUT', message: `the output cannot be used: ${reason}` };
}
