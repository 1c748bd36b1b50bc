import fc from 'fast-check';

const pick = fc.nat(1_000);
const kind = <Kind extends string>(name: Kind) => fc.constant(name);
const sku: fc.Arbitrary<string> = fc.constantFrom(
  'api-5K-month',
  'api-15K-month',
  'api-50K-month',
  'api-15K-year',
);

/**
 * Actions of customers, operators, banks and networks, and the passage of time; `pick` chooses among the existing
 * objects.
 */
const moneyCommand = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('buy'),
      credits: fc.constantFrom(5_000, 15_000, 60_000),
      action: fc.constantFrom('pay', 'three-d-secure', 'decline', 'delayed', 'abandon'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: kind('subscribe'), sku }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('change'), sku }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('cancel') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('undo') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('card'), works: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('repeatCallback'), pick }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('holdCallbacks') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('releaseReversed') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('dropCallbacks') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('lose'),
      answers: fc.integer({ min: 0, max: 4 }),
      requests: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('move'), country: fc.constantFrom('CH', 'US') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('refund'),
      pick,
      scope: fc.constantFrom('whole', 'remaining'),
      cents: fc.constantFrom(undefined, 100, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('failRefund'), pick }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('dispute'), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('decide'), pick, decision: fc.constantFrom('won', 'lost') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete') }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('restore') }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('advance'), days: fc.integer({ min: 1, max: 40 }) }),
  },
);

/** @param fewest the length to which a failing history can be reduced. */
export const moneyHistory = (commands: number, fewest = commands) =>
  fc.array(moneyCommand, { minLength: fewest, maxLength: commands, size: 'max' });

export type MoneyCommand = typeof moneyCommand extends fc.Arbitrary<infer T> ? T : never;
