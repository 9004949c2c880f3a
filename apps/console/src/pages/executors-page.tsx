import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Executor, ModuleLimit } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { FlowLinks } from '../overview/flow-links.js';
import { Icon } from '../ui/icons.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { usePaced, usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { DrainButton } from './drain-button.js';
import { Head } from '../ui/table-head.js';
import { ListedPage } from './listed-page.js';
import { ModuleLimits } from './module-limits.js';
import { attemptsOn, RunningAttempts } from './running-attempts.js';

/** Which processes serve which module. */
export function ExecutorsPage(): JSX.Element {
  const { about, none } = WORDS.executors;
  const { value } = usePolled('unserved', (signal) => api.executors(signal), EVERY_MS);
  const { limits, refresh } = useLimits();
  const below = (
    <>
      <ModuleLimits {...{ limits, refresh }} />
      <RunningAttempts />
    </>
  );
  const show = (executors: readonly Executor[]): JSX.Element =>
    executorTable(executors, limits ?? []);
  return (
    <ListedPage name="executors" {...{ about, below, none, show }}>
      {(value?.unserved ?? []).map(({ flows, module }) => (
        <Missing key={module} what={module} words={WORDS.modules.unserved} flows={flows} />
      ))}
      {(value?.unservedCommands ?? []).map(({ command, flows, module }) => {
        const what = `${module}.${command}`;
        return <Missing key={what} words={WORDS.modules.noCommand} {...{ what, flows }} />;
      })}
    </ListedPage>
  );
}

/** The limits of modules as they are now, and a function that asks for them at once. */
function useLimits() {
  const [wish, setWish] = useState(0);
  const { value } = usePaced('limits', (signal) => api.limits(signal), { everyMs: EVERY_MS, wish });
  return { limits: value, refresh: () => setWish((before) => before + 1) };
}

interface MissingProps {
  readonly what: string;
  readonly words: string;
  readonly flows: readonly string[];
}

/** A module or a command that tasks of flows wait for. */
function Missing({ flows, what, words }: MissingProps): JSX.Element {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="alert" />
      <p>
        <b>{what}</b>
        {`: ${words} `}
        <FlowLinks flows={flows} />
      </p>
    </div>
  );
}

const EVERY_MS = 5_000;

function executorTable(
  executors: readonly Executor[],
  limits: readonly ModuleLimit[],
): JSX.Element {
  const limitOf = new Map(limits.map((limit) => [limit.module, limit]));
  return (
    <table class="rows lists" aria-label={WORDS.pages.executors}>
      <Head columns={WORDS.executors.columns} />
      <tbody>
        {executors.map((executor) => (
          <Row
            key={`${executor.module} ${executor.instance}`}
            executor={executor}
            limit={limitOf.get(executor.module)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly executor: Executor;
  /** Of its module; undefined: there is none. */
  readonly limit: ModuleLimit | undefined;
}

function Row({ executor, limit }: RowProps): JSX.Element {
  const { build, busy, commands, host, instance, lastSeen, module, silentSince, since, slots } =
    executor;
  const share = `${WORDS.executors.busy} ${module}`;
  const inUse = `${busy} / ${slots}`;
  return (
    <tr>
      <td class="cell-name">
        <bdi>{module}</bdi>
        {limit !== undefined && <div class="faint">{limitText(limit)}</div>}
      </td>
      <td class="cell-busy">
        <meter min={0} max={slots} value={busy} aria-label={share} />{' '}
        {busy > 0 ? <a href={attemptsOn(instance)}>{inUse}</a> : inUse}
      </td>
      <td>
        <LongText text={commands.map(({ name }) => name).join(', ')} />
      </td>
      <td>
        {instance}
        {build !== null && <div>{build}</div>}
        <div class="faint">{[host, programOf(executor)].filter(Boolean).join(', ')}</div>
        <DrainButton executor={executor} />
      </td>
      <td class="cell-time" data-name={WORDS.executors.columns[4]}>
        <Moment at={secondsOf(since)} />
      </td>
      <td class="cell-time" data-name={WORDS.executors.columns[5]}>
        <Moment at={secondsOf(lastSeen)} />
        {silentSince !== null && (
          <div class="faint">
            {WORDS.executors.silent} <Moment at={secondsOf(silentSince)} />
          </div>
        )}
      </td>
    </tr>
  );
}

/** How many actions of the module run in all processes and wait: `4 of 10, 2 wait`. */
function limitText({ maxConcurrency, ratePerSecond, running, waiting }: ModuleLimit): string {
  const { rate, running: runs, waiting: waits } = WORDS.limits;
  return [
    ...(maxConcurrency === null ? [] : [runs(running ?? 0, maxConcurrency)]),
    ...(ratePerSecond === null ? [] : [rate(ratePerSecond)]),
    ...(waiting === 0 ? [] : [waits(waiting)]),
  ].join(', ');
}

/** The version of a worker's record is that of the gateway that it polls: its library counts. */
function programOf({ version, worker }: Executor): string {
  if (worker === null) return `${WORDS.product} ${version}`;
  return worker.sdk ?? WORDS.executors.overHttp;
}
