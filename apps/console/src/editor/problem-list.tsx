import type { JSX } from 'preact';
import { RefusalNotice } from '../ui/notices.js';
import { Icon } from '../ui/icons.js';
import { EDITOR } from '../words/editor.js';
import type { Marked } from './code-view.js';
import type { Check } from './use-check.js';

interface ProblemListProps {
  readonly check: Check;
  readonly onPick: (problem: Marked) => void;
}

/** The problems of the text, each with its place; a press leads there. */
export function ProblemList({ check, onPick }: ProblemListProps): JSX.Element {
  const { isChecking, problems, refusal } = check;
  return (
    <section class="problems" aria-labelledby="problems-title">
      <h2 id="problems-title">{EDITOR.problems}</h2>
      <p role="status" class="faint">
        {isChecking ? EDITOR.checking : summaryOf(problems)}
      </p>
      {refusal && <RefusalNotice refusal={refusal} />}
      {problems.length > 0 && (
        <ul aria-labelledby="problems-title">
          {problems.map((problem) => (
            <li key={`${problem.code} ${problem.pointer} ${problem.line}`}>
              <button type="button" class={problem.severity} onClick={() => onPick(problem)}>
                <Icon name={problem.severity === 'error' ? 'cross' : 'alert'} />
                <span>
                  <strong>{EDITOR[problem.severity]}</strong>
                  {`, ${EDITOR.line} ${problem.line}: ${problem.message} ${problem.hint} `}
                  <code>{problem.code}</code>
                </span>
              </button>
              {problem.type !== undefined && (
                <a href={problem.type} target="_blank" rel="noreferrer">
                  {`${EDITOR.mended} ${problem.code}`}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function summaryOf(problems: readonly Marked[]): string {
  const { count, sound } = EDITOR;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  if (problems.length === 0) return sound;
  return `${count.error}: ${errors}. ${count.warning}: ${warnings}.`;
}
