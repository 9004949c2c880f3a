/** Names that Kubernetes and links of Docker make of the name of a service, whatever the value. */
const BY_NAME =
  /^BACKSTEP(?:_[A-Z0-9_]+)?_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR|START|END))?)$/;

/** A name that a person could have meant for a setting; the value tells. */
const PORT = /^BACKSTEP(?:_[A-Z0-9_]+)?_PORT$/;
const PORT_VALUE = /^(?:tcp|udp|sctp):\/\//;

/** `<alias>_NAME=/<container>/<alias>`, and the variables of the linked container behind it. */
const LINK_NAME = /^BACKSTEP(?:_[A-Z0-9_]+)?_NAME$/;
const LINK_VALUE = /^\/[^/]+\/[^/]+$/;
const LINK_VARIABLE = /^(BACKSTEP(?:_[A-Z0-9_]+?)?)_ENV_/;

/**
 * Whether a variable tells of a service or container whose name begins with `backstep`, and not of
 * a setting: Kubernetes gives seven or more of these to each pod beside such a Service, and a link
 * of Docker gives similar ones. No setting has such a name.
 */
export function isServiceVariable(
  name: string,
  value: string,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (BY_NAME.test(name)) return true;
  if (PORT.test(name)) return PORT_VALUE.test(value);
  if (LINK_NAME.test(name)) return LINK_VALUE.test(value);
  const alias = LINK_VARIABLE.exec(name)?.[1];
  return alias !== undefined && LINK_VALUE.test(env[`${alias}_NAME`] ?? '');
}
