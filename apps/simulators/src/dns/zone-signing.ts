import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './daemon.js';

const ALGORITHM = 'ECDSAP256SHA256';

export interface SignedZone {
  file: string;
  /** Path of a file with the zone's DS record, which the parent zone publishes or a resolver trusts. */
  dsFile: string;
  dsRecord: string;
}

/** Signs a zone with a new key (DNSSEC, RFC 4035). @throws Error with the message of ldns. */
export function signZone(folder: string, zone: string, zoneFile: string): SignedZone {
  const run = (program: string, ...words: string[]) => runProgram(program, words, folder);
  const key = run('ldns-keygen', '-k', '-a', ALGORITHM, '-r', '/dev/urandom', zone);
  const file = `${zoneFile}.signed`;
  run('ldns-signzone', '-f', file, zoneFile, key);
  const dsFile = join(folder, `${key}.ds`);
  return { file, dsFile, dsRecord: readFileSync(dsFile, 'utf8').trim() };
}
