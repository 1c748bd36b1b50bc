import {
  type Credits,
  type Operation,
  PAGE_PARAMETERS,
  PREVIEW,
  subjectsOf,
} from '#libs/contracts';
import { counted } from '#libs/platform';

/** A member of an answer in JSON. */
export type Item = Readonly<Record<string, unknown>>;

/** A column: its heading, and the dot path of its value in a record, or a function of the record. */
export type Column = readonly [heading: string, value: string | ((record: Item) => unknown)];

/** An operation with a page below `/search`. */
export interface Search {
  row: Operation;
  title: string;
  /** The columns of the lists in its answer, by member. In other lists, members of the records become columns. */
  tables: Readonly<Record<string, readonly Column[]>>;
}

/** The values of a form, by the names of its fields. Empty fields are omitted. */
export type Typed = Readonly<Record<string, string>>;

export function searchPath({ row }: Pick<Search, 'row'>, typed: Typed = {}): string {
  const query = new URLSearchParams(typed).toString();
  return `/search/${row.name}${query && `?${query}`}`;
}

/** Returns the names of the parameters in a form, without those for paging or for programs only. */
export function parametersOf({ parameters }: Operation): string[] {
  return Object.entries(parameters)
    .filter(([name, { kind, isForGateway }]) => {
      const isOurs = PAGE_PARAMETERS.has(name) || kind.selectsFrom !== undefined;
      return !isOurs && !isForGateway;
    })
    .map(([name]) => name);
}

/** Returns the members of the body in a form. In a list, each item is entered on its own line. */
export const membersOf = ({ body }: Operation) => Object.keys(body?.example ?? {});

export const isList = ({ body }: Operation, member: string) =>
  Array.isArray((body?.example as Item | undefined)?.[member]);

/** The request to the API: its parameters as in a URL, and the body if the operation has one. */
export interface Asked {
  query: string;
  body?: object;
  environment: 'live' | 'test';
}

/**
 * Returns the request for a search, as with a test key if the name is reserved for samples.
 * @param typed the form's values, with the cursor of the next page if there is one.
 */
export function askedOf({ row }: Search, typed: Typed): Asked {
  const names = [...parametersOf(row), 'cursor'].filter((name) => isGiven(row, name, typed));
  const query = new URLSearchParams(names.map((name): [string, string] => [name, typed[name]]));
  const members = membersOf(row).flatMap((name) => {
    const text = typed[name];
    if (text === undefined) return [];
    return [[name, isList(row, name) ? linesOf(text) : text] as const];
  });
  const body = row.body && Object.fromEntries(members);
  const environment = isSample(row, typed) ? 'test' : 'live';
  return { query: query.toString(), ...(body && { body }), environment };
}

/** Whether a value was entered. A default that the page has filled in does not count. */
export function isGiven({ parameters }: Operation, name: string, typed: Typed): boolean {
  const standard = parameters[name]?.default;
  return typed[name] !== undefined && typed[name] !== textOf(standard);
}

export function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.join(',') : String(value);
}

const linesOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Whether the search is for a name reserved for samples, which is answered as for a test key. */
export function isSample({ parameters, body, ...row }: Operation, typed: Typed): boolean {
  const asked = subjectsOf(row).map((name) => [parameters[name].kind, typed[name]] as const);
  if (body?.subjects) {
    const [{ kind }] = body.subjects;
    const [own] = Object.keys(body.example);
    asked.push([kind, typed[own]]);
  }
  return asked.some(([kind, text]) => {
    if (text === undefined) return false;
    const cleaned = kind.clean?.(text) ?? text;
    return kind.fault(cleaned) === undefined && kind.isReserved?.(cleaned) === true;
  });
}

/** Returns the price of one page, answer or item, which is shown before the request. */
export function priceWords({ price, paged }: Operation): string {
  if (price.per === 'free') return price.later ?? 'Free.';
  const each = creditWords(price.credits);
  if (paged) return `A page costs ${each}; an empty page is free.`;
  if (price.per === 'item') return `Each ${price.item} costs ${each}.`;
  return `An answer costs ${each}; failed lookups are free.`;
}

function creditWords(credits: Credits): string {
  const all = [...new Set(amountsOf(credits))].filter((amount) => amount > 0);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return least === most ? counted(most, 'credit') : `${least} to ${counted(most, 'credit')}`;
}

function amountsOf(credits: Credits): number[] {
  return typeof credits === 'number' ? [credits] : Object.values(credits.by).flatMap(amountsOf);
}

/** Returns the price in credits with a given value of a parameter, if the price depends on that parameter. */
export function priceOf({ price }: Operation, name: string, word: string): number | undefined {
  if (price.per === 'free' || typeof price.credits === 'number') return undefined;
  const { parameter, by } = price.credits;
  const credits = parameter === name && word !== PREVIEW ? by[word] : undefined;
  return typeof credits === 'number' ? credits : undefined;
}

/** Returns the URL of an operation's page in the playground, with its form filled in. */
export function playgroundPath({ name }: Operation, typed: Typed = {}): string {
  const query = new URLSearchParams(typed).toString();
  return `/playground/${name}${query && `?${query}`}`;
}
