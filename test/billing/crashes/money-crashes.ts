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

/** Where billing dies, at which pass, of what. */
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
} satisfies Record<string, new () => Flow>;

const SYNC_POINTS = ['sync.after-fetch', 'sync.before-commit', 'sync.after-commit'] as const;
/** What is fetched in a flow: a subscription's checkout, itself, its bill. */
const SYNCS = { package: 1, subscription: 3, upgrade: 2, refund: 1, deletion: 1 } as const;

const OTHERS: readonly [CrashPoint, MoneyCrash['flow']][] = [
  ['order.after-commit', 'package'],
  ['checkout.after-call', 'package'],
  ['checkout.after-call', 'subscription'],
  ['callback.after-commit', 'package'],
  ['callback.after-commit', 'subscription'],
  ['plan-change.after-call', 'upgrade'],
  ['refund.after-commit', 'refund'],
  ['refund.after-call', 'refund'],
  ['follow.after-mark', 'deletion'],
  ['follow.after-call', 'deletion'],
];

/** Each process border of the path of money. */
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
 * Kills billing at one point, starts it again and lets it heal: with somebody who repeats what had no
 * answer, or with nobody.
 * @throws when it did not die, or what is left is not what was paid for.
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
