const PART = /^[a-z0-9][a-z0-9._-]*$/;
const PART_LENGTH_MAX = 128;
const PARTS_MAX = 16;
const KEY_LENGTH_MAX = 512;

/**
 * The error for a file key or prefix that is not valid. The program creates all keys, so this is a defect and never a
 * client's fault.
 */
export class InvalidFileKey extends Error {}

/**
 * Checks a file's key: parts of lower-case letters, digits, `.`, `_` and `-`, separated by `/`. A valid key means the
 * same file on every system, and never a file outside the store (S75). A key never contains a customer's input.
 * @throws InvalidFileKey
 */
export function checkFileKey(key: string): void {
  const parts = key.split('/');
  const isValid =
    key.length <= KEY_LENGTH_MAX &&
    parts.length <= PARTS_MAX &&
    parts.every((part) => part.length <= PART_LENGTH_MAX && PART.test(part));
  if (!isValid) throw new InvalidFileKey('not the name of a file in a store');
}

/**
 * Checks a prefix, which is a folder and ends with `/`, so that `jobs/1/` does not match `jobs/10/`; the empty prefix
 * is the whole store.
 * @throws InvalidFileKey
 */
export function checkFilePrefix(prefix: string): void {
  if (prefix === '') return;
  if (!prefix.endsWith('/')) throw new InvalidFileKey('a prefix ends with /');
  checkFileKey(prefix.slice(0, -1));
}
