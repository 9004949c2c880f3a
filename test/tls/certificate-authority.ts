import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A certificate that is wanted. */
interface CertificateOrder {
  /** The common name of its subject; empty: none. Default: empty. */
  readonly commonName?: string;
  /** Its alternative names, as OpenSSL reads them: `URI:spiffe://a/b,DNS:c`. Default: none. */
  readonly names?: string;
  /** Days from now on; of a negative number it has expired. Default: 1. */
  readonly days?: number;
  /** Its extended key usage. Default: any. */
  readonly purpose?: 'clientAuth' | 'serverAuth';
}

/** A certificate with its key, as files and as what stands in them. */
export interface IssuedCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A certificate authority of a test, by OpenSSL's command line: Node signs no certificates. */
export class CertificateAuthority {
  private issued = 0;

  private constructor(
    private readonly folder: string,
    private readonly name: string,
    /** Its own certificate. */
    readonly cert: Buffer,
  ) {}

  /** Makes one whose files are in a folder, and begin with its name. */
  static async open(folder: string, name: string): Promise<CertificateAuthority> {
    const [certFile, keyFile] = filesIn(folder, name);
    await run('openssl', [
      ...['req', '-x509', ...NEW_KEY, '-keyout', keyFile, '-out', certFile],
      ...['-days', '2', '-subj', `/CN=${name}`],
    ]);
    return new CertificateAuthority(folder, name, await readFile(certFile));
  }

  /** Where its own certificate is, which a listener checks those of clients with. */
  get certFile(): string {
    return filesIn(this.folder, this.name)[0];
  }

  async issue(order: CertificateOrder): Promise<IssuedCertificate> {
    const { commonName = '', days = 1, names, purpose } = order;
    this.issued += 1;
    const [certFile, keyFile] = filesIn(this.folder, `${this.name}-${this.issued}`);
    const asked = `${certFile}.csr`;
    const [caFile, caKeyFile] = filesIn(this.folder, this.name);
    const extensions = [
      ...(names === undefined ? [] : ['-addext', `subjectAltName=${names}`]),
      ...(purpose === undefined ? [] : ['-addext', `extendedKeyUsage=${purpose}`]),
    ];
    const subject = commonName === '' ? '/' : `/CN=${commonName}`;
    await run('openssl', [
      ...['req', ...NEW_KEY, '-keyout', keyFile, '-out', asked, '-subj', subject],
      ...extensions,
    ]);
    await run('openssl', [
      ...['x509', '-req', '-in', asked, '-CA', caFile, '-CAkey', caKeyFile],
      ...['-days', String(days), '-copy_extensions', 'copy', '-out', certFile],
    ]);
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    return { certFile, keyFile, cert, key };
  }

  /** A certificate for a listener on 127.0.0.1. */
  issueForLoopback(): Promise<IssuedCertificate> {
    return this.issue({ commonName: 'localhost', names: 'IP:127.0.0.1,DNS:localhost' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** The files of a certificate and of its key. */
function filesIn(folder: string, name: string): readonly [string, string] {
  return [path.join(folder, `${name}.pem`), path.join(folder, `${name}.key`)];
}
