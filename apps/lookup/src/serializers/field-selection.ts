import type { Json } from './whois-body.js';

/** Returns the whole body, or the requested members; see `selectFields`. */
export function selected(body: Json, paths: string[] | undefined): Json {
  return paths === undefined ? body : selectFields(body, paths);
}

/**
 * Keeps the members named by dot paths such as `dates.created`, and `status`, which every answer contains. A path that
 * matches no member selects nothing. Inherited members are not followed.
 */
export function selectFields(body: Json, paths: string[]): Json {
  const selected: Json = { status: body.status };
  for (const path of paths) copy(body, selected, path.split('.'));
  return selected;
}

function copy(from: Json, to: Json, [member = '', ...rest]: string[]): void {
  if (!Object.hasOwn(from, member) || member === '__proto__') return;
  const value = from[member];
  if (rest.length === 0) {
    to[member] = value;
    return;
  }
  if (!isObject(value)) return;
  const branch = Object.hasOwn(to, member) && isObject(to[member]) ? to[member] : {};
  if (branch === value) return;
  copy(value, branch, rest);
  if (Object.keys(branch).length > 0) to[member] = branch;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
