import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import { isForGood } from '../api/exchange.js';
import type { AuditEntry, AuditItem, UnreadableEntry } from '../api/shapes.js';
import { instantOf, localTime, ownTimeWords } from '../tasks/time-range.js';
import { secondsOf } from '../ui/durations.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { type Polled, usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { operationWords } from '../words/audit.js';
import { type ShownEntries, withMore, withTop } from './audit-pages.js';
import { Head } from '../ui/table-head.js';

/** From this status on a request was refused. */
const REFUSED_FROM = 400;

const EVERY_MS = 5_000;
const TEXTS = ['actor', 'operation', 'target'] as const;
const TIMES = ['createdAfter', 'createdBefore'] as const;
const FILTERS = [...TEXTS, ...TIMES];

type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

const OF_TASK = /^\/v1\/tasks\/([^/:]+)/;

interface RulersOnlyProps {
  /** Of the page. */
  readonly title: string;
  readonly children: ComponentChildren;
}

/** The audit log, for those who may see all of it. */
export function AuditPage(): JSX.Element {
  return (
    <RulersOnly title={WORDS.pages.audit}>
      <AuditLog />
    </RulersOnly>
  );
}

/** Actions, and requests that were refused. The address has what is looked for. */
function AuditLog(): JSX.Element {
  const { query, route } = useLocation();
  const asked = new URLSearchParams(
    FILTERS.flatMap((name): [string, string][] => (query[name] ? [[name, query[name]]] : [])),
  ).toString();
  const { isAway, more, refusal, shown } = useEntries(asked);
  const find = (filter: Filter): void => {
    const filled = Object.entries(filter).filter(([, text]) => text !== '');
    const next = new URLSearchParams(filled).toString();
    if (next !== asked) route(next === '' ? '/console/audit' : `/console/audit?${next}`);
  };
  return (
    <>
      <PageHead title={WORDS.pages.audit} />
      <p class="faint about">{WORDS.audit.about}</p>
      <FilterForm key={asked} asked={new URLSearchParams(asked)} onFind={find} />
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {shown === null && !refusal && <LoadingRows label={WORDS.pages.audit} />}
      {shown?.items.length === 0 && (
        <None isSearch={asked !== ''} hasMore={shown.cursor !== null} />
      )}
      {shown !== null && shown.items.length > 0 && <AuditTable entries={shown.items} />}
      {shown !== null && shown.cursor !== null && (
        <div class="list-end">
          <button type="button" onClick={more}>
            {WORDS.audit.more}
          </button>
        </div>
      )}
    </>
  );
}

interface Entries extends Omit<Polled<unknown>, 'value'> {
  /** Null: they are not there yet. */
  readonly shown: ShownEntries | null;
  readonly more: () => void;
}

/** Entries that fit, followed at the top; older ones by the page. */
function useEntries(asked: string): Entries {
  const top = usePolled(
    `audit ${asked}`,
    (signal) => api.audit(new URLSearchParams(asked), signal),
    EVERY_MS,
  );
  const [state, set] = useState<{ readonly asked: string; readonly shown: ShownEntries | null }>({
    asked,
    shown: null,
  });
  const change = (next: (before: ShownEntries | null) => ShownEntries | null): void =>
    set((before) => ({ asked, shown: next(before.asked === asked ? before.shown : null) }));
  const { value } = top;
  useEffect(() => {
    if (value !== null) change((before) => withTop(before, value));
  }, [value]);
  const isBusy = useRef(false);
  const shown = state.asked === asked ? state.shown : null;
  const cursor = shown?.cursor ?? null;
  const add = async (): Promise<void> => {
    if (cursor === null || isBusy.current) return;
    isBusy.current = true;
    const query = new URLSearchParams(asked);
    query.set('cursor', cursor);
    try {
      const page = await api.audit(query);
      change((before) => (before?.cursor === cursor ? withMore(before, page) : before));
    } catch (error) {
      // Away: the button asks again.
      if (isForGood(error)) change((before) => before && { ...before, cursor: null });
    } finally {
      isBusy.current = false;
    }
  };
  return { shown, isAway: top.isAway, refusal: top.refusal, more: () => void add() };
}

interface FilterFormProps {
  readonly asked: URLSearchParams;
  readonly onFind: (filter: Filter) => void;
}

