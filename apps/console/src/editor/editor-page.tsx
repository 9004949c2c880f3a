import './editor.css';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import { Moment } from '../ui/moment.js';
import { AwayNotice, RefusalNotice } from '../ui/notices.js';
import { PageHead } from '../ui/page-head.js';
import { usePaced } from '../ui/polled.js';
import { WORDS } from '../words.js';
import { EDITOR } from '../words/editor.js';
import { CodeBox } from './code-box.js';
import type { CodeView } from './code-view.js';
import { DraftDrawing } from './draft-drawing.js';
import { flowText, laidOut, NEW_FLOW } from './flow-text.js';
import { PlanPanel } from './plan-panel.js';
import { ProblemList } from './problem-list.js';
import { PublishDialog } from './publish-dialog.js';
import { readText } from './read-text.js';
import type { Known } from './suggest.js';
import { useCheck } from './use-check.js';
import { type Published, type Typing, useDraft } from './use-draft.js';

/** Another person may publish a version meanwhile. */
const EVERY_MS = 10_000;

const NEW: Published = { version: null, text: NEW_FLOW, file: null };

interface EditorPageProps {
  /** Of the flow; empty: it has no name yet. */
  readonly name: string;
}

const NOTHING: Known = { commands: new Map(), flows: [] };

/** Writes a flow: its text, what is wrong with it, its drawing and its plan. */
export function EditorPage({ name }: EditorPageProps): JSX.Element {
  const ask = async (signal: AbortSignal): Promise<Published> => {
    if (name === '') return NEW;
    const flow = await api.flow(name, null, signal);
    const { file = null, version } = flow;
    const source = await api.source(name, version, signal);
    return { version, text: source === null ? flowText(flow) : laidOut(source), file };
  };
  const [wish, setWish] = useState(0);
  const pace = { everyMs: EVERY_MS, wish };
  const { isAway, refusal, value } = usePaced(`edit ${name}`, ask, pace);
  return (
    <>
      <PageHead title={name === '' ? WORDS.flows.newFlow : `${EDITOR.editOf} ${name}`} />
      <AwayNotice isAway={isAway} />
      {refusal && <RefusalNotice refusal={refusal} />}
      {value === null && !refusal && <p class="faint">{WORDS.loading}</p>}
      {value !== null && (
        <Workbench name={name} published={value} onLook={() => setWish(wish + 1)} />
      )}
    </>
  );
}

interface WorkbenchProps extends EditorPageProps {
  readonly published: Published;
  /** Asks for the newest version now. */
  readonly onLook: () => void;
}

function Workbench({ name, onLook, published }: WorkbenchProps): JSX.Element {
  const { route } = useLocation();
  const typing = useDraft(name, published);
  const { may } = useRights();
  const view = useRef<CodeView | null>(null);
  const known = useKnown();
  const [isPublishing, setPublishing] = useState(false);
  const read = useMemo(() => readText(typing.settled), [typing.settled]);
  const discard = (): void => {
    view.current?.setText(published.text);
    typing.rebase(published.version);
    typing.drop();
  };
  const onPublished = (as: string): void => {
    typing.drop();
    route(`/console/flows/${encodeURIComponent(as)}`);
  };
  const close = (): void => {
    setPublishing(false);
    onLook();
  };
  const isFree = published.file === null;
  return (
    <>
      <Notices {...{ published, typing }} onDiscard={discard} />
      <div class="editor-columns">
        <TextPanel
          {...{ name, published, typing, view, known }}
          onPublish={() => setPublishing(true)}
        />
        <DraftDrawing {...{ read, typing, view, known }} />
      </div>
      {may('author') && <PlanPanel text={typing.now} />}
      {isPublishing && (
        <PublishDialog
          name={isFree ? name : ''}
          text={typing.now()}
          version={isFree ? typing.base : null}
          onClose={close}
          onPublished={onPublished}
        />
      )}
    </>
  );
}

