import { CONTACT_KEYS } from './contact-keys.js';
import { DOMAIN_KEYS } from './domain-keys.js';
import { HEADERS, ROLE_PREFIXES } from './sections.js';
import { readTarget, type Target } from './target.js';

/** A table from normalised keys to targets. It is a `Map`, so that `__proto__` is a key like any other. */
export type KeyTable = ReadonlyMap<string, Target>;

const KEYS = tableOf(DOMAIN_KEYS, '');
const CONTACT_FIELDS = tableOf(CONTACT_KEYS, '.');
const ROLES = new Map(
  Object.entries(ROLE_PREFIXES).flatMap(([role, prefixes]) =>
    spellings(prefixes).map((it) => [it, role]),
  ),
);
const HEADER_TABLE = new Map([
  ...Object.entries(ROLE_PREFIXES).flatMap(headersOf),
  ...Object.entries(HEADERS).flatMap(headersOf),
]);

const PREFIX_WORDS_MAX = 4;

/** Returns the meaning of a normalised key, wherever the key occurs; undefined for an unknown key. */
export function lookUpKey(key: string, overrides: KeyTable): Target | undefined {
  const known = overrides.get(key) ?? KEYS.get(key) ?? CONTACT_FIELDS.get(key);
  if (known !== undefined) return known;
  return HEADER_TABLE.get(key) ?? withRolePrefix(key) ?? eitherLanguage(key, overrides);
}

/**
 * Returns the meaning of a key without a value as a header, possibly in two languages; undefined if it is not a header.
 */
export function lookUpHeader(key: string, overrides: KeyTable): Target | undefined {
  const own = overrides.get(key);
  if (own !== undefined) return own.kind === 'header' ? own : undefined;
  const known = HEADER_TABLE.get(key);
  if (known !== undefined || !key.includes('/')) return known;
  for (const part of key.split('/').reverse()) {
    const target = HEADER_TABLE.get(part.trim());
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Returns the role that a word means, as in `Contact: administrative`; undefined if it means none. */
export function roleNamed(word: string): Target | undefined {
  const target = HEADER_TABLE.get(word);
  return target?.kind === 'header' && ROLES.has(word) ? target : undefined;
}

export function tableOf(
  names: Readonly<Record<string, readonly string[]>>,
  prefix: string,
): Map<string, Target> {
  const table = new Map<string, Target>();
  for (const [notation, keys] of Object.entries(names)) {
    for (const key of spellings(keys)) table.set(key, readTarget(prefix + notation));
  }
  return table;
}

/**
 * Returns the meaning of a key that consists of a role and a field of a contact, such as `technical contact phone
 * number`; undefined for any other key.
 */
function withRolePrefix(key: string): Target | undefined {
  let space = key.indexOf(' ');
  let found: Target | undefined;
  for (let words = 1; space > 0 && words <= PREFIX_WORDS_MAX; words += 1) {
    const role = ROLES.get(key.slice(0, space));
    const field = role === undefined ? undefined : CONTACT_FIELDS.get(key.slice(space + 1));
    if (role !== undefined && field?.kind === 'contact') {
      found = readTarget(`${role}.${field.field}`);
    }
    space = key.indexOf(' ', space + 1);
  }
  return found;
}

/**
 * Returns the meaning of a key in two languages, such as `nome de dominio / domain name`; undefined if no part is
 * known.
 */
function eitherLanguage(key: string, overrides: KeyTable): Target | undefined {
  if (!key.includes('/')) return undefined;
  for (const part of key.split('/').reverse().slice(0, 3)) {
    const name = part.trim();
    const target = overrides.get(name) ?? KEYS.get(name) ?? withRolePrefix(name);
    if (target !== undefined) return target;
  }
  return undefined;
}

function headersOf([section, names]: [string, readonly string[]]): [string, Target][] {
  return spellings(names).map((name) => [name, readTarget(`@${section}`)]);
}

/** Splits the strings of the tables, which list several spellings: `created on | creation date`. */
function spellings(strings: readonly string[]): string[] {
  return strings.flatMap((it) => it.split(' | '));
}