function FilterForm({ asked, onFind }: FilterFormProps): JSX.Element {
  const id = useId();
  const [filter, set] = useState<Filter>(() => Object.fromEntries(asked));
  const { clear, filter: title, filters, find, times } = WORDS.audit;
  const submit = (event: Event): void => {
    event.preventDefault();
    onFind(filter);
  };
  return (
    <form class="filters" role="search" aria-label={title} onSubmit={submit}>
      {TEXTS.map((name) => (
        <div key={name} class="field">
          <label for={`${id}-${name}`}>{filters[name]}</label>
          <input
            id={`${id}-${name}`}
            value={filter[name] ?? ''}
            autocomplete="off"
            maxLength={200}
            onInput={({ currentTarget }) => set({ ...filter, [name]: currentTarget.value })}
          />
        </div>
      ))}
      {TIMES.map((name) => (
        <div key={name} class="field">
          <label for={`${id}-${name}`}>{ownTimeWords(times[name])}</label>
          <input
            id={`${id}-${name}`}
            type="datetime-local"
            value={localTime(filter[name])}
            onChange={({ currentTarget }) =>
              set({ ...filter, [name]: instantOf(currentTarget.value) })
            }
          />
        </div>
      ))}
      <button type="submit">{find}</button>
      {asked.size > 0 && (
        <button type="button" class="quiet" onClick={() => onFind({})}>
          {clear}
        </button>
      )}
    </form>
  );
}

interface NoneProps {
  readonly isSearch: boolean;
  readonly hasMore: boolean;
}

function None({ hasMore, isSearch }: NoneProps): JSX.Element {
  const { none, noneFits, noneYet } = WORDS.audit;
  if (!isSearch) return <p class="empty">{none}</p>;
  return <p class="empty">{hasMore ? noneYet : noneFits}</p>;
}

function AuditTable({ entries }: { readonly entries: readonly AuditItem[] }): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.audit}>
      <Head columns={WORDS.audit.columns} />
      <tbody>
        {entries.map((entry) =>
          'unreadable' in entry ? (
            <tr key={entry.seq}>
              <td colSpan={WORDS.audit.columns.length}>{unreadableOf(entry)}</td>
            </tr>
          ) : (
            <EntryRow key={entry.seq} entry={entry} />
          ),
        )}
      </tbody>
    </table>
  );
}

function unreadableOf({ seq, unreadable }: UnreadableEntry): string {
  return `${WORDS.audit.unreadable} ${seq}: ${unreadable}`;
}

function EntryRow({ entry }: { readonly entry: AuditEntry }): JSX.Element {
  const { actor, at, operation, reason, status, target } = entry;
  return (
    <tr>
      <td class="cell-time">
        <Moment at={secondsOf(at)} />
      </td>
      <td>
        <bdi>{actor}</bdi>
      </td>
      <td>
        <Deed operation={operation} />
      </td>
      <td>
        <Target target={target} />
      </td>
      <td>{status < REFUSED_FROM ? WORDS.audit.done : `${WORDS.audit.refused} (${status})`}</td>
      <td>
        <LongText text={reason} />
      </td>
    </tr>
  );
}

/** An operation in words, and its address for those who call it. */
function Deed({ operation }: { readonly operation: string }): JSX.Element {
  const words = operationWords(operation);
  if (words === null) return <span class="cell-name">{operation}</span>;
  return (
    <>
      <span class="cell-name">{words}</span>
      <div class="faint">{operation}</div>
    </>
  );
}

/** A task is where its page is; everything else is an address. */
function Target({ target }: { readonly target: string }): JSX.Element {
  const [, taskId] = OF_TASK.exec(target) ?? [];
  if (taskId === undefined) return <code>{target}</code>;
  return <a href={`/console/tasks/${taskId}`}>{taskId}</a>;
}

/** A page about everything at once: others are told so, and nothing is asked for in their name. */
function RulersOnly({ children, title }: RulersOnlyProps): JSX.Element {
  const { isKnown, isRuler } = useRights();
  if (isRuler) return <>{children}</>;
  return (
    <>
      <PageHead title={title} />
      <p class="empty">{isKnown ? WORDS.rulersOnly : WORDS.loading}</p>
    </>
  );
}
