import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AttemptProgress, LogLine } from '../api/output-shapes.js';
import type { Step, Task } from '../api/shapes.js';
import { clockWords, secondsOf } from '../ui/durations.js';
import { ProgressBar } from '../ui/progress-bar.js';
import { WORDS } from '../words.js';
import { blocksOf, nameOf, type Output, type OutputBlock } from './output-lines.js';
import { runNames, type RunNames } from './run-names.js';

interface OutputPanelProps {
  readonly task: Task;
  /** The step that is told about; null: all of them are. */
  readonly step: Step | null;
  readonly output: Output;
  /** How far the attempts are that run now. */
  readonly running: readonly AttemptProgress[];
}

/** The output of a step, or of all; nothing where there is none. */
export function OutputPanel({ output, running, step, task }: OutputPanelProps): JSX.Element | null {
  const lines = useMemo(() => ofStep(output.lines, step), [output.lines, step]);
  const told = ofStep(running, step);
  if (lines.length === 0 && told.length === 0) return null;
  const title = WORDS.said.title(step?.name);
  const names = runNames(task.steps);
  return (
    <section class="panel output" aria-labelledby="output-title">
      <h2 id="output-title">{title}</h2>
      {told.map((progress) => (
        <ProgressBar key={nameOf(progress)} name={names(progress.run)} progress={progress} />
      ))}
      {lines.length > 0 && (
        <Lines title={title} lines={lines} names={step === null ? names : null} />
      )}
    </section>
  );
}

function ofStep<T extends Pick<LogLine, 'run'>>(
  all: readonly T[],
  step: Step | null,
): readonly T[] {
  return step === null ? all : all.filter(({ run }) => run === step.id);
}

interface LinesProps {
  readonly title: string;
  /** How people say runs; null: all lines are of one. */
  readonly names: RunNames | null;
  readonly lines: readonly LogLine[];
}

/** The lines, with the newest in sight unless the reader has gone up. */
function Lines({ lines, names, title }: LinesProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [lines]);
  const watch = (): void => {
    const { current } = box;
    if (current === null) return;
    const { clientHeight, scrollHeight, scrollTop } = current;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_END_PX;
  };
  return (
    <div
      ref={box}
      class="output-lines"
      role="log"
      // Read aloud, each line would interrupt the one before.
      aria-live="off"
      aria-label={title}
      // It scrolls, so that the keyboard must reach it.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onScroll={watch}>
      {blocksOf(lines).map((block) => (
        <Block key={`${nameOf(block)} ${block.lines[0]?.line}`} {...{ block, names }} />
      ))}
    </div>
  );
}

/** So near to the end it counts as the end, in pixels. */
const AT_END_PX = 24;

interface BlockProps {
  readonly block: OutputBlock;
  readonly names: RunNames | null;
}

function Block({ block, names }: BlockProps): JSX.Element {
  const { attempt, direction, lines, run } = block;
  const words = WORDS.said.attempts[direction](attempt);
  return (
    <>
      <h3>{names === null ? words : WORDS.said.of(names(run), words)}</h3>
      {lines.map((line) => (
        <Line key={line.line} line={line} />
      ))}
    </>
  );
}

function Line({ line }: { readonly line: LogLine }): JSX.Element {
  const { at, dropped, level, message } = line;
  return (
    <>
      {dropped !== undefined && <p class="faint">{WORDS.said.dropped(dropped)}</p>}
      <p class={level === undefined ? 'output-line' : `output-line level-${level}`}>
        <time dateTime={at}>{clockWords(secondsOf(at))}</time>
        <span class="output-text">
          {level !== undefined && level !== 'info' && <strong>{WORDS.said.levels[level]} </strong>}
          {message}
        </span>
      </p>
    </>
  );
}
