import { below, clip, isObject, listIn, textIn } from '../source.js';
import { type Step, STEPS_MAX } from '../step.js';
import { readRule } from './choice-rule.js';
import { unwritten } from '../code.js';
import { CATCHING, catchClauses } from './catching.js';

import { knownAfter, sightOf } from './document.js';
import { failStep, passStep } from './end-steps.js';
import { joinCases, joinCaught, RESULT, type Walked } from './joining.js';
import { mapStep, parallelStep } from './nested-step.js';
import type { Known, Scope } from './scope.js';
import { END, type State, type Stop } from './state-graph.js';
import { type Made, taskStep, waitStep } from './task-step.js';
import { type Sight, writeCode, writeData } from './values.js';

/** Which states become a list of steps. */
export interface Way {
  readonly from: Stop;
  /** The state before which the list ends. */
  readonly to: Stop;
  /** Whether the end of the machine is written as one that ends the task early. */
  readonly isEarly?: boolean | undefined;
}

/** The steps of a way through a machine, and what is known behind them. */
function walk(scope: Scope, way: Way, start: Known): Walked {
  const steps: Step[] = [];
  let known = start;
  let at = way.from;
  while (at !== way.to && at !== END) {
    const state = scope.graph.state(at);
    const name = begin(state, scope);
    if (scope.graph.isEarlyEnd(state)) {
      steps.push(succeedStep(name, knownAtEnd(state, scope, known), scope));
      return { steps, known: null };
    }
    if (state.type === 'Fail') {
      steps.push(failStep(state, name, sightOf(state, scope, known)));
      return { steps, known: null };
    }
    const next: Passed =
      state.type === 'Choice'
        ? choose(state, name, { scope, known })
        : pass(state, name, { scope, known });
    steps.push(...next.steps);
    if (next.known === null) return { steps, known: null };
    known = next.known;
    at = next.at;
  }
  if (way.isEarly !== true) return { steps, known };
  steps.push(succeedStep(scope.names.make('done'), known, scope));
  return { steps, known: null };
}

/** All states of a branch or of a map. */
export function walkAll(scope: Scope, known: Known): Walked {
  const walked = walk(scope, { from: scope.graph.start, to: END }, known);
  if (walked.steps.length === 0) walked.steps.push(nothing(scope));
  return walked;
}

interface Place {
  readonly scope: Scope;
  readonly known: Known;
}

interface Passed extends Walked {
  readonly at: Stop;
}

/** The name of the next step. */
function begin(state: State, { copies, names, target }: Scope): string {
  const count = copies.get(state.pointer) ?? 0;
  copies.set(state.pointer, count + 1);
  const total = [...copies.values()].reduce((sum, each) => sum + each, 0);
  if (total > STEPS_MAX) {
    const message = `The flow would have more than ${STEPS_MAX} steps.`;
    target.notes.refuse(state.pointer, 'TOO_LARGE', message);
  }
  if (count === 0) return names.take(state.name, state.pointer);
  const message = `Several branches reach \`${clip(state.name)}\`: it is copied into each branch.`;
  target.notes.add(state.pointer, 'STATE_COPIED', message);
  return names.make(state.name);
}

function choose(state: State, name: string, { known, scope }: Place): Passed {
  const sight = sightOf(state, scope, known);
  const here: Known = { ...known, data: sight.known.data };
  const join = scope.graph.joinOf(state.name);
  const walkTo = (target: string | undefined): Walked => {
    const from = target ?? END;
    return walk(scope, { from, to: join ?? END }, here);
  };
  const whens: string[] = [];
  const cases = listIn(state.value, 'Choices').map((rule, n) => {
    const pointer = below(below(state.pointer, 'Choices'), n);
    whens.push(whenOf(rule, pointer, sight));
    return walkTo(textIn(rule, 'Next'));
  });
  const fallback = textIn(state.value, 'Default');
  const message = `No choice of ${name} matched.`;
  const unmatched: Step = {
    name: scope.names.make(`${name}-unmatched`),
    fail: { code: 'NO_CHOICE_MATCHED', message },
  };
  const otherwise = fallback === undefined ? { steps: [unmatched], known: null } : walkTo(fallback);
  if (cases.length === 0 || cases.length > 100) {
    scope.target.notes.refuse(
      state.pointer,
      'NOT_THE_FORMAT',
      '`Choices` must have 1 to 100 rules.',
    );
  }
  const after = joinCases(name, here, { cases: [...cases, otherwise], scope });
  const choice = cases.map(({ steps }, n) => {
    return { when: whens[n] ?? '', steps: steps.length === 0 ? [nothing(scope)] : steps };
  });
  const rest = otherwise.steps.length === 0 ? {} : { otherwise: otherwise.steps };
  return { steps: [{ name, choice, ...rest }], known: after, at: join ?? END };
}

function whenOf(rule: unknown, pointer: string, sight: Sight): string {
  const value = rule as State['value'];
  const code = isObject(value) ? readRule(value, sight, pointer) : null;
  if (code !== null) return writeCode(code, sight, pointer);
  const message = 'This rule could not be translated. Write it as JSONata.';
  sight.scope.target.notes.add(pointer, 'EXPRESSION_NOT_CARRIED', message);
  return writeCode(unwritten(JSON.stringify(rule)), sight, pointer);
}

function pass(state: State, name: string, { known, scope }: Place): Passed {
  const sight = sightOf(state, scope, known);
  const made = make(state, name, sight);
  const after = knownAfter(state, sight, { known, result: made.result });
  const before = made.before === undefined ? [] : [made.before];
  const next = textIn(state.value, 'Next') ?? END;
  if (!CATCHING.has(state.type) || listIn(state.value, 'Catch').length === 0) {
    return { steps: [...before, made.step], known: after, at: next };
  }
  const { caught, clauses } = catchClauses(state, name, { scope, known, next, walk });
  const joined = joinCaught(name, after, { caught, scope });
  const step = { ...made.step, catch: clauses() } as Step;
  return { steps: [...before, step], known: joined, at: next };
}

function make(state: State, name: string, sight: Sight): Made {
  switch (state.type) {
    case 'Task':
      return taskStep(state, name, sight);
    case 'Parallel':
      return parallelStep(state, name, { ...sight, walk: walkAll });
    case 'Map':
      return mapStep(state, name, { ...sight, walk: walkAll });
    case 'Wait':
      return { step: waitStep(state, name, sight), result: sight.known.data };
    default:
      return passStep(state, name, sight);
  }
}

function knownAtEnd(state: State, scope: Scope, known: Known): Known {
  const sight = sightOf(state, scope, known);
  return knownAfter(state, sight, { known, result: sight.known.data });
}

function succeedStep(name: string, { data }: Known, scope: Scope): Step {
  const output = writeData(data, { scope }, '');
  return { name, succeed: { output: scope.execution === null ? { [RESULT]: output } : output } };
}

/** A list has a step at least. */
function nothing({ names }: Scope): Step {
  const name = names.make('nothing');
  return { name, set: { [name]: true } };
}
