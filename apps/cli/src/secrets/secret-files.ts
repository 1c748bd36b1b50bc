import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  auditorRole,
  derivedRolePassword,
  maintenanceRole,
  serviceRole,
  SCHEMA_SERVICES,
} from '#libs/database';
import { PairSecrets, type ServiceName } from '#libs/platform';

/** Nobody else enters the folder. */
const FOLDER_MODE = 0o700;
/** A container's user must be able to read what is mounted into it, whatever its number. */
const FILE_MODE = 0o644;

/** Each gets a file with what it calls and is called with (`PairSecrets`). */
const CALLING_SERVICES: ServiceName[] = ['gateway', 'account', 'entitlement', 'lookup', 'cli'];
/** What the services' own follow from; no service is given it. */
const SERVICE_SECRETS_SOURCE = 'service_secrets_source';

/** Each is the same for every service that has it. */
const SHARED = ['key_pepper', 'address_pepper', 'personal_data_secret', 'audit_anchor_secret'];

export interface SecretSources {
  folder: string;
  /** `host:port/database`, as the services see it. */
  database: string;
  smtpUrl: string;
}

/**
 * Writes every secret of a deployment as a file of its own. A file that is there stays as it is: another
 * key pepper would end every key, another personal data secret would lose all names. Only the secrets of
 * calls between services follow their source each time, which is how they are rotated.
 * @returns the names of the new files.
 */
export function writeSecretFiles({ folder, database, smtpUrl }: SecretSources): string[] {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  chmodSync(folder, FOLDER_MODE);
  const written: string[] = [];
  const keep = (name: string, make: () => string): string => {
    const path = join(folder, name);
    if (!existsSync(path)) {
      writeFileSync(path, make(), { mode: FILE_MODE });
      written.push(name);
    }
    return readFileSync(path, 'utf8').trim();
  };
  /** Follows from another file, which may have changed. Written in place: a container keeps the file it was given. */
  const follow = (name: string, text: string) => {
    keep(name, () => text);
    const path = join(folder, name);
    if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  };
  const random = (name: string) => keep(name, () => randomBytes(32).toString('base64url'));
  const [password, secret] = [random('postgres_password'), random('database_role_secret')];
  for (const name of SHARED) random(name);
  const pairs = new PairSecrets(random(SERVICE_SECRETS_SOURCE));
  for (const service of CALLING_SERVICES) {
    follow(`${service}_service_secret`, pairs.textFor(service));
  }
  const url = (role: string, password: string) => `postgres://${role}:${password}@${database}`;
  const ofRole = (role: string) => url(role, derivedRolePassword(secret, role));
  keep('database_admin_url', () => url('postgres', password));
  keep('smtp_url', () => smtpUrl);
  for (const service of SCHEMA_SERVICES) {
    keep(`${service}_database_url`, () => ofRole(serviceRole(service)));
    keep(`${service}_maintenance_database_url`, () => ofRole(maintenanceRole(service)));
  }
  keep('entitlement_auditor_database_url', () => ofRole(auditorRole('entitlement')));
  return written;
}
