import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { Step, Task } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { Icon } from '../ui/icons.js';
import { useItemWindow } from '../ui/item-window.js';
import { toldText } from '../ui/told-text.js';
import { LongText } from '../ui/long-text.js';
import { Span } from '../ui/moment.js';
import { RefusalNotice } from '../ui/notices.js';
import { StateMark } from '../ui/state-mark.js';
import { stateWord, WORDS } from '../words.js';
import {
  type Child,
  CHILD_GROUPS,
  CHILD_LOOKS,
  countsOf,
  groupOf,
  inOrder,
  itemOf,
} from './children.js';
import { isFinal } from './steps.js';
import { useChildren } from './use-children.js';

interface ChildTasksProps {
  readonly task: Pick<Task, 'revision' | 'status' | 'taskId'>;
  /** Id of the run of the step. */
  readonly step: string;
  readonly counts: NonNullable<Step['children']>;
}

/** Child tasks that are told of in full. */
const TOLD_MAX = 10;

/** Pixels of a cell, with the gap beside it. */
const CELL = { width: 112, height: 36 } as const;

interface CellProps {
  readonly child: Child;
  readonly place: number;
  readonly count: number;
}

/** How the tasks stand that do the work of a step: counts, those that failed, and all of them. */
export function ChildTasks({ counts, step, task }: ChildTasksProps): JSX.Element {
  const { revision, status, taskId } = task;
  const { children, isWhole, refusal } = useChildren(taskId, !isFinal(status), revision);
  const own = useMemo(
    () => inOrder([...children.values()].filter((child) => isOf(child, step))),
    [children, step],
  );
  const told = own.filter((child) => ['failed', 'person'].includes(groupOf(child)));
  const { more } = WORDS.childTasks;
  return (
    <div class="child-tasks">
      <p>
        <a href={`/console/tasks?q=parent%3A${taskId}`}>{WORDS.step.children}</a>
        {`: ${WORDS.childTasks.counts(counts.started, counts.total)}`}
      </p>
      {refusal !== null && <RefusalNotice refusal={refusal} />}
      <Tally own={own} total={counts.total} />
      {told.length > 0 && <ToldTable told={told.slice(0, TOLD_MAX)} />}
      {told.length > TOLD_MAX && <p class="faint">{more(told.length - TOLD_MAX)}</p>}
      {own.length > 1 && <ChildGrid items={own} />}
      {!isWhole && own.length < counts.started && <p class="faint">{WORDS.loading}</p>}
    </div>
  );
}

/** Several steps of a task may have child tasks. */
function isOf(child: Child, step: string): boolean {
  return !('parent' in child) || child.parent?.step === step;
}

interface TallyProps {
  readonly own: readonly Child[];
  readonly total: number;
}

/** How many child tasks stand how: in words, and as a bar. */
function Tally({ own, total }: TallyProps): JSX.Element | null {
  const counts = countsOf(own);
  const groups = CHILD_GROUPS.filter((group) => counts.has(group));
  if (groups.length === 0) return null;
  let x = 0;
  return (
    <div class="tally">
      <ul role="list" aria-label={WORDS.childTasks.tally}>
        {groups.map((group) => (
          <li key={group} class={`tone-${CHILD_LOOKS[group].tone}`}>
            <Icon name={CHILD_LOOKS[group].icon} />
            {WORDS.childTasks.groups[group](counts.get(group) ?? 0)}
          </li>
        ))}
      </ul>
      <svg aria-hidden="true" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none">
        {groups.map((group) => {
          const from = x;
          x += counts.get(group) ?? 0;
          const { tone } = CHILD_LOOKS[group];
          return <rect key={group} class={`tone-${tone}`} x={from} width={x - from} height={1} />;
        })}
      </svg>
    </div>
  );
}

function ToldTable({ told }: { readonly told: readonly Child[] }): JSX.Element {
  return (
    <table class="plain attempts" aria-label={WORDS.step.children}>
      <Head columns={WORDS.childTasks.columns} />
      <tbody>
        {told.map((child) => (
          <Row key={child.taskId} child={child} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ child }: { readonly child: Child }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <a href={`/console/tasks/${child.taskId}`} title={child.taskId}>
          {WORDS.childTasks.item(`${itemOf(child) ?? '?'}`)}
        </a>
      </th>
      <td>
        <StateMark state={child.status} />
      </td>
      <td>{!('reason' in child) && <Span from={child.timeStart} to={child.timeEnd} />}</td>
      <td class="child-message">
        <LongText text={'reason' in child ? child.reason : child.taskMessage} isTold />
      </td>
    </tr>
  );
}

/** Child tasks of a step in a grid, of which only the rows in view are drawn. */
function ChildGrid({ items }: { readonly items: readonly Child[] }): JSX.Element {
  const [columns, setColumns] = useState(4);
  const rows = Math.ceil(items.length / columns);
  const {
    after,
    box,
    items: drawn,
  } = useItemWindow<HTMLDivElement>({ count: rows, itemPx: CELL.height, keyOf: (row) => row });
  useLayoutEffect(() => {
    if (box.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      setColumns(Math.max(1, Math.floor(width / CELL.width)));
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const [{ gap, index } = { gap: 0, index: 0 }] = drawn;
  const first = index * columns;
  return (
    <div class="child-box" ref={box}>
      <ol
        class="child-grid"
        role="list"
        aria-label={WORDS.childTasks.all}
        style={{
          gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          paddingTop: gap,
          paddingBottom: after,
        }}>
        {items.slice(first, first + drawn.length * columns).map((child, place) => (
          <Cell key={child.taskId} child={child} place={first + place} count={items.length} />
        ))}
      </ol>
    </div>
  );
}

function Cell({ child, count, place }: CellProps): JSX.Element {
  const { icon, tone } = CHILD_LOOKS[groupOf(child)];
  const message = ('reason' in child ? child.reason : child.taskMessage) ?? '';
  const state = stateWord(child.status);
  return (
    <li aria-setsize={count} aria-posinset={place + 1}>
      <a
        class={`child-cell tone-${tone}`}
        href={`/console/tasks/${child.taskId}`}
        title={[state, toldText(message)].filter(Boolean).join(': ')}>
        <Icon name={icon} />
        {WORDS.childTasks.item(`${itemOf(child) ?? '?'}`)}
        <span class="unseen">{` ${state}`}</span>
      </a>
    </li>
  );
}
