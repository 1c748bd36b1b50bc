import fc from 'fast-check';

const command = <Kind extends string, Members extends object>(
  weight: number,
  kind: Kind,
  members: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> } = {} as never,
) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), ...members }) as fc.Arbitrary<
    { kind: Kind } & Members
  >,
});

const pick = fc.nat(1_000);
const sku: fc.Arbitrary<string> = fc.constantFrom(
  'api-5K-month',
  'api-15K-month',
  'api-50K-month',
  'api-15K-year',
);
const action = fc.constantFrom('pay', 'three-d-secure', 'decline', 'delayed', 'abandon');
const decision = fc.constantFrom('won', 'lost');
const scope = fc.constantFrom('whole', 'remaining');
const lost = (max: number) => fc.integer({ min: 0, max });

/** Actions of customers, operators, banks and networks, and the passage of time; `pick` chooses an object. */
const moneyCommand = fc.oneof(
  command(6, 'buy', { credits: fc.constantFrom(5_000, 15_000, 60_000), action }),
  command(6, 'subscribe', { sku }),
  command(6, 'change', { sku }),
  command(2, 'cancel'),
  command(2, 'undo'),
  command(3, 'card', { works: fc.boolean() }),
  command(3, 'repeatCallback', { pick }),
  command(3, 'holdCallbacks'),
  command(3, 'releaseReversed'),
  command(2, 'dropCallbacks'),
  command(3, 'lose', { answers: lost(4), requests: lost(2) }),
  command(2, 'move', { country: fc.constantFrom('CH', 'US') }),
  command(4, 'refund', { pick, scope, cents: fc.constantFrom(undefined, 100, 1_000) }),
  command(1, 'failRefund', { pick }),
  command(2, 'dispute', { pick }),
  command(3, 'decide', { pick, decision }),
  command(1, 'delete'),
  command(3, 'restore'),
  command(6, 'advance', { days: fc.integer({ min: 1, max: 40 }) }),
);

/**
 * @param fewest the minimum length of a generated or reduced history; by default, each has exactly `commands` commands.
 */
export const moneyHistory = (commands: number, fewest = commands) =>
  fc.array(moneyCommand, { minLength: fewest, maxLength: commands, size: 'max' });

export type MoneyCommand = typeof moneyCommand extends fc.Arbitrary<infer T> ? T : never;
