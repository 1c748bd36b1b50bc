import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';

/** A certificate authority that signs the certificates of services with OpenSSL, as cert-manager does in a cluster. */
export class OwnAuthority {
  private readonly key: string;
  private readonly certificate: string;

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    [this.key, this.certificate] = ['authority.key', 'authority.crt'].map((n) => join(folder, n));
    openssl(
      `req -x509 ${KEY} -days 2 -subj /CN=authority -keyout ${this.key} -out ${this.certificate}`,
    );
  }

  get text(): string {
    return readFileSync(this.certificate, 'utf8');
  }

  /** Writes ca.crt, tls.crt and tls.key for a name, replacing each file atomically. @returns their folder. */
  issue(name: string, into = join(this.folder, name)): string {
    mkdirSync(into, { recursive: true });
    const at = (file: string) => join(this.folder, file);
    openssl(`req ${KEY} -subj /CN=${name} -keyout ${at('tls.key')} -out ${at('request')}`);
    writeFileSync(at('names'), `subjectAltName=DNS:${name}\n`);
    const signer = `-CA ${this.certificate} -CAkey ${this.key} -CAcreateserial`;
    openssl(
      `x509 -req -in ${at('request')} ${signer} -days 1 -extfile ${at('names')} -out ${at('tls.crt')}`,
    );
    copyFileSync(this.certificate, at('ca.crt'));
    for (const file of ['ca.crt', 'tls.crt', 'tls.key']) renameSync(at(file), join(into, file));
    return into;
  }
}

function openssl(line: string): void {
  execFileSync('openssl', line.split(' '), { stdio: 'ignore' });
}
