import {
  InputReader,
  type Operation,
  OPERATIONS,
  listenerOf,
  maxCredits,
  type ApiCall,
  apiCallOf,
} from '#libs/contracts';
import { type FieldError, counted, faultsOf } from '#libs/platform';
import { type Typed, textOf } from '../searches/search.js';

export const PLAYED: readonly Operation[] = OPERATIONS.filter((row) => listenerOf(row) === 'api');

const READERS = new Map(PLAYED.map((row) => [row.name, new InputReader(row)]));

/** The name of the field for a JSON body. No parameter has this name. */
export const BODY = 'body';

/** Lists the parameters in a form. Two parameters are left out, because they exist only for old clients. */
export const playedParameters = ({ parameters }: Operation): string[] =>
  Object.keys(parameters).filter((name) => name !== 'format' && name !== 'whois');

/** A call and its price, before the call is sent. */
export interface Prepared {
  call: ApiCall;
  /** A sentence; empty if there are faults. */
  cost: string;
  faults: FieldError[];
}

/**
 * Returns the call that the entered values make, with its cost in words, or their faults.
 * @param typed the entered values of parameters by name, and the body.
 */
export function prepare(apiUrl: string, row: Operation, typed: Typed): Prepared {
  const { [BODY]: text, ...given } = typed;
  const values = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== textOf(row.parameters[name].default)),
  );
  const reader = READERS.get(row.name)!;
  const input = reader.read(Object.keys(values), Object.values(values));
  const { body, faults } = bodyOf(row, text);
  const call = apiCallOf(apiUrl, row, { values, body });
  const all = [...(input.faults ?? []), ...faults];
  const cost = all.length > 0 ? '' : costWords(row, reader.valuesOf(input), body);
  return { call, cost, faults: all };
}

export function exampleOf({ examples: [example], body }: Operation): Typed {
  const shown = body && JSON.stringify(example.body ?? body.example, undefined, 2);
  return { ...example.parameters, ...(shown && { [BODY]: shown }) };
}

function bodyOf({ body }: Operation, text = ''): { body?: object; faults: FieldError[] } {
  if (!body) return { faults: [] };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // A body that is not an object is reported as an error.
  }
  const faults = faultsOf(body.of, given);
  return typeof given === 'object' && given !== null ? { body: given, faults } : { faults };
}

function costWords(
  { price }: Operation,
  values: Readonly<Record<string, unknown>>,
  body?: object,
): string {
  if (price.per === 'free' && price.later && values.dry_run !== true) {
    return price.later.replaceAll('`', '');
  }
  const most = maxCredits(price, { values, body });
  if (most === 0) return 'It costs nothing.';
  const words = counted(most, 'credit');
  return price.per === 'item'
    ? `It costs at most ${words}, and only answers are charged.`
    : `It costs ${words}, or nothing if there is no answer.`;
}
