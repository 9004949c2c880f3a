import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changeFeed } from '../api/change-feed.js';
import { api } from '../api/client.js';
import type { Task } from '../api/shapes.js';
import { pause } from '../browser/clock.js';
import { keep, kept } from '../browser/storage.js';
import { WAITS } from '../tasks/list-news.js';
import { searchAddress } from '../tasks/saved-views.js';
import { toldText } from '../ui/told-text.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { beginningOf } from '../ui/long-text.js';
import { RefusalNotice } from '../ui/notices.js';
import { useTicking } from '../ui/ticks.js';
import { type Pace, usePaced } from '../ui/polled.js';
import { SelectField } from '../ui/fields.js';
import { WORDS } from '../words.js';
import { type FailingStep, failingSteps } from './failing-steps.js';
import { Throughput } from './throughput.js';
import { withAsking } from './throughput-data.js';

/** How each span is cut, and how often it is asked for: counting a day costs the server more. */
const SPANS = {
  '15m': { length: 900, every: 15, againMs: 5_000 },
  '1h': { length: 3_600, every: 60, againMs: 15_000 },
  '24h': { length: 86_400, every: 1_800, againMs: 60_000 },
} as const;

type SpanName = keyof typeof SPANS;

const NAMES = Object.keys(SPANS) as readonly SpanName[];
const PLACE = 'overview-span';
const FAILED = 'rolled_back,rollback_failed,on_hold';
const FAILED_MAX = '50';
const STEPS_SHOWN = 8;

/** About as many lines as the list has where nothing failed. */
const LOADING = 2;

/** While nothing changes, figures only grow old. In milliseconds. */
const REST_MS = 300_000;

/** The ends of recent tasks, and the steps that failed. */
export function Trends(): JSX.Element {
  const [name, set] = useState<SpanName>(
    () => NAMES.find((known) => known === kept(PLACE)) ?? '1h',
  );
  const choose = (next: SpanName): void => {
    keep(PLACE, next);
    set(next);
  };
  const span = SPANS[name];
  const counting = new URLSearchParams({ by: 'status', every: `${span.every}`, q: `age:<${name}` });
  const pace = useChangePace(span.againMs);
  const counted = usePaced(name, (signal) => api.counts(counting, signal), pace);
  const asking = new URLSearchParams(counting);
  asking.set('q', `age:<${name} ${WAITS}`);
  const waiting = usePaced(`${name} asking`, (signal) => api.counts(asking, signal), pace);
  const value = counted.value && withAsking(counted.value, waiting.value);
  const failing = new URLSearchParams({ q: `age:<${name} status:${FAILED}`, limit: FAILED_MAX });
  failing.set('full', 'true');
  const failed = usePaced(name, (signal) => api.tasks(failing, signal), pace);
  const oldest = useTicking(Math.floor) - span.length;
  const all = failed.value?.items as readonly Partial<Task>[] | undefined;
  // Tasks grow too old for the span without a change of any.
  const tasks = all?.filter(({ timeCreate = 0 }) => timeCreate >= oldest);
  return (
    <div class="trends">
      <section class="panel" aria-labelledby="throughput-title">
        <div class="panel-head">
          <h2 id="throughput-title">{WORDS.throughput.title}</h2>
          <SelectField
            name={WORDS.throughput.span}
            value={name}
            choices={WORDS.throughput.spans}
            onPick={choose}
            isInHead
          />
        </div>
        {counted.refusal && <RefusalNotice refusal={counted.refusal} />}
        <Throughput value={value} span={span} />
      </section>
      <section class="panel" aria-labelledby="failing-title">
        <h2 id="failing-title">{WORDS.failing.title}</h2>
        {tasks === undefined && <LoadingRows label={WORDS.failing.title} rows={LOADING} />}
        {tasks !== undefined && <FailingSteps steps={failingSteps(tasks)} span={name} />}
      </section>
    </div>
  );
}

interface WhyProps {
  readonly task: FailingStep['newest'];
}

/** Why a task failed; a long text is whole on its page, to which this leads. */
function Why({ task: { taskId, taskMessage } }: WhyProps): JSX.Element {
  const text = taskMessage === null ? taskId : toldText(taskMessage);
  return (
    <a class="faint failing-why" href={`/console/tasks/${taskId}`} title={text}>
      <bdi>{beginningOf(text)}</bdi>
    </a>
  );
}

interface FailingStepsProps {
  readonly steps: readonly FailingStep[];
  readonly span: SpanName;
}

function FailingSteps({ span, steps }: FailingStepsProps): JSX.Element {
  const { about, none, title } = WORDS.failing;
  const [isWhole, show] = useState(false);
  if (steps.length === 0) return <p class="empty">{none}</p>;
  const rest = steps.length - STEPS_SHOWN;
  return (
    <>
      <ul class="failing" aria-label={title}>
        {steps
          .slice(0, isWhole ? steps.length : STEPS_SHOWN)
          .map(({ count, flow, newest, step }) => (
            <li key={`${flow} ${step}`}>
              <span class="failing-count">{`${count} ×`}</span>
              <span>
                <a href={searchAddress(`flow:${flow} status:${FAILED} age:<${span}`)}>
                  <bdi>{flow}</bdi>
                  {step !== null && (
                    <>
                      {': '}
                      <bdi>{step}</bdi>
                    </>
                  )}
                </a>
                <Why task={newest} />
              </span>
            </li>
          ))}
      </ul>
      {rest > 0 && !isWhole && (
        <button type="button" class="link" onClick={() => show(true)}>
          {WORDS.failing.more(rest)}
        </button>
      )}
      <p class="faint">{about}</p>
    </>
  );
}

/**
 * A pace that asks after tasks have changed, at most once in `busyMs`, and hardly ever at rest.
 * While nobody tells of changes, it asks every `busyMs`.
 */
function useChangePace(busyMs: number): Pace {
  const [isLive, setLive] = useState(false);
  const [wish, setWish] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let hasNews = false;
    let isNapping = false;
    const wishSoon = async (): Promise<void> => {
      if (isNapping) return;
      isNapping = true;
      while (hasNews && !signal.aborted) {
        hasNews = false;
        setWish((before) => before + 1);
        await pause(busyMs, signal);
      }
      isNapping = false;
    };
    const onChanges = (): void => {
      hasNews = true;
      void wishSoon();
    };
    const stop = changeFeed.listen({ onLive: setLive, onChanges });
    return () => {
      controller.abort();
      stop();
    };
  }, [busyMs]);
  return { everyMs: isLive ? REST_MS : busyMs, wish };
}
