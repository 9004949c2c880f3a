import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { ModuleLimit } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { Moment } from '../ui/moment.js';
import { RemoveDialog } from '../ui/remove-dialog.js';
import { WORDS } from '../words.js';
import { LimitForm } from './limit-form.js';
import { Head } from '../ui/table-head.js';

const { limits: TEXT } = WORDS;

interface ModuleLimitsProps {
  /** Null: they are not there yet. */
  readonly limits: readonly ModuleLimit[] | null;
  /** Asks for them again. */
  readonly refresh: () => void;
}

/** The limits of modules, those too that no process serves now, for operators to change. */
export function ModuleLimits({ limits, refresh }: ModuleLimitsProps): JSX.Element {
  const { may } = useRights();
  const [isAdding, setAdding] = useState(false);
  return (
    <section class="panel module-limits" aria-labelledby="limits-title">
      <div class="panel-head">
        <h2 id="limits-title">{TEXT.title}</h2>
        {may('operator') && (
          <button type="button" onClick={() => setAdding(true)}>
            {TEXT.set}
          </button>
        )}
      </div>
      {limits === null && <LoadingRows label={TEXT.title} rows={1} />}
      {limits?.length === 0 && <p class="empty">{TEXT.none}</p>}
      {limits !== null && limits.length > 0 && (
        <table class="rows lists" aria-label={TEXT.title}>
          <Head columns={TEXT.columns} />
          <tbody>
            {limits.map((limit) => (
              <Row key={limit.module} {...{ limit, refresh }} />
            ))}
          </tbody>
        </table>
      )}
      {isAdding && <LimitForm limit={null} onClose={() => setAdding(false)} onSaved={refresh} />}
    </section>
  );
}

interface RowProps {
  readonly limit: ModuleLimit;
  readonly refresh: () => void;
}

function Row({ limit, refresh }: RowProps): JSX.Element {
  const { fairBy, maxConcurrency, module, ratePerSecond, running } = limit;
  const { updatedAt, updatedBy, waiting } = limit;
  const { may } = useRights();
  return (
    <tr>
      <td class="cell-name">
        <bdi>{module}</bdi>
      </td>
      <td data-name={TEXT.columns[1]}>
        {maxConcurrency === null ? TEXT.anyNumber : TEXT.running(running ?? 0, maxConcurrency)}
      </td>
      <td data-name={TEXT.columns[2]}>
        {ratePerSecond === null ? TEXT.anyNumber : TEXT.rate(ratePerSecond)}
      </td>
      <td data-name={TEXT.columns[3]}>{waiting}</td>
      <td data-name={TEXT.columns[4]}>{fairBy !== null && <bdi>{fairBy}</bdi>}</td>
      <td class="cell-time" data-name={TEXT.columns[5]}>
        <Moment at={secondsOf(updatedAt)} />
        <div class="faint">
          <bdi>{updatedBy}</bdi>
        </div>
      </td>
      <td>{may('operator') && <Changes {...{ limit, refresh }} />}</td>
    </tr>
  );
}

const DIALOGS = ['change', 'remove'] as const;

/** The buttons that change and remove limits, and what these open. */
function Changes({ limit, refresh }: RowProps): JSX.Element {
  const { module } = limit;
  const [dialog, open] = useState<(typeof DIALOGS)[number] | null>(null);
  const onClose = (): void => open(null);
  const remove = async (): Promise<void> => {
    await api.removeLimit(limit);
    refresh();
  };
  return (
    <>
      <div class="buttons">
        {DIALOGS.map((each) => (
          <button
            key={each}
            type="button"
            aria-label={`${TEXT[each]} ${module}`}
            onClick={() => open(each)}>
            {TEXT.buttons[each]}
          </button>
        ))}
      </div>
      {dialog === 'change' && <LimitForm {...{ limit, onClose }} onSaved={refresh} />}
      {dialog === 'remove' && (
        <RemoveDialog
          words={TEXT.remove}
          name={module}
          ask={TEXT.removeAsk}
          {...{ remove, onClose }}
        />
      )}
    </>
  );
}
