import type { CrashPoint } from '#libs/platform';
import type { CrashWorld } from './crash-world.js';
import {
  type Flow,
  Leaving,
  PackagePurchase,
  Refunding,
  Subscribing,
  Upgrading,
} from './money-flows.js';
import {
  Cancelling,
  ChangingInterval,
  Disputing,
  LateChange,
  LateMoney,
  Lowering,
  Renewing,
  Restoring,
  Taxing,
  Undoing,
  UndoingTooLate,
  Unheard,
} from './later-flows.js';

/** The point and the pass at which billing dies, and the cause. */
export interface MoneyCrash {
  point: CrashPoint;
  pass: number;
  flow: keyof typeof FLOWS;
}

const FLOWS = {
  package: PackagePurchase,
  subscription: Subscribing,
  upgrade: Upgrading,
  refund: Refunding,
  deletion: Leaving,
  renewal: Renewing,
  cancellation: Cancelling,
  'undone cancellation': Undoing,
  'late undoing': UndoingTooLate,
  downgrade: Lowering,
  'change of interval': ChangingInterval,
  tax: Taxing,
  dispute: Disputing,
  restoration: Restoring,
  'money after a deletion': LateMoney,
  'late change': LateChange,
  'lost callbacks': Unheard,
} satisfies Record<string, new () => Flow>;

const SYNC_POINTS = ['sync.after-fetch', 'sync.before-commit', 'sync.after-commit'] as const;
/**
 * The objects that a flow fetches: a subscription's checkout, the subscription, its bill, and the subscription before a
 * change.
 */
const SYNCS = {
  package: 1,
  subscription: 3,
  upgrade: 3,
  refund: 1,
  deletion: 1,
  renewal: 2,
  cancellation: 1,
  'undone cancellation': 1,
  'late undoing': 1,
  downgrade: 2,
  'change of interval': 2,
  tax: 2,
  dispute: 1,
  restoration: 1,
  'money after a deletion': 1,
  'late change': 3,
  'lost callbacks': 1,
} as const;

const OTHERS: readonly [CrashPoint, MoneyCrash['flow']][] = [
  ['order.after-commit', 'package'],
  ['checkout.after-call', 'package'],
  ['checkout.after-call', 'subscription'],
  ['callback.after-commit', 'package'],
  ['callback.after-commit', 'subscription'],
  ['callback.after-commit', 'renewal'],
  ['callback.after-commit', 'refund'],
  ['callback.after-commit', 'dispute'],
  ['outbox.after-commit', 'package'],
  ['outbox.after-commit', 'renewal'],
  ['outbox.after-commit', 'refund'],
  ['outbox.after-commit', 'dispute'],
  ['healing.after-store', 'lost callbacks'],
  ['plan-change.after-call', 'upgrade'],
  ['plan-change.after-call', 'cancellation'],
  ['plan-change.after-call', 'undone cancellation'],
  ['plan-change.after-call', 'downgrade'],
  ['plan-change.after-call', 'change of interval'],
  ['plan-change.after-call', 'tax'],
  ['resume.after-activation', 'late undoing'],
  ['refund.after-commit', 'refund'],
  ['refund.after-call', 'refund'],
  ['refund.after-commit', 'money after a deletion'],
  ['refund.after-call', 'money after a deletion'],
  ['refund.after-commit', 'late change'],
  ['refund.after-call', 'late change'],
  ['follow.after-mark', 'deletion'],
  ['follow.after-call', 'deletion'],
  ['follow.after-mark', 'restoration'],
  ['follow.after-call', 'restoration'],
];

/** Each boundary between processes on the path of money. */
export const MONEY_CRASHES: readonly MoneyCrash[] = [
  ...OTHERS.map(([point, flow]) => ({ point, flow, pass: 1 })),
  ...Object.entries(SYNCS).flatMap(([flow, passes]) =>
    SYNC_POINTS.flatMap((point) =>
      Array.from({ length: passes }, (_, index) => ({
        point,
        flow: flow as MoneyCrash['flow'],
        pass: index + 1,
      })),
    ),
  ),
];

/**
 * Kills billing at one point, starts it again and lets it heal, either with a client that repeats unanswered requests
 * or without one.
 * @throws if it did not die, or if the result does not match what was paid.
 */
export async function crashOfMoney(
  world: CrashWorld,
  { point, pass, flow: name }: MoneyCrash,
  isRepeated: boolean,
): Promise<void> {
  const flow: Flow = new FLOWS[name]();
  const { billing } = world;
  if (!billing.isAlive) await billing.start();
  await flow.prepare(world);
  await billing.kill();
  await billing.start({ point, pass });
  await flow.act(world);
  if (!(await billing.hasEnded())) throw new Error(`it did not die at pass ${pass} of ${point}`);
  await billing.start();
  if (isRepeated) await flow.act(world);
  await world.heal();
  await flow.check(world);
}
