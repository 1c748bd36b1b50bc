/** A part of the product that is mutated, and the specs that should notice. */
export interface Area {
  name: string;
  /** Folders of sources, or single ones. */
  sources: string[];
  /** Sources that are left out, with the reason. */
  without?: RegExp;
  /** Specs to run after those in a source's own folder, cheapest first. */
  specs: string[];
}

/**
 * Sources without a need for mutations: columns and names, which the schema and the compiler check, and wiring, which
 * every start of the service exercises.
 */
const NO_RULES =
  /\.(entity|dto|module|config|errors|spec|contract)\.js$|\/migrations\/|\/index\.js$/;

export const AREAS: readonly Area[] = [
  {
    name: 'entitlement',
    sources: [
      'apps/entitlement/src/ledger',
      'apps/entitlement/src/grants',
      'apps/entitlement/src/payments',
      'apps/entitlement/src/reversals',
      'apps/entitlement/src/subscriptions',
      'apps/entitlement/src/leases',
      'apps/entitlement/src/reservations',
      'apps/entitlement/src/holds',
      'apps/entitlement/src/due-accounts',
    ],
    without: NO_RULES,
    specs: [
      'test/entitlement/lease-model.spec.ts',
      'apps/entitlement/src/leases/lock-order.spec.ts',
      'apps/entitlement/src/leases/leases.spec.ts',
      'apps/entitlement/src/leases/statements-per-lease.spec.ts',
      'apps/entitlement/src/grants/grants.spec.ts',
      'apps/entitlement/src/grants/subscription-slices.spec.ts',
      'apps/entitlement/src/reversals/reversals.spec.ts',
      'apps/entitlement/src/payments/payments.spec.ts',
      'apps/entitlement/src/allowances/allowances.spec.ts',
      'apps/entitlement/src/auditor/auditor.spec.ts',
      'apps/entitlement/src/holdings/holdings.spec.ts',
      'apps/entitlement/src/statement/statement.slow.spec.ts',
      'apps/entitlement/src/statement/usage.slow.spec.ts',
      'apps/entitlement/src/holds/holds.slow.spec.ts',
      'apps/entitlement/src/checkpoints/checkpoints.spec.ts',
      'apps/entitlement/src/due-accounts/due-accounts.spec.ts',
      'test/entitlement/credit-model.spec.ts',
    ],
  },
  {
    name: 'messaging',
    sources: [
      'libs/messaging/src/outbox',
      'libs/messaging/src/relay',
      'libs/messaging/src/inbox',
      'libs/messaging/src/consumer',
      'libs/messaging/src/failed-events',
    ],
    without: NO_RULES,
    specs: [
      'libs/messaging/src/consumer/event-consumer.spec.ts',
      'libs/messaging/src/consumer/failing-events.spec.ts',
      'libs/messaging/src/relay/relay.spec.ts',
      'libs/messaging/src/outbox/outbox.spec.ts',
      'libs/messaging/src/consumer/failed-event-retries.spec.ts',
      'libs/messaging/src/failed-events/failed-events.spec.ts',
      'libs/messaging/src/change-feed/change-feed.spec.ts',
      'libs/messaging/src/telemetry/event-metrics.spec.ts',
      'libs/messaging/src/transports/in-process/in-process-transport.slow.spec.ts',
    ],
  },
  {
    name: 'gateway lease',
    sources: ['apps/gateway/src/lease'],
    without: NO_RULES,
    specs: [
      'apps/gateway/src/holds/request-holds.slow.spec.ts',
      'test/gateway/told-balance.spec.ts',
    ],
  },
];