interface TextPanelProps extends EditorPageProps {
  readonly published: Published;
  readonly typing: Typing;
  readonly view: { current: CodeView | null };
  readonly known: Known;
  readonly onPublish: () => void;
}

/** The box for the text, what can be done with it, and what is wrong with it. */
function TextPanel({
  known,
  name,
  onPublish,
  published,
  typing,
  view,
}: TextPanelProps): JSX.Element {
  const [isCompared, compare] = useState(false);
  const { may } = useRights();
  const check = useCheck(name, typing.settled);
  const isBroken = !check.isChecking && check.problems.some(({ severity }) => severity === 'error');
  useEffect(() => view.current?.mark(check.problems), [check.problems]);
  useEffect(
    () => view.current?.compareWith(isCompared ? published.text : null),
    [isCompared, published.text],
  );
  const onOpen = (opened: CodeView): void => {
    view.current = opened;
  };
  return (
    <section class="panel" aria-label={EDITOR.text}>
      <CodeBox text={typing.first} known={known} onChange={typing.type} onOpen={onOpen} />
      <p class="faint editor-keys">{EDITOR.keys}</p>
      {isCompared && <p class="faint">{EDITOR.compared}</p>}
      <div class="buttons">
        {published.version !== null && (
          <button type="button" aria-pressed={isCompared} onClick={() => compare(!isCompared)}>
            {EDITOR.compare}
          </button>
        )}
        {may('author') && (
          <button
            type="button"
            class="main"
            disabled={isBroken}
            {...(isBroken && { title: EDITOR.brokenText })}
            onClick={onPublish}>
            {EDITOR.publish}
          </button>
        )}
      </div>
      <ProblemList check={check} onPick={({ column, line }) => view.current?.goTo(line, column)} />
    </section>
  );
}

interface NoticesProps {
  readonly published: Published;
  readonly typing: Typing;
  readonly onDiscard: () => void;
}

/** Where the flow comes from, and what became of it since the author began. */
function Notices({ onDiscard, published, typing }: NoticesProps): JSX.Element {
  const { file, version } = published;
  const { base, draftAt, isKept, rebase } = typing;
  const words = EDITOR;
  return (
    <>
      {file !== null && (
        <p class="notice">
          <span>
            {`${words.file} `}
            <code>{file}</code>
            {`. ${words.fileWins}`}
          </span>
        </p>
      )}
      {draftAt !== null && (
        <div class="notice">
          <p>
            {`${words.draft} `}
            <Moment at={Math.floor(draftAt / 1_000)} />
            {'. '}
            <button type="button" class="link" title={words.discardMeans} onClick={onDiscard}>
              {words.discard}
            </button>
          </p>
        </div>
      )}
      <div role="status">
        {base !== version && (
          <p class="notice notice-bad">
            <span>
              {`${words.version} ${version} ${words.moved} `}
              <button type="button" class="link" onClick={() => rebase(version)}>
                {`${words.goOn} ${version}`}
              </button>
            </span>
          </p>
        )}
        {!isKept && <p class="notice notice-bad">{words.notKept}</p>}
      </div>
    </>
  );
}

/** The commands that executors announce, and the names of flows. Empty until they are there. */
function useKnown(): Known {
  const [known, set] = useState(NOTHING);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      const [executors, flows, defaults] = await Promise.all([
        api.executors(signal),
        api.flows(signal),
        api.commandDefaults(signal),
      ]);
      const commands = executors.items.flatMap(({ commands: own, module }) =>
        own.map(({ name, parameters }) => [`${module}.${name}`, parameters] as const),
      );
      const undos = defaults.items.flatMap(({ command, module, rollback }) =>
        rollback
          ? [[`${module}.${command}`, `${rollback.module}.${rollback.command}`] as const]
          : [],
      );
      const names = flows.items.map(({ name }) => name);
      set({ commands: new Map(commands), flows: names, undos: new Map(undos) });
    };
    // Without it, names are typed in full.
    read().catch(() => {});
    return () => controller.abort();
  }, []);
  return known;
}
