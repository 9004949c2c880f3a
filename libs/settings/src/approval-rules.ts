import { type ApprovalRule, OPERATION_ACTIONS, type OperationAction } from '#ports';

const PATTERN = /^[A-Za-z0-9._*-]{1,100}$/;
const RULE = /^(.+?)\s+on\s+(.+?)\s+needs\s+two$/i;
const FORM = 'each is like `terminate, skip on create-* needs two`';

/**
 * Rules with semicolons between them: `terminate, skip on create-* needs two; undo on * needs two`.
 * Throws a `RangeError` that names the rule that is none.
 */
export function parseApprovals(text: string): readonly ApprovalRule[] {
  const written = text.split(';').map((part) => part.trim().replaceAll(/\s+/g, ' '));
  const rules = written.filter((part) => part !== '').map((part) => ruleOf(part));
  if (rules.length === 0) throw new RangeError(`has no rule: ${FORM}`);
  return rules;
}

function ruleOf(text: string): ApprovalRule {
  const [, actions, flows] = RULE.exec(text) ?? [];
  if (actions === undefined || flows === undefined) {
    throw new RangeError(`the rule ${JSON.stringify(text)} cannot be read: ${FORM}`);
  }
  return {
    text,
    actions: partsOf(actions).map((action) => actionOf(action, text)),
    flows: partsOf(flows).map((flow) => patternOf(flow, text)),
  };
}

function partsOf(list: string): readonly string[] {
  return list.split(',').map((part) => part.trim());
}

function actionOf(text: string, rule: string): OperationAction {
  const action = OPERATION_ACTIONS.find((known) => known === text);
  if (action !== undefined) return action;
  const known = OPERATION_ACTIONS.join(', ');
  throw new RangeError(`the rule ${JSON.stringify(rule)} has no action "${text}": one of ${known}`);
}

function patternOf(text: string, rule: string): string {
  if (PATTERN.test(text)) return text;
  throw new RangeError(
    `the rule ${JSON.stringify(rule)} has no flow "${text}": a name, in which * stands for any text`,
  );
}
