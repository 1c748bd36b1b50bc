import { expect, it } from '@jest/globals';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { HoldsService } from './holds.service.js';

it('the holds of an account whose credits are damaged do not keep the reaper from those of others', async () => {
  const entitlement = await EntitlementUnderTest.start();
  try {
    const [damaged, sound] = [await entitlement.newAccount(), await entitlement.newAccount()];
    const hold = (accountId: string, holdId: string) =>
      entitlement.client.hold({ accountId, holdId, amount: 1, ttlMs: 60_000 });
    for (let n = 0; n < 200; n++) await hold(damaged, `hold-${n}`);
    await hold(sound, 'hold');
    const endAll = () =>
      entitlement.database.query(`update holds set expires_at = expires_at - interval '1 hour'`);
    await endAll();
    await entitlement.damage(damaged, 1);
    const { service, client } = entitlement;
    const holds = service.app.get(HoldsService, { strict: false });
    await expect(holds.reap()).rejects.toThrow('200 of 200 failed');
    await holds.reap();
    expect(await client.balance(sound)).toMatchObject({ reserved: 0 });
    await entitlement.damage(damaged, -1);
    await endAll();
    await holds.reap();
    expect(await client.balance(damaged)).toMatchObject({ reserved: 0, spendable: 500 });
    expect(await entitlement.violations()).toEqual([]);
  } finally {
    await entitlement.stop();
  }
});
