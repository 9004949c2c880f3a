import { inspect } from 'node:util';

const MASK = '***';

/** The password in the server's URL, which must never stand in a message or a log. */
export class Secret {
  private readonly forms: readonly string[];

  constructor(url: string) {
    this.forms = formsOf(passwordIn(url));
  }

  /** The text without the password. */
  mask(text: string): string {
    return this.forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
  }

  /** Whether logging this error could show the password. */
  isIn(error: unknown): boolean {
    if (this.forms.length === 0) return false;
    const shown = inspect(error, { depth: 6, showHidden: false });
    return this.forms.some((form) => shown.includes(form));
  }
}

/** As written in the URL, where it may be percent-encoded. */
function passwordIn(url: string): string {
  const [, userInfo = ''] = /^[^:]+:\/\/(?:([^/?]*)@)?/.exec(url) ?? [];
  const colon = userInfo.indexOf(':');
  return colon < 0 ? '' : userInfo.slice(colon + 1);
}

function formsOf(password: string): readonly string[] {
  if (password === '') return [];
  try {
    return [...new Set([password, decodeURIComponent(password)])];
  } catch {
    return [password];
  }
}
