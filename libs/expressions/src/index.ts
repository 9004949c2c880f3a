export { BoundedProcess } from './bounded/bounded-process.js';
export { watchOwnTime } from './bounded/own-time.js';
export type { NameUse, StepUse } from './expression-names.js';
export type { PickedPart } from './picked-parts.js';
export { listedVariables } from './known-variables.js';
export { expressionsIn, isExpression } from './marks.js';
export {
  type ExpressionFault,
  type ParsedExpression,
  parseExpression,
} from './parse-expression.js';
export { ExpressionEvaluator } from './evaluation/expression-evaluator.js';
