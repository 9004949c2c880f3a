import { CommanderError } from 'commander';
import { plainJson, plainLine } from '#wording';
import { CliError, EXIT, type ExitCode, type Fault, Interrupted } from './exit.js';
import type { Output } from './terminal/terminal.js';

/** Says why a command line came to nothing. */
interface ErrorWriter {
  /** Says what an error is, where there is something to say. Returns the exit code. */
  write(error: unknown): ExitCode;
  /** Words of the command tree about a command line that is wrong. */
  writeUsage(text: string): void;
}

/** The writer of the format that a command line asks for, whatever else is wrong with it. */
export function errorWriter(argv: readonly string[], stderr: Output): ErrorWriter {
  return asksForJson(argv) ? new JsonWriter(stderr) : new TextWriter(stderr);
}

/** Also where the rest of the command line cannot be read. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some((word, index) => {
    const isOption = word === '-o' || word === '--output';
    const format = isOption ? words[index + 1] : /^(?:-o=?|--output=)(.*)$/.exec(word)?.[1];
    return format === 'json' || format === 'jsonl';
  });
}

class TextWriter implements ErrorWriter {
  constructor(readonly stderr: Output) {}

  writeUsage(text: string): void {
    this.stderr.write(text);
  }

  write(error: unknown): ExitCode {
    if (error instanceof Interrupted) return error.exitCode;
    // Commander has said what is wrong; help and version are no errors.
    if (error instanceof CommanderError) return usageCode(error);
    this.stderr.write(`error: ${sentenceOf(error)}\n`);
    if (!(error instanceof CliError)) return EXIT.endedOtherwise;
    for (const line of faultLines(error)) this.stderr.write(`${line}\n`);
    if (error.hint !== undefined) this.stderr.write(`${error.hint}\n`);
    return error.exitCode;
  }
}

/** One line of JSON, so that it is found among other words there. */
class JsonWriter implements ErrorWriter {
  #usage = '';

  constructor(readonly stderr: Output) {}

  writeUsage(text: string): void {
    this.#usage += text;
  }

  write(error: unknown): ExitCode {
    if (error instanceof Interrupted) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const report = reportOf(error instanceof CommanderError ? usageError(this.#usage) : error);
    this.stderr.write(`${plainJson(JSON.stringify(report))}\n`);
    return report.exitCode;
  }
}

function usageCode({ exitCode }: CommanderError): ExitCode {
  return exitCode === 0 ? EXIT.done : EXIT.usage;
}

/** Commander writes one line of error, and the hint to what was nearly written below it. */
function usageError(usage: string): CliError {
  const [, sentence, hint] = /^error: (.*)\n(?:\((.*)\)\n)?$/.exec(usage) ?? [];
  if (sentence !== undefined) return new CliError(EXIT.usage, sentence, hint);
  return new CliError(EXIT.usage, 'a command is missing', 'See `backstep --help`.');
}

/** An error as programs read it. */
interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly errors?: readonly Fault[];
  readonly moreErrors?: number;
  readonly hint?: string;
  readonly exitCode: ExitCode;
}

function reportOf(error: unknown): ErrorReport {
  if (!(error instanceof CliError)) {
    return { code: 'FAILED', message: sentenceOf(error), exitCode: EXIT.endedOtherwise };
  }
  const { code, exitCode, faults, hint, message, moreFaults } = error;
  return {
    code,
    message,
    ...(faults.length > 0 && { errors: faults }),
    ...(moreFaults > 0 && { moreErrors: moreFaults }),
    ...(hint !== undefined && { hint }),
    exitCode,
  };
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Several mistakes, each with its place and its own hint. One alone is in the sentence. */
function faultLines({ faults, moreFaults }: CliError): readonly string[] {
  if (faults.length < 2) return [];
  const lines = faults.map((fault) => `  ${plainLine(faultText(fault))}`);
  return moreFaults > 0 ? [...lines, `  and ${moreFaults} more`] : lines;
}

function faultText({ hint, message, pointer }: Fault): string {
  return `${pointer && `${pointer}: `}${message}${hint === undefined ? '' : ` ${hint}`}`;
}
