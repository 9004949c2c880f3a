const EXPRESSION = /^(\s*\{%)([^]*)%\}\s*$/;

/** Whether a value of a template is an expression: a text that is `{% ... %}` from end to end. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && EXPRESSION.test(value);
}

/** An expression without its marks. */
export interface MarkedCode {
  /** The text between the marks. */
  readonly code: string;
  /** Where it begins in the text with its marks. */
  readonly start: number;
}

/** Takes the marks off; null: the text is no expression. */
export function takeMarksOff(text: string): MarkedCode | null {
  const [, opening = '', code = ''] = EXPRESSION.exec(text) ?? [];
  return opening === '' ? null : { code, start: opening.length };
}
