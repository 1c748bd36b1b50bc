import {
  ACCOUNT_LIMITS,
  type AccountLimitsAnswer,
  ACCOUNT_REQUESTS,
  ACCOUNT_USAGE,
  OPERATIONS,
  type Operation,
  PRICING,
  PRICING_QUOTE,
  type Parameters,
  type ValuesOf,
  listenerOf,
} from '#libs/contracts';
import type { AccountEntry } from '../auth-cache/caller.js';
import { priceList, quotePackage } from '../pricing/pricing.js';
import type { RequestsService } from '../usage/requests.service.js';
import type { UsageService } from '../usage/usage.service.js';

export interface Asker {
  account: Pick<AccountEntry, 'id' | 'limits' | 'keys'>;
}

type Answer<Values> = (values: Values, asker?: Asker) => object | Promise<object>;

export type OwnOperations = ReadonlyMap<string, Answer<never>>;

/** Returns the handlers of the gateway's own operations. @throws if an operation has no handler. */
export function ownOperations(usage: UsageService, requests: RequestsService): OwnOperations {
  const own: OwnOperations = new Map([
    answered(PRICING, priceList),
    answered(PRICING_QUOTE, quotePackage),
    answered(ACCOUNT_USAGE, async (values, asker) => usage.usage(asker!.account.id, values)),
    answered(ACCOUNT_LIMITS, (_, asker) => limitsOfAccount(asker!.account)),
    answered(ACCOUNT_REQUESTS, async (values, asker) => requests.list(values, asker!.account.id)),
  ]);
  for (const row of OPERATIONS.filter((one) => listenerOf(one) === 'api')) {
    const { name, owner } = row;
    if (owner.service === 'gateway' && !own.has(name)) throw new Error(`no handler for ${name}`);
  }
  return own;
}

const limitsOfAccount = ({ limits, keys }: Asker['account']): AccountLimitsAnswer => ({
  status: true,
  requests_per_minute: limits,
  keys,
});

/** Returns the entry of an operation; its handler gets typed parameters. */
function answered<P extends Parameters>(
  { name }: Operation<P>,
  answer: Answer<ValuesOf<P>>,
): [string, Answer<never>] {
  return [name, answer as Answer<never>];
}
