import { WorkMeter } from '../whois/parse/reading/work-meter.js';

/** An unchecked JSON object, as received. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum number of list entries that are read; a normal answer has far fewer. */
const LIST_MAX = 200;
const TEXT_LENGTH_MAX = 1_000;

/** The meter of the object that is being read. Reading is synchronous, so a thread reads one object at a time. */
let meter = new WorkMeter();

/**
 * Parses JSON, passes it to a reader and counts the work: the characters of the text, and each value and character that
 * the reader looks at.
 * @throws SyntaxError; the errors of `read`.
 */
export function readMetered<Result>(
  text: string,
  counted: WorkMeter,
  read: (json: JsonObject) => Result,
): Result {
  const outer = meter;
  meter = counted;
  try {
    meter.count(text.length);
    return read(objectIn(JSON.parse(text)));
  } finally {
    meter = outer;
  }
}

/**
 * Returns an object from untrusted JSON. Each of these readers returns a usable value or an empty one, and none throws.
 * Members are read only by fixed names, so a member named `__proto__` is never read.
 */
export function objectIn(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

export function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const list = value.slice(0, LIST_MAX);
  meter.count(list.length + 1);
  return list;
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return listIn(value).map(objectIn);
}

/**
 * Returns a string or number as one line of well-formed text of limited length, without control characters, including
 * those that change the writing direction; undefined for any other value, or if nothing is left. Half a surrogate pair,
 * which JSON may contain, would break strict readers of our answers, such as PostgreSQL.
 */
export function textIn(value: unknown): string | undefined {
  return textUpTo(value, TEXT_LENGTH_MAX);
}

function textUpTo(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const start = String(value).slice(0, lengthMax).toWellFormed();
  meter.count(start.length + 1);
  const text = start
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  return text === '' ? undefined : text;
}

/** Returns the texts of a list, of lists in it, and of lists in those, each truncated. */
export function textsWithin(value: unknown, depth = 2): string[] {
  const parts = listIn(value).flatMap((part) =>
    Array.isArray(part) && depth > 0 ? textsWithin(part, depth - 1) : (textIn(part) ?? []),
  );
  return parts.slice(0, LIST_MAX);
}

/**
 * Returns the strings of a list, each as one line, or the lines of one string, which is truncated before it is split.
 */
export function linesIn(value: unknown): string[] {
  return linesUpTo(value, TEXT_LENGTH_MAX);
}

/** Like `linesIn`, with a given maximum length. */
export function linesUpTo(value: unknown, lengthMax: number): string[] {
  const parts = Array.isArray(value)
    ? listIn(value)
    : String(textOrNothing(value)).slice(0, lengthMax).split('\n', LIST_MAX);
  return parts.map((part) => textUpTo(part, lengthMax)).filter((line) => line !== undefined);
}

function textOrNothing(value: unknown): string | number {
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}

/** Returns the object without the members that are undefined. */
export function present<Shape extends object>(shape: {
  [Member in keyof Shape]: Shape[Member] | undefined;
}): Shape {
  const entries = Object.entries(shape).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Shape;
}
