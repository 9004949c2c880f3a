import type { JSX } from 'preact';
import { useSession } from '../access/session.js';
import { api } from '../api/client.js';
import type { Executors } from '../api/shapes.js';
import { useWaitingOperations } from '../operations/waiting-operations.js';
import { ExecutorFigures } from '../overview/executor-figures.js';
import { Trends } from '../overview/trends.js';
import { type TaskList, useTaskList } from '../tasks/task-list.js';
import { useWaitingTasks } from '../tasks/waiting-tasks.js';
import { TaskTable } from '../tasks/task-table.js';
import { Icon } from '../ui/icons.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePolled } from '../ui/polled.js';
import { obstaclesIn, ObstacleWords } from '../ui/readiness.js';
import { WORDS } from '../words.js';

const MOVING = [['status', 'running,rolling_back,not_started,paused']] as const;
const ALL = [] as const;
const SHOWN = 8;
/** Operations and executors are not told of by the stream of changes. In milliseconds. */
const EVERY_MS = 10_000;

/** The first page: tasks that wait for a person, tasks that run, the newest tasks. */
export function OverviewPage(): JSX.Element {
  const waiting = useWaitingTasks();
  const operations = useWaitingOperations(EVERY_MS).length;
  const moving = useTaskList(MOVING);
  const newest = useTaskList(ALL, SHOWN);
  const executors = usePolled('executors', (signal) => api.executors(signal), EVERY_MS).value;
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
          to="/console/tasks?q=status%3Arunning%2Crolling_back%2Cnot_started%2Cpaused"
          count={countOf(withoutAsking(moving))}
        />
        <Health executors={executors} />
      </div>
      <Trends />
      <ExecutorFigures executors={executors} />
      <section class="panel">
        <h2>{WORDS.overview.newest}</h2>
        {newest.items === null && <LoadingRows label={WORDS.overview.newest} rows={SHOWN} />}
        {newest.items?.length === 0 && (
          <p class="empty">
            {WORDS.tasks.noneYet} <code>{WORDS.tasks.noneYetCommand}</code>
          </p>
        )}
        {newest.items !== null && newest.items.length > 0 && (
          <TaskTable items={newest.items.slice(0, SHOWN)} label={WORDS.overview.newest} />
        )}
      </section>
    </>
  );
}

/** Those that ask a person are counted as waiting for one, here and in the chart. */
function withoutAsking(list: TaskList): TaskList {
  const items = list.items?.filter((task) => !('approvals' in task) || task.approvals.length === 0);
  return { ...list, items: items ?? null };
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

interface HealthProps {
  /** Null: they are not there yet. */
  readonly executors: Executors | null;
}

/** Whether everything is there that tasks need; if not, what is missing. */
function Health({ executors }: HealthProps): JSX.Element {
  const { isAway, value } = useSession().readiness;
  const modules = (executors?.unserved ?? []).map(({ module }) => module);
  const commands = (executors?.unservedCommands ?? []).map(({ command, module }) => {
    return `${module}.${command}`;
  });
  const isServed = modules.length === 0 && commands.length === 0;
  const obstacles = value === null ? [] : obstaclesIn(value);
  const isWell = !isAway && value !== null && obstacles.length === 0 && isServed;
  const isAlarm = !isWell && (isAway || value !== null);
  const { health, noCommand, ready, unserved } = WORDS.overview;
  return (
    <div class={`card ${isAlarm ? 'is-alarm' : ''}`}>
      <span class="card-count">{value !== null && <Icon name={isWell ? 'check' : 'alert'} />}</span>
      <ul class="card-name card-lines" role="list" aria-label={health}>
        {/* Until it is known the line of the good case keeps its room. */}
        {!isAlarm && <li class={isWell ? '' : 'unseen'}>{`${health}: ${ready}`}</li>}
        {isAway && <li>{WORDS.away}</li>}
        {!isAway &&
          obstacles.map((obstacle) => (
            <li key={obstacle.name}>
              <ObstacleWords obstacle={obstacle} />
            </li>
          ))}
        {!isAway && modules.length > 0 && (
          <li>
            {`${unserved(modules.length)} `}
            <a href="/console/executors">{modules.join(', ')}</a>
          </li>
        )}
        {!isAway && commands.length > 0 && (
          <li>
            {`${noCommand} `}
            <a href="/console/executors">{commands.join(', ')}</a>
          </li>
        )}
      </ul>
    </div>
  );
}
