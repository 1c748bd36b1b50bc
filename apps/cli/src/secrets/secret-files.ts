import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { derivedRolePassword } from '#libs/database';
import { PairSecrets, type ServiceName } from '#libs/platform';
import { databaseSettings, generatedSecrets, ownDatabaseSetting } from '#libs/services';
import { SERVICES } from '../declared.js';

const FOLDER_MODE = 0o700;
/** The mode of the files: a container's user must be able to read them, whatever its id is. */
const FILE_MODE = 0o644;

/** The secret from which the services' own secrets are derived. No service receives it. */
const SERVICE_SECRETS_SOURCE = 'service_secrets_source';

export interface SecretSources {
  folder: string;
  /** The PostgreSQL server and database, as `host:port/database`, as the services see it. */
  database: string;
  ownDatabases?: Partial<Record<ServiceName, string>>;
  smtpUrl: string;
  /** `host:port` of a Valkey server that requires a password, which is generated. */
  valkey?: string;
  stripe?: { apiKey: string; callbackSecret: string };
  paypalClientSecret?: string;
}

/**
 * Writes every secret of a deployment to its own file. Existing files are not changed: a changed key pepper would
 * invalidate every key, and a changed personal data secret would make all names unreadable. There are two exceptions:
 * the secrets of calls between services are derived from their source each time, which is how they are rotated, and
 * empty files are filled.
 * @returns the names of the new files, and of those that changed with their source.
 */
export function writeSecretFiles(sources: SecretSources): string[] {
  const { folder, database, ownDatabases = {}, smtpUrl } = sources;
  makeFolder(folder);
  chmodSync(folder, FOLDER_MODE);
  const written: string[] = [];
  /**
   * Keeps a stored secret, or stores a new one. An empty file counts as missing: a full disk has left it behind, or it
   * belongs to a processor that was not used so far.
   */
  const keep = (name: string, make: () => string): string => {
    const path = join(folder, name);
    const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
    if (known) return known;
    const text = make();
    if (text === known) return text;
    writeFileSync(path, text, { mode: FILE_MODE });
    // The umask may have removed permissions.
    chmodSync(path, FILE_MODE);
    written.push(name);
    return text.trim();
  };
  /**
   * Writes a secret, even if the file exists with another text. The file is written in place, because a container keeps
   * using the file that it mounted.
   */
  const follow = (name: string, text: string) => {
    keep(name, () => text);
    const path = join(folder, name);
    if (readFileSync(path, 'utf8') === text) return;
    writeFileSync(path, text);
    written.push(name);
  };
  const random = (name: string) => keep(name, () => randomBytes(32).toString('base64url'));
  const [password, secret] = [random('postgres_password'), random('database_role_secret')];
  const pairs = new PairSecrets(random(SERVICE_SECRETS_SOURCE));
  for (const name of [...SERVICES.map((service) => service.name), 'cli' as const]) {
    follow(`${name}_service_secret`, pairs.textFor(name));
  }
  const shared = generatedSecrets(SERVICES).filter((env) => env !== 'SERVICE_SECRET');
  for (const env of shared) random(env.toLowerCase());
  const url = (role: string, word: string, at = database) => `postgres://${role}:${word}@${at}`;
  keep('database_admin_url', () => url('postgres', password));
  keep('smtp_url', () => smtpUrl);
  if (sources.valkey !== undefined) {
    const word = random('valkey_password');
    keep('valkey_url', () => `redis://:${word}@${sources.valkey}`);
  }
  for (const [name, text] of Object.entries(processorSecrets(sources))) keep(name, () => text);
  for (const service of SERVICES) {
    const at = ownDatabases[service.name];
    if (at !== undefined) {
      const setting = ownDatabaseSetting(service.name).toLowerCase();
      keep(setting, () => url('postgres', password, at));
    }
    const ofRole = (role: string) => url(role, derivedRolePassword(secret, role), at);
    for (const [env, text] of Object.entries(databaseSettings(service, ofRole))) {
      keep(env.toLowerCase(), () => text);
    }
  }
  return written;
}

/**
 * Creates a folder and its parents. Node's own option `recursive` never returns on a file system that does not allow
 * new folders, such as /proc.
 */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
  mkdirSync(path, { mode: FOLDER_MODE });
}

/**
 * Returns the secrets of both processors; none if neither is used. If only one is used, the other's secrets are empty,
 * because containers mount all files.
 */
function processorSecrets({ stripe, paypalClientSecret }: SecretSources): Record<string, string> {
  if (!stripe && paypalClientSecret === undefined) return {};
  return {
    stripe_api_key: stripe?.apiKey ?? '',
    stripe_callback_secrets: stripe?.callbackSecret ?? '',
    billing_paypal_client_secret: paypalClientSecret ?? '',
  };
}
