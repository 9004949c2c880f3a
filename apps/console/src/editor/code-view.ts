import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
  undo,
} from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  type StringStream,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { FlowProblem } from '../api/shapes.js';
import { THEME } from './code-theme.js';
import { offsetAt } from './read-text.js';
import type { Suggestion, Suggestions } from './suggest.js';

/** How a box for a text is made. */
interface CodePlan {
  readonly place: ShadowRoot;
  readonly text: string;
  /** For assistive technology. */
  readonly label: string;
  readonly description: string;
  readonly onChange: (text: string) => void;
  readonly suggest: (text: string, offset: number) => Suggestions | null;
}

/** A problem of the text, as the box marks it. */
export type Marked = FlowProblem & { readonly severity: 'error' | 'warning' };

/** A box for the text of a flow. */
export interface CodeView {
  readonly setText: (text: string) => void;
  /** Has another text by one change, which one undo takes back. */
  readonly change: (text: string) => void;
  /** Takes the last change back. */
  readonly takeBack: () => void;
  readonly mark: (problems: readonly Marked[]) => void;
  /** Shows what differs from another text within this one; null: shows nothing of the kind. */
  readonly compareWith: (other: string | null) => void;
  /** Puts the cursor at a line and column, both from 1. */
  readonly goTo: (line: number, column: number) => void;
  /** Puts the cursor at an offset. */
  readonly show: (offset: number) => void;
  readonly close: () => void;
}

/**
 * Puts what is typed in the place of a selection. A browser that does it itself keeps the look of
 * what it takes away by an inline style, which the policy of the page refuses.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    const text = event.data ?? '';
    if (event.inputType !== 'insertText' || empty || text === '' || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    return true;
  },
});

interface Reading {
  /** Open brackets. */
  depth: number;
  isInComment: boolean;
}

/** JSON with comments. A name is told from a text by the colon after it. */
const flowLanguage = StreamLanguage.define<Reading>({
  name: 'jsonc',
  startState: () => ({ depth: 0, isInComment: false }),
  copyState: (state) => ({ ...state }),
  token,
  indent: ({ depth }, after, { unit }) =>
    Math.max(0, depth - (/^\s*[\]}]/.test(after) ? 1 : 0)) * unit,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['[', '{', '"'] },
    indentOnInput: /^\s*[\]}]$/,
  },
});

/** Colours are those of the page, so that they follow its theme. */
const flowColours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--back)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** Opens a box. Its styles are sheets that are made by script, which the policy allows. */
export function openCodeView(plan: CodePlan): CodeView {
  const comparison = new Compartment();
  const view = new EditorView({
    root: plan.place,
    parent: plan.place,
    state: EditorState.create({
      doc: plan.text,
      extensions: [...extensionsFor(plan), comparison.of([])],
    }),
  });
  const show = (anchor: number): void => {
    view.dispatch({ selection: { anchor }, scrollIntoView: true });
    view.focus();
  };
  return {
    setText: (text) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    change: (text) => {
      const changes = changeOf(view.state.doc.toString(), text);
      view.dispatch({ changes, annotations: isolateHistory.of('full'), scrollIntoView: false });
    },
    takeBack: () => undo(view),
    mark: (problems) => {
      const text = view.state.doc.toString();
      const marks = problems.map((problem) => diagnosticOf(problem, text));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    compareWith: (other) => {
      const shown = other === null ? [] : unifiedMergeView({ original: other, ...QUIET });
      view.dispatch({ effects: comparison.reconfigure(shown) });
    },
    goTo: (line, column) => show(offsetAt(view.state.doc.toString(), line, column)),
    show,
    close: () => view.destroy(),
  };
}

/** The part of a text that differs, so that the cursor and what is marked elsewhere stay. */
function changeOf(old: string, text: string) {
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from += 1;
  let same = 0;
  while (same < most - from && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  return { from, to: old.length - same, insert: text.slice(from, text.length - same) };
}

const QUIET = { mergeControls: false, syntaxHighlightDeletions: false } as const;

function extensionsFor({ description, label, onChange, suggest }: CodePlan) {
  const source = (context: CompletionContext): CompletionResult | null =>
    resultOf(suggest(context.state.doc.toString(), context.pos), context);
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    typedOver,
    highlightSelectionMatches(),
    autocompletion({ override: [source], icons: false }),
    flowLanguage,
    syntaxHighlighting(flowColours),
    THEME,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-description': description,
      tabindex: '0',
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
    keymap.of([
      { key: 'Tab', run: acceptCompletion },
      ...completionKeymap,
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ];
}

function resultOf(
  found: Suggestions | null,
  { explicit, pos }: CompletionContext,
): CompletionResult | null {
  if (found === null) return null;
  const { from, items, to, typedFrom } = found;
  // Unasked, only a person who has begun a word or a text is helped.
  if (!explicit && from === pos) return null;
  return {
    from: typedFrom,
    options: items.map((item) => completionOf(item, from, Math.max(0, to - pos))),
  };
}

function completionOf(item: Suggestion, start: number, after: number): Completion {
  return {
    label: item.label,
    info: item.about,
    apply: (...[view, , , to]) => {
      const end = Math.min(view.state.doc.length, to + after);
      const anchor = start + item.text.length - item.back;
      view.dispatch({
        changes: { from: start, to: end, insert: item.text },
        selection: { anchor },
        userEvent: 'input.complete',
      });
    },
  };
}

/** The word at the place of a problem, or the rest of its line. */
function diagnosticOf({ code, column, hint, line, message, severity }: Marked, text: string) {
  const from = offsetAt(text, line, column);
  const word = /^("(?:[^"\\\n]|\\.)*"?|[\w.+-]+|.)/.exec(text.slice(from, from + 200));
  const diagnostic: Diagnostic = {
    from,
    to: Math.min(text.length, from + (word?.[0].length ?? 0)),
    severity,
    message: `${message} ${hint}`,
    source: code,
  };
  return diagnostic;
}

function token(stream: StringStream, state: Reading): string | null {
  if (state.isInComment) return comment(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match('//')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match('/*')) {
    state.isInComment = true;
    return comment(stream, state);
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) {
    return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
  }
  if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
  if (stream.match(/^(true|false)\b/)) return 'bool';
  if (stream.match(/^null\b/)) return 'null';
  const next = stream.next() ?? '';
  if (next === '{' || next === '[') state.depth += 1;
  if (next === '}' || next === ']') state.depth = Math.max(0, state.depth - 1);
  return '{}[],:'.includes(next) ? 'punctuation' : 'invalid';
}

function comment(stream: StringStream, state: Reading): string {
  if (stream.match(/^.*?\*\//)) state.isInComment = false;
  else stream.skipToEnd();
  return 'comment';
}
