/** A decoded form body: `a[b][0][c]=1` becomes `{ a: { b: [{ c: 1 }] } }`. */
export interface Form {
  [name: string]: FormValue;
}
export type FormValue = string | number | boolean | FormValue[] | Form;

/** Members whose values, and those of their members, remain strings. */
const TEXT_MEMBERS = /^(metadata|name|email|client_reference_id|lookup_keys?|description)$/;

/**
 * Decodes a form body or query of Stripe's API with its bracket notation. Except in text members, digits become
 * numbers, and `true` and `false` become booleans, as in the parameter types of the SDK.
 */
export function parseForm(text: string): Form {
  const form: Form = Object.create(null) as Form;
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    const isText = path.some((part) => TEXT_MEMBERS.test(part));
    put(form, path, isText ? value : scalarOf(value));
  }
  return withArrays(form) as Form;
}

function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function put(form: Form, path: string[], value: FormValue): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    form[name] = value;
    return;
  }
  form[name] ??= Object.create(null) as Form;
  put(form[name] as Form, rest, value);
}

/** Turns members named 0, 1, 2 … into a list. */
function withArrays(value: FormValue): FormValue {
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(
    ([name, member]) => [name, withArrays(member)] as const,
  );
  const isList = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isList ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
