import type { JSX } from 'preact';
import { send } from '../api/exchange.js';
import { useWaitingOperations } from '../operations/waiting-operations.js';
import { ExecutorFigures } from '../overview/executor-figures.js';
import { Trends } from '../overview/trends.js';
import { type TaskList, useTaskList } from '../tasks/task-list.js';
import { useWaitingTasks } from '../tasks/waiting-tasks.js';
import { TaskTable } from '../tasks/task-table.js';
import { Icon } from '../ui/icons.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';

const MOVING = [['status', 'running,rolling_back,not_started']] as const;
const SHOWN = 8;

/** The first page: tasks that wait for a person, tasks that run, the newest tasks. */
export function OverviewPage(): JSX.Element {
  const waiting = useWaitingTasks();
  const operations = useWaitingOperations().length;
  const moving = useTaskList(MOVING);
  const newest = useTaskList([]);
  return (
    <>
      <PageHead title={WORDS.pages.overview} />
      <AwayNotice isAway={newest.isAway} />
      {newest.refusal && <RefusalNotice refusal={newest.refusal} />}
      <div class="cards">
        <Card
          name={WORDS.overview.person}
          to="/console/inbox"
          count={countOf(waiting, operations)}
          isAlarm={(waiting.items?.length ?? 0) + operations > 0}
        />
        <Card
          name={WORDS.overview.running}
          to="/console/tasks?q=status%3Arunning%2Crolling_back%2Cnot_started"
          count={countOf(moving)}
        />
        <Health />
      </div>
      <Trends />
      <ExecutorFigures />
      <section class="panel">
        <h2>{WORDS.overview.newest}</h2>
        {newest.items?.length === 0 ? (
          <p class="empty">
            {WORDS.tasks.noneYet} <code>{WORDS.tasks.noneYetCommand}</code>
          </p>
        ) : (
          <TaskTable items={(newest.items ?? []).slice(0, SHOWN)} label={WORDS.overview.newest} />
        )}
      </section>
    </>
  );
}

/** One page of them is looked at; more are not counted. */
function countOf({ hasMore, items }: TaskList, others = 0): string {
  if (items === null) return '…';
  return `${items.length + others}${hasMore ? '+' : ''}`;
}

interface CardProps {
  readonly name: string;
  readonly to: string;
  readonly count: string;
  readonly isAlarm?: boolean;
}

function Card({ count, isAlarm = false, name, to }: CardProps): JSX.Element {
  return (
    <a class={`card ${isAlarm ? 'is-alarm' : ''}`} href={to}>
      <span class="card-count">{count}</span>
      <span class="card-name">
        {isAlarm && <Icon name="alert" />}
        {name}
      </span>
    </a>
  );
}

interface Readiness {
  readonly status: string;
  readonly checks?: readonly { readonly name: string; readonly status: string }[];
}

/** Also an answer that says that something is missing is one. */
async function askHealth(signal: AbortSignal): Promise<Readiness> {
  const response = await send('/readyz', { signal });
  return (await response.json()) as Readiness;
}

function Health(): JSX.Element {
  const { isAway, value } = usePolled('readyz', askHealth, 5_000);
  const isReady = value?.status === 'ready' && !isAway;
  return (
    <a class={`card ${isReady || value === null ? '' : 'is-alarm'}`} href="/readyz" target="_self">
      <span class="card-count">
        <Icon name={isReady ? 'check' : 'alert'} />
      </span>
      <span class="card-name">
        {`${WORDS.overview.health}: ${isReady ? WORDS.overview.ready : WORDS.overview.notReady}`}
      </span>
    </a>
  );
}
