import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HttpApi } from '../../../../schemas/http-api.js';
import { api } from '../api/client.js';
import { TaskLink } from '../tasks/task-table.js';
import { secondsOf } from '../ui/durations.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { Moment } from '../ui/moment.js';
import { RefusalNotice } from '../ui/notices.js';
import { usePolled } from '../ui/polled.js';
import { SelectField, TextField } from '../ui/fields.js';
import { ProgressBar } from '../ui/progress-bar.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';

const { runsNow: TEXT } = WORDS;

const EVERY_MS = 5_000;
/** As many as the interface gives at a time. */
const LIMIT = '200';
const TEXTS = ['executor', 'step'] as const;
const MEMBERS = [...TEXTS, 'age'] as const;

/** A search by these; an empty text does not restrict. */
type Filter = Readonly<Record<(typeof MEMBERS)[number], string>>;

type Attempt = HttpApi['Attempts']['items'][number];

/** Attempts of steps that run now, the oldest first. The address has what is looked for. */
export function RunningAttempts(): JSX.Element {
  const { path, query, route } = useLocation();
  const filter = filterIn(query);
  const asked = addressOf(filter);
  const look = (signal: AbortSignal): Promise<HttpApi['Attempts']> => {
    const wanted = new URLSearchParams(asked);
    wanted.set('limit', LIMIT);
    return api.attempts(wanted, signal);
  };
  const { refusal, value } = usePolled(`attempts ${asked}`, look, EVERY_MS);
  const find = (next: Filter): void => {
    const search = addressOf(next);
    if (search !== asked) route(search === '' ? path : `${path}?${search}`);
  };
  const items = value?.items ?? [];
  const place = useRef<HTMLElement>(null);
  const isThere = value !== null;
  // A reader who follows a link to some of them, or has its address, sees these first.
  useEffect(() => {
    if (asked !== '' && isThere) place.current?.scrollIntoView();
  }, [asked, isThere]);
  const isCut = value !== null && (value.isCut || value.page.nextCursor !== null);
  return (
    <section ref={place} class="panel runs-now" aria-labelledby="attempts-title">
      <h2 id="attempts-title">{TEXT.title}</h2>
      <FilterForm key={asked} {...{ filter, find }} isSearch={asked !== ''} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {value === null && !refusal && <LoadingRows label={TEXT.title} />}
      {value !== null && items.length === 0 && (
        <p class="empty">{asked === '' ? TEXT.none : TEXT.noneFits}</p>
      )}
      {items.length > 0 && <AttemptTable attempts={items} />}
      {isCut && items.length > 0 && <p class="faint">{TEXT.cut}</p>}
    </section>
  );
}

function filterIn(query: Readonly<Record<string, string>>): Filter {
  const { age = '', executor = '', step = '' } = query;
  return { age, executor, step };
}

function addressOf(filter: Filter): string {
  const filled = MEMBERS.map((name) => [name, filter[name].trim()] as const);
  return new URLSearchParams(
    filled.filter(([, text]) => text !== '').map(([name, text]) => [name, text]),
  ).toString();
}

interface FilterFormProps {
  readonly filter: Filter;
  readonly find: (filter: Filter) => void;
  readonly isSearch: boolean;
}

function FilterForm({ filter, find, isSearch }: FilterFormProps): JSX.Element {
  const [typed, type] = useState(filter);
  const ages = filter.age in TEXT.ages ? TEXT.ages : { ...TEXT.ages, [filter.age]: filter.age };
  const submit = (event: Event): void => {
    event.preventDefault();
    find(typed);
  };
  return (
    <form class="filters" role="search" aria-label={TEXT.filter} onSubmit={submit}>
      {TEXTS.map((name) => (
        <TextField
          key={name}
          name={TEXT.filters[name]}
          value={typed[name]}
          onType={(text) => type({ ...typed, [name]: text })}
        />
      ))}
      <SelectField<string>
        name={TEXT.filters.age}
        value={typed.age}
        choices={ages}
        onPick={(age) => find({ ...typed, age })}
      />
      <button type="submit">{WORDS.audit.find}</button>
      {isSearch && (
        <button
          type="button"
          class="quiet"
          onClick={() => find({ age: '', executor: '', step: '' })}>
          {WORDS.audit.clear}
        </button>
      )}
    </form>
  );
}

function AttemptTable({ attempts }: { readonly attempts: readonly Attempt[] }): JSX.Element {
  return (
    <table class="rows lists" aria-label={TEXT.title}>
      <Head columns={TEXT.columns} />
      <tbody>
        {attempts.map((attempt) => (
          <Row key={`${attempt.taskId} ${attempt.direction} ${attempt.id}`} attempt={attempt} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ attempt }: { readonly attempt: Attempt }): JSX.Element {
  const { build, command, deadline, direction, executor, flow, id } = attempt;
  const { module, progress, since, taskId } = attempt;
  const { columns } = TEXT;
  return (
    <tr>
      <td>
        <TaskLink flow={flow} taskId={taskId} />
      </td>
      <td data-title={columns[1]}>
        {direction === 'rollback' && `${TEXT.undo} `}
        <bdi>{id}</bdi>
        <div class="faint">{`${module}.${command}`}</div>
        {progress !== undefined && <ProgressBar name={id} progress={progress} />}
      </td>
      <td class="cell-time" data-name={columns[2]}>
        <Moment at={secondsOf(since)} />
      </td>
      <td data-name={columns[3]}>{attempt.attempt}</td>
      <td data-title={columns[4]}>
        <a href={attemptsOn(executor)}>{executor}</a>
        {build !== null && <div class="faint">{build}</div>}
      </td>
      <td class="cell-time" data-name={columns[5]}>
        <Moment at={deadline === null ? null : secondsOf(deadline)} />
      </td>
    </tr>
  );
}

/** Where the attempts are shown that one executor runs. */
export function attemptsOn(instance: string): string {
  return `/console/executors?${new URLSearchParams({ executor: instance })}`;
}
