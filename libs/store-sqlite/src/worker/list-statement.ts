import { ALERT_RUN, TASK_STATUS } from '#core/task';
import type { Cell, ListFilter } from '../protocol.js';
import type { Parameter } from './database.js';

/** Every status there is: a list of all of them is a list of everything. */
const STATUSES: readonly number[] = Object.values(TASK_STATUS);

/** A statement and its parameters. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** Reads the only statuses that any task has; null: not known. */
type Present = () => readonly Cell[] | null;

/**
 * The statement that reads `created_at` and row number of a page's tasks in their order, and one
 * more if there is one. Every branch walks an index from the page's position on and stops after as
 * many rows as the page needs. `present` is called where a list goes by statuses and is given none.
 */
export function listStatement(filter: ListFilter, present: Present = () => null): BoundStatement {
  const branches = branchesOf(filter, present);
  const way = filter.isOldestFirst ? 'ASC' : 'DESC';
  const order = `ORDER BY 1 ${way}, 2 ${way} LIMIT ${filter.limit + 1}`;
  if (branches.length === 0) return { sql: 'SELECT 0, 0 WHERE 0', parameters: [] };
  const sql = branches
    .map((branch) => `SELECT * FROM (${branch.sql} ${order})`)
    .join(' UNION ALL ');
  return {
    sql: branches.length === 1 ? sql : `${sql} ${order}`,
    parameters: branches.flatMap(({ parameters }) => parameters),
  };
}

function branchesOf(filter: ListFilter, present: Present): readonly BoundStatement[] {
  const { idPrefix, origin, parent, waits } = filter;
  const isOfFew = waits || parent !== undefined || idPrefix !== undefined || origin !== undefined;
  if (isOfFew) return [fewBranch(filter)];
  return filter.labels ? [labelBranch(filter, filter.labels)] : progressBranches(filter, present);
}

/** SQLite joins no more selects than 500, and each costs a search. */
const BRANCHES_MAX = 200;

/**
 * One branch for each status, and for each flow where they are few, because only within these is an
 * index in the order of the list.
 */
function progressBranches(filter: ListFilter, present: Present): readonly BoundStatement[] {
  const place = placeOf(filter, 'created_at', 'id');
  const lookedFor = linesIn(filter, 'terms');
  const statuses = filter.statuses ?? present();
  const wanted = [...new Set(statuses ?? STATUSES)];
  const branch = (term: string, values: readonly Parameter[]): readonly BoundStatement[] =>
    flowTerms(filter, wanted.length).map((flow) =>
      select(
        [...flow.terms, term, ...familyTerms(filter), ...lookedFor.terms],
        [...flow.parameters, ...values, ...lookedFor.parameters],
        place,
      ),
    );
  const known = wanted.flatMap((status) => branch('status = ?', [status]));
  if (statuses !== null) return known;
  // Broken tasks have a status outside of the table, and must show. A text is beyond every number.
  const beyond = [Math.min(...STATUSES), Math.max(...STATUSES)];
  return [...known, ...branch('status < ?', [beyond[0]]), ...branch('status > ?', [beyond[1]])];
}

/**
 * The conditions that a task is no child task, or no alert task, where that is wanted. `table`
 * stands before the names of columns.
 */
function familyTerms({ isTopLevel, withoutAlerts }: ListFilter, table = ''): readonly string[] {
  return [
    ...(isTopLevel ? [`${table}parent IS NULL`] : []),
    ...(withoutAlerts ? [`${table}run IS NOT '${ALERT_RUN}'`] : []),
  ];
}

interface SqlTerms {
  readonly terms: readonly string[];
  readonly parameters: readonly Parameter[];
}

/** The conditions on the lines of a task's terms. */
function linesIn({ terms: lists = [] }: ListFilter, column: string): SqlTerms {
  const isIn = (list: readonly string[]): string => {
    return list.length === 1 ? `instr(${column}, ?)` : `EXISTS (${LISTED_IN} ${column}, value))`;
  };
  const parameters = lists.map((list) => (list.length === 1 ? list[0]! : JSON.stringify(list)));
  return { terms: lists.map(isIn), parameters };
}

/** The conditions that are looked up in the row of each task; `table` as above. */
function lookedUp(filter: ListFilter, table: string): SqlTerms {
  const { flows, statuses } = filter;
  const lines = linesIn(filter, `${table}terms`);
  const terms = [...familyTerms(filter, table), ...lines.terms];
  const parameters = [...lines.parameters];
  if (flows !== undefined) terms.push(`${table}flow IN (${LISTED})`);
  if (flows !== undefined) parameters.push(JSON.stringify(flows));
  if (statuses !== undefined) {
    terms.push(`${table}status IN (${statuses.map(() => '?').join(', ')})`);
  }
  if (statuses !== undefined) parameters.push(...statuses);
  return { terms, parameters };
}

/** A row for each text of a JSON list that occurs in another text. */
const LISTED_IN = 'SELECT 1 FROM json_each(?) WHERE instr(';

