/** One of a process's outputs. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The parts of its process that a command uses; tests replace them. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Everything that comes in, as text. */
  readonly readStdin: () => Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Whether colours may be written there. */
export function takesColour(output: Output, env: Terminal['env']): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** Whether a drawing may be drawn over there, again and again. */
export function takesRedraws(output: Output, env: Terminal['env']): boolean {
  return output.isTTY === true && env['TERM'] !== 'dumb';
}

/** How wide a line may be; a file takes any. */
export function widthOf(output: Output): number {
  return output.isTTY === true ? output.columns || 80 : Infinity;
}
