import type { JSX } from 'preact';
import { api } from '../api/client.js';
import type { Executor } from '../api/shapes.js';
import { secondsOf } from '../ui/durations.js';
import { FlowLinks } from '../overview/flow-links.js';
import { Icon } from '../ui/icons.js';
import { LongText } from '../ui/long-text.js';
import { Moment } from '../ui/moment.js';
import { usePolled } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { DrainButton } from './drain-button.js';
import { Head, ListedPage } from './listed-page.js';
import { attemptsOn, RunningAttempts } from './running-attempts.js';

/** Which processes serve which module. */
export function ExecutorsPage(): JSX.Element {
  const { about, none } = WORDS.executors;
  const { value } = usePolled('unserved', (signal) => api.executors(signal), EVERY_MS);
  const below = <RunningAttempts />;
  return (
    <ListedPage name="executors" show={executorTable} {...{ about, below, none }}>
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

function executorTable(executors: readonly Executor[]): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.executors}>
      <Head columns={WORDS.executors.columns} />
      <tbody>
        {executors.map((executor) => (
          <Row key={`${executor.module} ${executor.instance}`} executor={executor} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ executor }: { readonly executor: Executor }): JSX.Element {
  const { build, busy, commands, host, instance, lastSeen, module, silentSince, since, slots } =
    executor;
  const share = `${WORDS.executors.busy} ${module}`;
  const inUse = `${busy} / ${slots}`;
  return (
    <tr>
      <td class="cell-name">
        <bdi>{module}</bdi>
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

/** The version of a worker's record is that of the gateway that it polls: its library counts. */
function programOf({ version, worker }: Executor): string {
  if (worker === null) return `${WORDS.product} ${version}`;
  return worker.sdk ?? WORDS.executors.overHttp;
}
