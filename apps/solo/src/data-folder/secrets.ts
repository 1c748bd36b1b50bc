import { randomBytes } from 'node:crypto';
import { derivedRolePassword } from '#libs/database';
import type { DataFolder } from './data-folder.js';

const FILE = 'secrets.json';
const NAMES = [
  'postgres',
  'roles',
  'service',
  'keyPepper',
  'addressPepper',
  'personalData',
  'auditAnchor',
  'demoPassword',
] as const;
type SecretName = (typeof NAMES)[number];

/** The generated secrets of an installation. They are made once and never change (S113). */
export class Secrets {
  private constructor(private readonly values: Record<SecretName, string>) {}

  /** Reads `secrets.json`; makes what is missing, which a newer version may have added. */
  static load(folder: DataFolder): Secrets {
    const known = folder.readJson<Partial<Record<SecretName, string>>>(FILE) ?? {};
    const missing = NAMES.filter((name) => !known[name]);
    const fresh = Object.fromEntries(
      missing.map((name) => [name, randomBytes(32).toString('base64url')]),
    );
    const values = { ...known, ...fresh } as Record<SecretName, string>;
    if (missing.length > 0) folder.writePrivateJson(FILE, values);
    return new Secrets(values);
  }

  get(name: SecretName): string {
    return this.values[name];
  }

  rolePassword(role: string): string {
    return derivedRolePassword(this.values.roles, role);
  }
}
