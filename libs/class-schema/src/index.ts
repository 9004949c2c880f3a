export {
  isCondition,
  isDemanding,
  isOptionalRule,
  orNull,
  type Rule,
  rulesByMember,
  type Schema,
  schemaOfRules,
} from './member-rules.js';
