import {
  isFinal,
  NORMAL_MOVES,
  ROLLBACK_MOVES,
  statusName,
  TASK_MOVES,
  TASK_STATUS,
  TASK_STATUS_NAMES,
} from '#core';
import { type SettingEntry, SETTINGS, variableOf } from '#settings';
import { EVENT_TABLES, type EventTable } from '../state-machine/index.js';
import { queueTable } from './broker-tables.js';
import { findingSections, findingTable } from './finding-sections.js';
import { kindCalls, kindTable } from './kind-tables.js';
import { NORMAL_STATES, ROLLBACK_STATES, TASK_STATES } from './meanings.js';
import { equivalentTable, invariantTable, placedTable, simulatedTable } from './mutant-tables.js';
import { flowReference } from './schema-reference.js';
import { code, table } from './table.js';

type Moves = Readonly<Record<string, readonly string[]>>;

/** The parts of pages that come from code, by the name in their `<!-- generated: ... -->`. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  'task-status': taskStatus,
  'task-moves': () => diagram(taskMoves(), 'not_started'),
  'normal-states': () => stateTable(NORMAL_MOVES, NORMAL_STATES),
  'normal-moves': () => diagram(NORMAL_MOVES, 'pending'),
  'rollback-states': () => stateTable(ROLLBACK_MOVES, ROLLBACK_STATES),
  'rollback-moves': () => diagram(ROLLBACK_MOVES, 'none'),
  'normal-events': () => eventTable(EVENT_TABLES.normal),
  'rollback-events': () => eventTable(EVENT_TABLES.rollback),
  'task-events': () => eventTable(EVENT_TABLES.task),
  'kind-table': kindTable,
  'kind-calls': kindCalls,
  'flow-reference': flowReference,
  findings: findingSections,
  'finding-codes': findingTable,
  settings: settingsTable,
  'broker-queues': queueTable,
  invariants: invariantTable,
  'simulated-mutants': simulatedTable,
  'equivalent-mutants': equivalentTable,
  'placed-mutants': placedTable,
};

const STATES: ReadonlySet<string> = new Set([
  ...TASK_STATUS_NAMES,
  ...Object.keys({ ...NORMAL_MOVES, ...ROLLBACK_MOVES }),
]);

const PART = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The page with all of its generated parts made again. */
export function renewed(page: string): string {
  return page.replaceAll(PART, (...groups: string[]) => {
    const [, begin = '', name = '', end = ''] = groups;
    const make = GENERATED[name];
    if (make === undefined) throw new Error(`nothing generates ${name}`);
    return `${begin}\n${make()}\n\n${end}`;
  });
}

function taskMoves(): Moves {
  const names = TASK_STATUS_NAMES.map((name) => {
    return [name, TASK_MOVES[TASK_STATUS[name]].map((to) => statusName(to))] as const;
  });
  return Object.fromEntries(names);
}

function taskStatus(): string {
  const moves = taskMoves();
  const rows = TASK_STATUS_NAMES.map((name) => {
    const number = TASK_STATUS[name];
    return [
      number,
      code(name),
      isFinal(number) ? 'yes' : '',
      TASK_STATES[name],
      listed(moves[name]),
    ];
  });
  return table(['number', 'name', 'final', 'meaning', 'may become'], rows);
}

function stateTable(moves: Moves, meanings: Readonly<Record<string, string>>): string {
  const rows = Object.entries(moves).map(([state, next]) => {
    return [code(state), meanings[state] ?? '', listed(next)];
  });
  return table(['state', 'meaning', 'may become'], rows);
}

/** A row for each event, a column for each state that a task reaches. */
function eventTable(events: EventTable<string>): string {
  const rows = Object.entries(events);
  const columns = Object.keys(events.tick);
  const reached = columns.filter((column) => rows.some(([, row]) => row[column] !== ''));
  const cells = rows.map(([kind, row]) => {
    return [code(kind), ...reached.map((column) => eventResults(row[column]))];
  });
  return table(['event', ...reached.map((column) => code(column))], cells);
}

/** States after the event, then why it is ignored or refused. */
function eventResults(cell = ''): string {
  const words = cell.split(' ').filter(Boolean);
  const states = words.filter((word) => STATES.has(word));
  const reasons = words.filter((word) => !STATES.has(word));
  return [...states.map(code), ...reasons.map((reason) => `*${reason}*`)].join(', ');
}

function diagram(moves: Moves, first: string): string {
  const lines = Object.entries(moves).flatMap(([from, next]) =>
    (next.length === 0 ? ['[*]'] : next).map((to) => `    ${from} --> ${to}`),
  );
  const all = ['```mermaid', 'stateDiagram-v2', `    [*] --> ${first}`, ...lines, '```'];
  return all.join('\n');
}

function settingsTable(): string {
  const rows = Object.entries<SettingEntry>(SETTINGS).map(([key, entry]) => {
    const { depends, fallback, hidden, meaning } = entry;
    if (typeof fallback === 'function' && depends === undefined) throw new Error(`${key} depends`);
    const plain = typeof fallback === 'string' ? code(fallback) : 'none';
    const text = meaning.replaceAll('<', '&lt;');
    return [code(variableOf(key)), depends ?? plain, text, hidden === undefined ? '' : 'yes'];
  });
  return table(['variable', 'default', 'meaning', 'also `_FILE`'], rows);
}

function listed(states: readonly string[] = []): string {
  return states.map(code).join(', ');
}
