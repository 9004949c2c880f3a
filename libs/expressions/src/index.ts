export type { ExpressionNames, MembersRead, NameUse } from './expression-names.js';
export { expressionsIn, type PlacedExpression } from './expressions-in.js';
export { listedVariables } from './listed-variables.js';
export { isExpression } from './marks.js';
export {
  EXPRESSION_LENGTH_MAX,
  type ExpressionFault,
  type ParsedExpression,
  parseExpression,
} from './parse-expression.js';
export { EvaluatorUnavailable } from './evaluation/errors.js';
export {
  ExpressionEvaluator,
  type ExpressionEvaluatorOptions,
} from './evaluation/expression-evaluator.js';
