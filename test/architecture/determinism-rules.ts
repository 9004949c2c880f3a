import ts from 'typescript';
import { at, nodesOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** Where time and chance come from, and where real time is the subject. */
const FREE = /^(libs\/machine|libs\/testing|bench|bin|scripts|test|apps\/console\/src\/browser)\//;
const SLEEPS_ON_CLOCK = /^libs\/(core|ports|engine)\//;

const READS = /^(globalThis\.)?(Date\.now|Math\.random|performance\.now|process\.hrtime)$/;
const CHANCE = /^(randomUUID|randomBytes|randomInt|getRandomValues)$/;
/** Node 20 may collect them while a request waits: they never fire then. */
const LOST_SIGNALS = /^(globalThis\.)?AbortSignal\.(any|timeout)$/;
const TIMERS = /^(setTimeout|setInterval|setImmediate)$/;

/**
 * Time and chance are arguments: code that reads them itself cannot be replayed. Only the clock and
 * the entropy of libs/machine may, and the contracts of libs/testing, which run on real servers.
 */
export function hiddenInput(unit: SourceUnit): string[] {
  if (FREE.test(unit.path) || !/\.tsx?$/.test(unit.path)) return [];
  return nodesOf(unit.tree).flatMap((node) => {
    const found = readOf(node) ?? (SLEEPS_ON_CLOCK.test(unit.path) ? timerOf(node) : undefined);
    return found === undefined ? [] : [at(unit, node, `reads ${found}`)];
  });
}

function readOf(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const text = node.getText();
    if (READS.test(text) || LOST_SIGNALS.test(text)) return text;
    return CHANCE.test(node.name.text) && isCrypto(node.expression) ? text : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date') {
    return node.arguments?.length ? undefined : 'new Date()';
  }
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return 'Date()';
  return importedChance(node);
}

function isCrypto(node: ts.Expression): boolean {
  return /^(globalThis\.)?(crypto|webcrypto)$/.test(node.getText());
}

/** Named imports of chance, whatever they are called here; `uuid` is nothing but chance. */
function importedChance(node: ts.Node): string | undefined {
  if (ts.isImportSpecifier(node)) {
    const name = (node.propertyName ?? node.name).text;
    return CHANCE.test(name) ? name : undefined;
  }
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return undefined;
  return node.moduleSpecifier.text === 'uuid' ? 'uuid' : undefined;
}

function timerOf(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const called = node.expression.getText().replace(/^globalThis\./, '');
  return TIMERS.test(called) ? called : undefined;
}
