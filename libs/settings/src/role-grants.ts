import { type RoleGrant, ROLES } from '#ports';

const PATTERN = /^[A-Za-z0-9._*-]{1,100}$/;
const LABEL = /^label\.([^=:\s]{1,64}):(\S{1,255})$/;

/**
 * Grants with semicolons between them, as in `ops=operator flows:create-*,delete-* modules:mysql;
 * payments=starter label.team:payments`: a value of the claim, its role, and limits.
 */
export function parseGrants(text: string): readonly RoleGrant[] {
  const written = text.split(';').map((part) => part.trim());
  return written.filter((part) => part !== '').map((part) => grantOf(part));
}

function grantOf(text: string): RoleGrant {
  const [head = '', ...limits] = text.split(/\s+/);
  const at = head.lastIndexOf('=');
  const role = ROLES.find((known) => known === head.slice(at + 1));
  if (at < 1 || role === undefined) {
    throw wrong(text, `begins with <value>=<role>, the role one of ${ROLES.join(', ')}`);
  }
  const labels: Record<string, string> = {};
  const lists: Record<string, readonly string[]> = {};
  for (const limit of limits) {
    const [, name, value] = LABEL.exec(limit) ?? [];
    const [, kind, list] = /^(flows|modules):(.+)$/.exec(limit) ?? [];
    if (name !== undefined && value !== undefined) labels[name] = value;
    else if (kind !== undefined && list !== undefined) lists[kind] = patternsIn(list, text);
    else throw wrong(text, 'limits by flows:<names>, modules:<names> or label.<name>:<value>');
  }
  return {
    value: head.slice(0, at),
    role,
    flows: lists['flows'] ?? null,
    labels: Object.keys(labels).length === 0 ? null : labels,
    modules: lists['modules'] ?? null,
  };
}

function patternsIn(list: string, grant: string): readonly string[] {
  const patterns = list.split(',');
  if (patterns.every((pattern) => PATTERN.test(pattern))) return patterns;
  throw wrong(grant, 'has names with commas, in which * stands for any text');
}

function wrong(grant: string, rule: string): RangeError {
  return new RangeError(`the grant ${JSON.stringify(grant)} is not one: each ${rule}`);
}
