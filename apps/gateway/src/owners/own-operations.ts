import {
  ACCOUNT_USAGE,
  OPERATIONS,
  type Operation,
  PRICING,
  PRICING_QUOTE,
  type Parameters,
  type ValuesOf,
} from '#libs/contracts';
import type { KeyEntry } from '../auth-cache/caller.js';
import { priceList, quotePackage } from '../pricing/pricing.js';
import type { UsageService } from '../usage/usage.service.js';

type Answer<Values> = (values: Values, caller?: KeyEntry) => object | Promise<object>;

/** How the gateway answers the operations that it owns itself, by their names. */
export type OwnOperations = ReadonlyMap<string, Answer<never>>;

/** @throws when an operation of the gateway is answered by nobody. */
export function ownOperations(usage: UsageService): OwnOperations {
  const own: OwnOperations = new Map([
    answered(PRICING, priceList),
    answered(PRICING_QUOTE, quotePackage),
    answered(ACCOUNT_USAGE, async (values, caller) => usage.usage(caller!.account.id, values)),
  ]);
  for (const { name, owner } of OPERATIONS) {
    if (owner.service === 'gateway' && !own.has(name)) throw new Error(`nobody answers ${name}`);
  }
  return own;
}

/** Ties an answer to the values of its row. */
function answered<P extends Parameters>(
  { name }: Operation<P>,
  answer: Answer<ValuesOf<P>>,
): [string, Answer<never>] {
  return [name, answer as Answer<never>];
}
