/** Faults of connections over TLS, by their code, else by the words of Node or of a driver. */
const FAULTS = {
  names: /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
  expired: /CERT_HAS_EXPIRED|certificate has expired/,
  early: /CERT_NOT_YET_VALID|certificate is not yet valid/,
  untrusted:
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|self-signed|unable to (?:verify the first|get local issuer)/,
  plain: /EPROTO|ERR_SSL|wrong version number|packet length too long/,
} as const;

/** A server that speaks TLS. */
interface TlsServer {
  /** As sentences name it: `the broker`. */
  readonly name: string;
  /** Advice for a port that speaks no TLS, as it goes on after a colon. */
  readonly instead: string;
}

/**
 * Advice on a connection that failed at TLS; null: it failed at something else. The error may have
 * the one of TLS as its cause.
 */
export function adviceOnTls(error: unknown, { instead, name }: TlsServer): string | null {
  const text = textOf(error);
  const advice: Readonly<Record<keyof typeof FAULTS, string>> = {
    names: `The certificate of ${name} is for other names: use one of them as the host.`,
    expired: `Renew the certificate of ${name}.`,
    early: `Check the clock of this machine, and the certificate of ${name}.`,
    untrusted: `Name the authority that signed the certificate of ${name} in NODE_EXTRA_CA_CERTS.`,
    plain: `The port does not speak TLS: ${instead}.`,
  };
  const faults = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
  const fault = faults.find((each) => FAULTS[each].test(text));
  return fault === undefined ? null : advice[fault];
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { cause, code, message } = error as NodeJS.ErrnoException;
  return `${code ?? ''} ${message}\n${textOf(cause)}`;
}
