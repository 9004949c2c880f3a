import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { AttemptProgress, LogLine } from '../api/output-shapes.js';
import type { Step, Task } from '../api/shapes.js';
import { clockWords, secondsOf } from '../ui/durations.js';
import { WORDS } from '../words.js';
import { blocksOf, nameOf, type Output, type OutputBlock } from './output-lines.js';
import { runNames, type RunNames } from './run-names.js';
import { allSteps, isFinal } from './steps.js';
import { useOutput } from './use-output.js';

interface OutputPanelProps {
  readonly task: Task;
  /** The step that is told about; null: all of them are. */
  readonly step: Step | null;
}

/** The output of a step, or of all, live; nothing where there is none. */
export function OutputPanel({ step, task }: OutputPanelProps): JSX.Element | null {
  const isLive = !isFinal(task.status);
  const output = useOutput({ taskId: task.taskId, run: step?.id ?? null, isLive });
  const running = useMemo(() => runningOf(task, output), [task, output]);
  if (output.lines.length === 0 && running.length === 0) return null;
  const title = WORDS.said.title(step?.name);
  const names = runNames(task.steps);
  return (
    <section class="panel output" aria-labelledby="output-title">
      <h2 id="output-title">{title}</h2>
      {running.map((progress) => (
        <ProgressBar key={nameOf(progress)} name={names(progress.run)} progress={progress} />
      ))}
      {output.lines.length > 0 && (
        <Lines title={title} lines={output.lines} names={step === null ? names : null} />
      )}
    </section>
  );
}

/** The progress of attempts that run now. */
function runningOf({ steps }: Task, { progress }: Output): readonly AttemptProgress[] {
  if (progress.size === 0) return [];
  return allSteps(steps).flatMap(({ step }) => {
    const halves = [
      ['normal', step],
      ['rollback', step.rollback],
    ] as const;
    return halves.flatMap(([direction, run]) => {
      if (run?.state !== 'running') return [];
      return progress.get(nameOf({ direction, attempt: run.attempts, run: step.id })) ?? [];
    });
  });
}

interface ProgressBarProps {
  /** Of the run, as people say it. */
  readonly name: string;
  readonly progress: AttemptProgress;
}

function ProgressBar({ name, progress }: ProgressBarProps): JSX.Element {
  const { message, percent } = progress;
  return (
    <p class="progress-of">
      {percent !== undefined && (
        <>
          <progress max={100} value={percent} aria-label={WORDS.said.progress(name)} />
          <strong>{WORDS.said.percent(percent)}</strong>
        </>
      )}
      {message !== undefined && <span>{message}</span>}
    </p>
  );
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
      onScroll={watch}
    >
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