/** The conditions on the flow, one for each branch; none: no branch at all. */
function flowTerms({ flows }: ListFilter, statuses: number): readonly SqlTerms[] {
  if (flows === undefined) return [{ terms: [], parameters: [] }];
  if (flows.length * (statuses + 2) <= BRANCHES_MAX) {
    return flows.map((flow) => ({ terms: ['flow = ?'], parameters: [flow] }));
  }
  return [{ terms: [`flow IN (${LISTED})`], parameters: [JSON.stringify(flows)] }];
}

/** The texts of a JSON list. */
const LISTED = 'SELECT value FROM json_each(?)';

function select(
  terms: readonly string[],
  parameters: readonly Parameter[],
  place: BoundStatement,
): BoundStatement {
  const sql = `SELECT created_at, id FROM progress WHERE ${terms.join(' AND ')}${place.sql}`;
  return { sql, parameters: [...parameters, ...place.parameters] };
}

/** After all letters that an id has. */
const LAST_LETTER = '\uffff';

/** Rows of the tasks whose ids lie between two texts. */
const WITH_PREFIX = 'SELECT id FROM task WHERE task_id >= ? AND task_id < ?';

/**
 * Walks the tasks that wait for a person, or those of the first member of an origin, which are in
 * an index of their own; or sorts the child tasks of one task, or those whose ids begin alike:
 * there is no index in the order of lists for them alone.
 */
function fewBranch(filter: ListFilter): BoundStatement {
  const { idPrefix, labels, origin, parent, waits } = filter;
  const place = placeOf(filter, 'l.created_at', 'l.task');
  const terms = waits ? ['waits IS NOT NULL'] : [];
  const parameters: Parameter[] = [];
  if (parent !== undefined) terms.push('parent = ?');
  if (parent !== undefined) parameters.push(parent);
  if (idPrefix !== undefined) terms.push(`id IN (${WITH_PREFIX})`);
  if (idPrefix !== undefined) parameters.push(idPrefix, idPrefix + LAST_LETTER);
  // The plus sign: no index but that of what is few.
  const looked = lookedUp(filter, '+');
  terms.push(...looked.terms);
  parameters.push(...looked.parameters);
  const lead = leadOf(filter);
  for (const [column, value] of origin ?? []) {
    terms.push(`${column === lead ? '' : '+'}${column} = ?`);
    parameters.push(value);
  }
  const index = lead === null ? '' : ` INDEXED BY progress_by_${lead}`;
  const own = `SELECT created_at, id AS task FROM progress${index} WHERE ${terms.join(' AND ')}`;
  const hasAll = labels === undefined ? '1' : HAS_ALL;
  if (labels !== undefined) parameters.push(JSON.stringify(labels));
  return {
    sql: `SELECT l.created_at, l.task AS id FROM (${own}) l WHERE ${hasAll}${place.sql}`,
    parameters: [...parameters, ...place.parameters],
  };
}

/** The column whose index has the tasks in the order of lists; null: there is none. */
function leadOf({ idPrefix, origin, parent, waits }: ListFilter): string | null {
  if (waits) return 'waits';
  if (parent !== undefined || idPrefix !== undefined) return null;
  return origin?.[0]?.[0] ?? null;
}

/** The task of `l` has every label of a JSON list of pairs. */
const HAS_ALL =
  'NOT EXISTS (SELECT 1 FROM json_each(?) j WHERE NOT EXISTS (SELECT 1 FROM label o ' +
  "WHERE o.key = json_extract(j.value, '$[0]') AND o.value = json_extract(j.value, '$[1]') " +
  'AND o.created_at = l.created_at AND o.task = l.task))';

/** Walks the first label's tasks; the others, the flow and the statuses are looked up for each. */
function labelBranch(
  filter: ListFilter,
  [first, ...others]: NonNullable<ListFilter['labels']>,
): BoundStatement {
  const place = placeOf(filter, 'l.created_at', 'l.task');
  const looked = lookedUp(filter, 'p.');
  const terms = ['l.key = ? AND l.value = ?'];
  const parameters: Parameter[] = [...first!];
  // One term for all of them: an expression may only be so deep.
  if (others.length > 0) terms.push(HAS_ALL);
  if (others.length > 0) parameters.push(JSON.stringify(others));
  terms.push(...looked.terms);
  parameters.push(...looked.parameters);
  const from =
    'SELECT l.created_at, l.task AS id FROM label l CROSS JOIN progress p ON p.id = l.task';
  return {
    sql: `${from} WHERE ${terms.join(' AND ')}${place.sql}`,
    parameters: [...parameters, ...place.parameters],
  };
}

/** The part of the order that a page may come from. */
function placeOf(filter: ListFilter, createdAt: string, row: string): BoundStatement {
  const { createdAfter, createdBefore, beyond, isOldestFirst } = filter;
  const terms: readonly (readonly [string, readonly Parameter[] | undefined])[] = [
    [`${createdAt} >= ?`, createdAfter === undefined ? undefined : [createdAfter]],
    [`${createdAt} < ?`, createdBefore === undefined ? undefined : [createdBefore]],
    [`(${createdAt}, ${row}) ${isOldestFirst ? '>' : '<'} (?, ?)`, beyond],
  ];
  const used = terms.filter(([, parameters]) => parameters !== undefined);
  return {
    sql: used.map(([sql]) => ` AND ${sql}`).join(''),
    parameters: used.flatMap(([, parameters]) => parameters ?? []),
  };
}
