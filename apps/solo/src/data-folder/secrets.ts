import { randomBytes } from 'node:crypto';
import { derivedRolePassword } from '#libs/database';
import { generatedSecrets } from '#libs/services';
import { SERVICES } from '../../../services.js';
import type { DataFolder } from './data-folder.js';

const FILE = 'secrets.json';
/** The names of all secrets: three for the installation itself, and those in the settings of services. */
const NAMES = ['postgres', 'roles', 'demoPassword', ...generatedSecrets(SERVICES)];

/** The generated secrets of an installation. They are created once and never change (S113). */
export class Secrets {
  private constructor(private readonly values: Record<string, string>) {}

  /** Reads `secrets.json` and adds missing secrets, such as those introduced by a newer version. */
  static load(folder: DataFolder): Secrets {
    const known = folder.readJson<Partial<Record<string, string>>>(FILE) ?? {};
    const missing = NAMES.filter((name) => !known[name]);
    const fresh = Object.fromEntries(
      missing.map((name) => [name, randomBytes(32).toString('base64url')]),
    );
    const values = { ...known, ...fresh } as Record<string, string>;
    if (missing.length > 0) folder.writePrivateJson(FILE, values);
    return new Secrets(values);
  }

  /**
   * Returns a secret by its internal name, or by the environment variable of a generated setting.
   * @throws Error if there is no such secret.
   */
  get(name: string): string {
    const secret = this.values[name];
    if (secret === undefined) throw new Error(`no secret ${name}`);
    return secret;
  }

  /** Returns the secrets that are settings of services, by name. */
  settings(): Record<string, string> {
    return Object.fromEntries(generatedSecrets(SERVICES).map((env) => [env, this.get(env)]));
  }

  rolePassword(role: string): string {
    return derivedRolePassword(this.values.roles, role);
  }
}
