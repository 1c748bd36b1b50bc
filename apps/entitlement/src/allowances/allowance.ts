import {
  ACCOUNT_CLASS_LIMIT,
  type AccessBlock,
  type Allowance,
  type MonitorSlots,
  type OverridableLimit,
  type RateLimits,
  TRIAL_RIGHTS,
  tierNamed,
} from '#libs/contracts';
import type { Subscription } from '../subscriptions/subscription.entity.js';
import { rightsEnd } from '../subscriptions/subscription.js';

/** A limit that an operator sets; it replaces the computed limit. */
export interface Override {
  name: OverridableLimit;
  value: number;
  from: Date;
  until: Date;
}

export interface AllowanceSources {
  accountId: string;
  version: number;
  packageTier?: string;
  subscriptions: Subscription[];
  overrides: Override[];
  blocks: { cause: AccessBlock['cause']; blocks: AccessBlock['blocks']; from: Date; to?: Date }[];
}

interface Rights {
  limits: RateLimits;
  monitors: MonitorSlots;
  keys: number;
}

/** Returns the rights and blocks that are active at `now`, and when they will next change without an event. */
export function computeAllowance(sources: AllowanceSources, now: Date): Allowance {
  const active = sources.subscriptions.filter((s) => isBefore(now, rightsEnd(s)));
  const overrides = sources.overrides.filter(({ from, until }) => from <= now && now < until);
  const rights = override(baseRights(sources, active), overrides);
  return {
    accountId: sources.accountId,
    version: String(sources.version),
    limits: rights.limits,
    keys: rights.keys,
    monitors: rights.monitors,
    datasets: [...new Set(active.flatMap(({ datasets }) => datasets))].toSorted(),
    blocks: sources.blocks
      .filter(({ from, to }) => from <= now && (!to || now < to))
      .map(({ from, to, ...block }) => ({
        ...block,
        from: from.toISOString(),
        to: to?.toISOString(),
      })),
    validUntil: nextChange(sources, now)?.toISOString(),
  };
}

/** Returns the best of trial, package and plan, plus the add-ons, which are bought separately. */
function baseRights({ packageTier }: AllowanceSources, active: Subscription[]): Rights {
  const tier = packageTier ? tierNamed(packageTier) : undefined;
  const plans: Rights[] = active.filter(({ line }) => line === 'api');
  const paid = tier ? [tier, ...plans] : plans;
  const addOns = active.filter(({ line }) => line === 'rate_limit');
  const best = (pick: (rights: Rights) => number) =>
    Math.max(...[TRIAL_RIGHTS, ...paid].map(pick)) + addOns.map(pick).reduce((a, b) => a + b, 0);
  return {
    limits: {
      live: best(({ limits }) => limits.live),
      bulk: best(({ limits }) => limits.bulk),
      heavy: best(({ limits }) => limits.heavy),
    },
    monitors: {
      domain: best(({ monitors }) => monitors.domain),
      brand: best(({ monitors }) => monitors.brand),
      registrant: best(({ monitors }) => monitors.registrant),
    },
    keys: best(({ keys }) => keys),
  };
}

function override({ limits, monitors, keys }: Rights, overrides: Override[]) {
  const value = (name: OverridableLimit, computed: number) =>
    overrides.findLast((candidate) => candidate.name === name)?.value ?? computed;
  return {
    limits: {
      live: value('live', limits.live),
      bulk: value('bulk', limits.bulk),
      heavy: value('heavy', limits.heavy),
      account: value('account', ACCOUNT_CLASS_LIMIT),
    },
    monitors: {
      domain: value('monitors.domain', monitors.domain),
      brand: value('monitors.brand', monitors.brand),
      registrant: value('monitors.registrant', monitors.registrant),
    },
    keys: value('keys', keys),
  };
}

function nextChange(
  { subscriptions, overrides, blocks }: AllowanceSources,
  now: Date,
): Date | undefined {
  const instants = [
    ...subscriptions.map((subscription) => rightsEnd(subscription)),
    ...overrides.flatMap(({ from, until }) => [from, until]),
    ...blocks.flatMap(({ from, to }) => [from, to]),
  ];
  return instants
    .filter((instant) => isBefore(now, instant))
    .toSorted((a, b) => (a as Date).getTime() - (b as Date).getTime())[0];
}

function isBefore(now: Date, instant: Date | undefined): boolean {
  return instant !== undefined && now < instant;
}
