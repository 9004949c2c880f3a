import ts from 'typescript';
import { at, isSpec, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** The one file of the gateway through which callers act on tasks. */
const GATE = 'apps/oss/src/access/may-act.ts';

/** Members of the engine that act on a task, or try that out. */
const ACTS: ReadonlySet<string> = new Set(['foresee', 'operate']);

/** Makes the request that starts a task again. */
const ANEW = 'requestAnew';

/** Places of the gateway that act on a task and go past its gate. */
export function actPastGate(unit: SourceUnit): string[] {
  const isOther = !unit.path.startsWith('apps/oss/src/') || unit.path === GATE || isSpec(unit);
  if (isOther) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    const found = actAt(node);
    return found === undefined ? [] : [at(unit, node, `acts on a task by ${found}`)];
  });
}

function actAt(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && node.expression.getText() === ANEW) return ANEW;
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return isEngine(node.expression) ? nameOf(node) : undefined;
  }
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return undefined;
  const { initializer } = node;
  const names = node.name.elements.map((element) =>
    (element.propertyName ?? element.name).getText(),
  );
  return initializer && isEngine(initializer) ? names.find((name) => ACTS.has(name)) : undefined;
}

function nameOf(
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
): string | undefined {
  const name = ts.isPropertyAccessExpression(node) ? node.name.text : textOf(node);
  return ACTS.has(name) ? name : undefined;
}

function textOf({ argumentExpression: text }: ts.ElementAccessExpression): string {
  return ts.isStringLiteralLike(text) ? text.text : '';
}

/** Whether a value is the engine, by its name. */
function isEngine(expression: ts.Expression): boolean {
  return /(^|\.)engine!?$/.test(expression.getText());
}

/** Methods of stores that write what people store under a name. */
const CHANGES: ReadonlySet<string> = new Set(['putFlow', 'retireFlow']);

/** Methods that write records of the kinds that people store. */
const RECORD_CHANGE = /\b(commandDefaults|drills|notifications|records|schedules)!?\.(put|remove)$/;

/** Calls of the gate of changes. */
const ASKED = /\b(expectMayChange|whyNotChange)\(/;

/** Writes down that a schedule was started by hand, which is a start and no change of it. */
const NOTED = 'apps/oss/src/schedules/schedules.controller.ts';

/** Places of the gateway that change a record in a file that does not ask who may. */
export function changePastGate(unit: SourceUnit): string[] {
  const isOther = !unit.path.startsWith('apps/oss/src/') || unit.path === NOTED || isSpec(unit);
  if (isOther || ASKED.test(unit.text)) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    const called = node.expression.getText();
    const isChange = CHANGES.has(node.expression.name.text) || RECORD_CHANGE.test(called);
    return isChange ? [at(unit, node, `changes a record by ${called}`)] : [];
  });
}
