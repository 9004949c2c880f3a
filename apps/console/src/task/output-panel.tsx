import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AttemptProgress, LogLine } from '../api/output-shapes.js';
import type { Run, Step, Task } from '../api/shapes.js';
import { clockWords, secondsOf } from '../ui/durations.js';
import { WORDS } from '../words.js';
import { blocksOf, nameOf, type Output, type OutputBlock } from './output-lines.js';
import { isFinal } from './steps.js';
import { useOutput } from './use-output.js';

interface OutputPanelProps {
  readonly task: Task;
  /** The step that is told about; null: none was picked. */
  readonly step: Step | null;
}

/** What the attempts of a step wrote, live; nothing where they wrote nothing. */
export function OutputPanel({ step, task }: OutputPanelProps): JSX.Element | null {
  return step === null ? null : <OfStep key={step.id} {...{ step, task }} />;
}

function OfStep({ step, task }: { readonly step: Step; readonly task: Task }) {
  const isLive = !isFinal(task.status);
  const output = useOutput({ taskId: task.taskId, run: step.id, isLive });
  const running = runningOf(step, output);
  if (output.lines.length === 0 && running.length === 0) return null;
  return (
    <section class="panel output" aria-labelledby="output-title">
      <h2 id="output-title">{WORDS.said.title(step.name)}</h2>
      {running.map((progress) => (
        <ProgressBar key={nameOf(progress)} progress={progress} />
      ))}
      {output.lines.length > 0 && <Lines name={step.name} lines={output.lines} />}
    </section>
  );
}

/** What attempts that run now said of their progress. */
function runningOf(step: Step, { progress }: Output): readonly AttemptProgress[] {
  const halves: readonly (readonly [AttemptProgress['direction'], Run | null | undefined])[] = [
    ['normal', step],
    ['rollback', step.rollback],
  ];
  return halves.flatMap(([direction, run]) => {
    if (run?.state !== 'running') return [];
    return progress.get(nameOf({ direction, attempt: run.attempts })) ?? [];
  });
}

function ProgressBar({ progress }: { readonly progress: AttemptProgress }): JSX.Element {
  const { message, percent } = progress;
  return (
    <p class="progress-of">
      {percent !== undefined && (
        <>
          <progress max={100} value={percent} aria-label={WORDS.said.progress} />
          <strong>{WORDS.said.percent(percent)}</strong>
        </>
      )}
      {message !== undefined && <span>{message}</span>}
    </p>
  );
}

interface LinesProps {
  readonly name: string;
  readonly lines: readonly LogLine[];
}

/** The lines, with the newest in sight unless the reader has gone up. */
function Lines({ lines, name }: LinesProps): JSX.Element {
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
      aria-label={WORDS.said.title(name)}
      // It scrolls, so that the keyboard must reach it.
      tabIndex={0}
      onScroll={watch}
    >
      {blocksOf(lines).map((block) => (
        <Block key={`${nameOf(block)} ${block.lines[0]?.line}`} block={block} />
      ))}
    </div>
  );
}

/** So near to the end it counts as the end, in pixels. */
const AT_END_PX = 24;

function Block({ block }: { readonly block: OutputBlock }): JSX.Element {
  const { attempt, direction, lines } = block;
  return (
    <>
      <h3>{WORDS.said.attempts[direction](attempt)}</h3>
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
