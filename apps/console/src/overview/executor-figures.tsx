import type { JSX } from 'preact';
import type { Executors } from '../api/shapes.js';
import { Head } from '../ui/table-head.js';
import { Icon } from '../ui/icons.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { WORDS } from '../words.js';
import { FlowLinks } from './flow-links.js';
import { isUnserved, type ServedModule, servedModules } from './served-modules.js';

/** Modules of a small set-up. */
const LOADING = 4;

interface FiguresProps {
  /** Null: they are not there yet. */
  readonly executors: Executors | null;
}

/** How many processes serve each module, how busy they are, and which modules nobody serves. */
export function ExecutorFigures({ executors }: FiguresProps): JSX.Element | null {
  const value = executors && servedModules(executors);
  const { columns, none, title } = WORDS.modules;
  return (
    <section class="panel" aria-labelledby="modules-title">
      <h2 id="modules-title">
        <a href="/console/executors">{title}</a>
      </h2>
      {value === null && <LoadingRows label={title} rows={LOADING} />}
      {value?.length === 0 && <p class="empty">{none}</p>}
      {value !== null && value.length > 0 && (
        <table class="rows lists" aria-label={title}>
          <Head columns={columns} />
          <tbody>
            {value.map((module) => (
              <Row key={module.name} module={module} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ module }: { readonly module: ServedModule }): JSX.Element {
  const { alive, busy, name, silent, slots } = module;
  const { columns, share, silent: silentWords } = WORDS.modules;
  return (
    <tr class={isUnserved(module) ? 'is-alarm' : ''}>
      <th scope="row" class="cell-name">
        {name}
      </th>
      <td data-name={columns[1]}>
        {alive}
        {silent > 0 && <span class="faint">{` (${silentWords(silent)})`}</span>}
      </td>
      <td class="cell-busy" data-name={columns[2]}>
        {slots > 0 && (
          <>
            <meter min={0} max={slots} value={busy} aria-label={share(name)} />
            {` ${busy} / ${slots}`}
          </>
        )}
      </td>
      <td>
        <Unserved module={module} />
      </td>
    </tr>
  );
}

function Unserved({ module }: { readonly module: ServedModule }): JSX.Element | null {
  if (!isUnserved(module)) return null;
  return (
    <>
      <Icon name="alert" /> {WORDS.modules.unserved} <FlowLinks flows={module.flows} />
    </>
  );
}
