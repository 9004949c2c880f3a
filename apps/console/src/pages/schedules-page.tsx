import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import type { Schedule } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';
import { ListedPage } from './listed-page.js';
import { ScheduleForm } from './schedule-form.js';
import { ScheduleDialog, type ScheduleVerb } from './schedule-dialog.js';
import { whenText } from './schedule-when.js';

const { schedules: TEXT } = WORDS;

const TRIGGER: ScheduleVerb = 'trigger';

/** The schedules, and what became of their latest moments. */
export function SchedulesPage(): JSX.Element {
  const { about, none } = TEXT;
  const { may } = useRights();
  const [isAdding, setAdding] = useState(false);
  const action = may('author') && (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      {TEXT.add}
    </button>
  );
  return (
    <>
      <ListedPage name="schedules" limit={200} {...{ about, action, none }} show={table} />
      {isAdding && <ScheduleForm onClose={() => setAdding(false)} />}
    </>
  );
}

function table(schedules: readonly Schedule[]): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.schedules}>
      <Head columns={TEXT.columns} />
      <tbody>
        {schedules.map((schedule) => (
          <Row key={schedule.name} listed={schedule} />
        ))}
      </tbody>
    </table>
  );
}

/** A change made in this row is shown until the list has it. */
function Row({ listed }: { readonly listed: Schedule }): JSX.Element {
  const [changed, setChanged] = useState<Schedule | null>(null);
  const [verb, open] = useState<ScheduleVerb | null>(null);
  const isNewer = changed !== null && changed.generation > listed.generation;
  const schedule = isNewer ? changed : listed;
  const { flow, name, paused, timezone } = schedule;
  const verbs = useVerbs(paused);
  return (
    <tr>
      <td class="cell-name">{name}</td>
      <td>
        <a href={`/console/flows/${encodeURIComponent(flow.split('@')[0] ?? flow)}`}>{flow}</a>
      </td>
      <td>
        <code>{whenText(schedule)}</code>
        <div class="faint">{timezone}</div>
      </td>
      <td class="cell-time" data-name={WORDS.schedules.columns[3]}>
        {paused ? <Paused schedule={schedule} /> : <Next schedule={schedule} />}
      </td>
      <td>
        <LastRun schedule={schedule} />
      </td>
      <td>
        <Trouble schedule={schedule} />
      </td>
      <td>
        <div class="buttons">
          {verbs.map((each) => (
            <button
              key={each}
              type="button"
              aria-label={`${TEXT.verbs[each]} ${name}`}
              onClick={() => open(each)}>
              {TEXT.verbs[each]}
            </button>
          ))}
        </div>
        {verb !== null && (
          <ScheduleDialog
            {...{ schedule, verb }}
            onClose={() => open(null)}
            onChanged={setChanged}
          />
        )}
      </td>
    </tr>
  );
}

/** The actions on a schedule that the reader may take. */
function useVerbs(isPaused: boolean): readonly ScheduleVerb[] {
  const { may } = useRights();
  const turn: ScheduleVerb = isPaused ? 'resume' : 'pause';
  return [...(may('author') ? [turn] : []), ...(may('starter') ? [TRIGGER] : [])];
}

interface ScheduleProps {
  readonly schedule: Schedule;
}

function Next({ schedule: { nextAt } }: ScheduleProps): JSX.Element {
  if (nextAt === null) return <span class="faint">{TEXT.over}</span>;
  return <Moment at={secondsOf(nextAt)} isWhole />;
}

function Paused({ schedule: { pause } }: ScheduleProps): JSX.Element {
  return (
    <>
      {TEXT.paused}
      {pause !== null && (
        <div class="faint">
          {pause.by !== null && (
            <>
              <bdi>{pause.by}</bdi>
              {': '}
            </>
          )}
          <LongText text={pause.reason} />
        </div>
      )}
    </>
  );
}

function LastRun({ schedule: { counts, lastRun } }: ScheduleProps): JSX.Element {
  const taskId = lastRun?.taskId ?? null;
  const at = lastRun && <Moment at={secondsOf(lastRun.at)} />;
  return (
    <>
      {at === null && <span class="faint">{WORDS.never}</span>}
      {taskId === null ? at : <a href={`/console/tasks/${encodeURIComponent(taskId)}`}>{at}</a>}
      {lastRun?.moment === null && <span class="faint">{` ${TEXT.byHand}`}</span>}
      <div class="faint">{`${counts.started} ${TEXT.started}`}</div>
    </>
  );
}

/** The last moment that has no task, and why. */
function Trouble({ schedule }: ScheduleProps): JSX.Element {
  const { author, lastError, lastSkipped, updatedBy, waiting } = schedule;
  return (
    <>
      {author?.gone === true && <div>{`${TEXT.authorGone} ${updatedBy}`}</div>}
      {lastError !== null && (
        <div>
          <LongText text={lastError.message} isTold /> {`(${lastError.code})`}
        </div>
      )}
      {waiting.length > 0 && <div>{`${waiting.length} ${TEXT.waiting}`}</div>}
      {lastSkipped !== null && (
        <div class="faint">
          {`${TEXT.skipped} `}
          <Moment at={secondsOf(lastSkipped.moment)} />
          {`: ${TEXT.reasons[lastSkipped.reason]}`}
        </div>
      )}
    </>
  );
}
