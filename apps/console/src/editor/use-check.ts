import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import type { FlowProblem } from '../api/shapes.js';
import type { Marked } from './code-view.js';

/** The server's answer about the text. */
export interface Check {
  /** Of an earlier text, until the check of this one is answered. */
  readonly problems: readonly Marked[];
  readonly isChecking: boolean;
  /** Why there was no check; null: there was, or nothing answered. */
  readonly refusal: Refused | null;
}

const UNNAMED = 'draft';

/** Has the server check a text once it has settled. */
export function useCheck(name: string, text: string): Check {
  const [check, set] = useState<Check>({ problems: [], isChecking: true, refusal: null });
  useEffect(() => {
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      set((before) => ({ ...before, isChecking: true }));
      const problems = await problemsOf(name || UNNAMED, text, controller.signal);
      set({ problems, isChecking: false, refusal: null });
    };
    read().catch((error: unknown) => {
      if (controller.signal.aborted) return;
      const refusal = error instanceof Refused ? error : null;
      set((before) => ({ ...before, isChecking: false, refusal }));
    });
    return () => controller.abort();
  }, [name, text]);
  return check;
}

/** The text begins with the second line of the file, so that its columns stay what they are. */
async function problemsOf(
  name: string,
  text: string,
  signal: AbortSignal,
): Promise<readonly Marked[]> {
  const file = `{${JSON.stringify(name)}:\n${text}\n}`;
  const { problems, warnings } = await api.validate(file, signal);
  const inText = (severity: Marked['severity']) => (problem: FlowProblem) => {
    const pointer = problem.pointer.slice(name.length + 1);
    return { ...problem, pointer, line: Math.max(1, problem.line - 1), severity };
  };
  return [...problems.map(inText('error')), ...warnings.map(inText('warning'))];
}
