import type { JSX } from 'preact';
import type { Executors } from '../api/shapes.js';
import { Head } from '../pages/listed-page.js';
import { Icon } from '../ui/icons.js';
import { LoadingRows } from '../ui/loading-rows.js';
import { WORDS } from '../words.js';
import { FlowLinks } from './flow-links.js';

/** Modules of a small set-up. */
const LOADING = 4;

interface FiguresProps {
  /** Null: they are not there yet. */
  readonly executors: Executors | null;
}

/** A module, and who serves it. */
interface ServedModule {
  readonly name: string;
  /** Processes that give signs of life. */
  readonly alive: number;
  /** Processes that owe one. */
  readonly silent: number;
  readonly busy: number;
  readonly slots: number;
  /** Of a module that nobody serves: the flows that need it. */
  readonly flows: readonly string[];
}

type Process = Pick<Executors['items'][number], 'busy' | 'module' | 'silentSince' | 'slots'>;

interface Seen {
  readonly items: readonly Process[];
  readonly unserved: Executors['unserved'];
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

/** Modules that executors serve or flows need, those that nobody serves first. */
export function servedModules({ items: executors, unserved }: Seen): readonly ServedModule[] {
  const names = new Set([...executors, ...unserved].map(({ module }) => module));
  const found = [...names].sort().map((name) => {
    const own = executors.filter(({ module }) => module === name);
    const alive = own.filter(({ silentSince }) => silentSince === null);
    return {
      name,
      alive: alive.length,
      silent: own.length - alive.length,
      busy: sum(alive.map(({ busy }) => busy)),
      slots: sum(alive.map(({ slots }) => slots)),
      flows: unserved.find(({ module }) => module === name)?.flows ?? [],
    };
  });
  return [...found.filter(isUnserved), ...found.filter((module) => !isUnserved(module))];
}

/** Whether tasks of some flow would wait for the module. */
export function isUnserved({ alive, flows }: ServedModule): boolean {
  return alive === 0 && flows.length > 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
