import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The PEM files of a certificate for 127.0.0.1: its key, the certificate, and both in one file (`keyStoreFile`). */
export interface OwnCertificate {
  keyFile: string;
  certificateFile: string;
  keyStoreFile: string;
  /** The self-signed certificate in PEM. */
  authority: string;
}

/** Creates a certificate for 127.0.0.1 and, if given, a host name. The names of its files begin with `name`. */
export function makeOwnCertificate(folder: string, name: string, host?: string): OwnCertificate {
  const names = ['IP:127.0.0.1', ...(host === undefined ? [] : [`DNS:${host}`])].join();
  const [keyFile, certificateFile, keyStoreFile] = ['key', 'crt', 'pem'].map((end) =>
    join(folder, `${name}.${end}`),
  );
  execFileSync(
    'openssl',
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1
      -addext subjectAltName=${names} -keyout ${keyFile} -out ${certificateFile}`.split(/\s+/),
    { stdio: 'ignore' },
  );
  const authority = readFileSync(certificateFile, 'utf8');
  writeFileSync(keyStoreFile, readFileSync(keyFile, 'utf8') + authority, { mode: 0o600 });
  return { keyFile, certificateFile, keyStoreFile, authority };
}
