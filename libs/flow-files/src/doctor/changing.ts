import { type Action, isHttpRequest } from '#core';

/**
 * Words that commands begin with that change something. Others say nothing: a warning for each
 * check and each report would soon be overlooked.
 */
const CHANGING: ReadonlySet<string> = new Set(
  (
    'add allocate apply assign attach book cancel charge clean clear close commit configure create ' +
    'debit deduct delete deploy detach disable drop enable format grant import increase init ' +
    'initialize insert install launch migrate move open pay provision publish purge push put ' +
    'rebuild refund register release remove rename replace reserve reset resize restart restore ' +
    'revoke rotate scale send set ship start stop store submit subscribe terminate transfer ' +
    'unregister update upgrade upload write'
  ).split(' '),
);

/** Methods of HTTP that change nothing. */
const READING = /^(get|head|options)$/i;

/** Whether a command changes something outside, as far as its name tells. */
export function changesSomething(action: Action): boolean {
  const { command, parameters } = action;
  if (isHttpRequest(action)) {
    const method = parameters?.['method'];
    return typeof method === 'string' && /^[a-z]+$/i.test(method) && !READING.test(method);
  }
  const [first = ''] = command.split(/[-_.]|(?=[A-Z])/);
  return CHANGING.has(first.toLowerCase());
}
