import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorDesk } from '../../../../test/desk/operator-desk.js';

describe('credit commands', () => {
  let desk: OperatorDesk;

  beforeAll(async () => {
    desk = await OperatorDesk.open();
  });
  afterAll(() => desk.close());

  it('explain prints lines whose sum is the balance that it ends with', async () => {
    const accountId = await desk.entitlement.newAccount();
    await desk.entitlement.buy(accountId, 1_000);
    await desk.entitlement.use(accountId, 20);
    const { code, stdout } = await desk.command('credits', 'explain', accountId);
    expect(code).toBe(0);
    const numbers = stdout.split('\n').map((line) => Number.parseInt(line, 10));
    const end = numbers.indexOf(1_480);
    expect(numbers.slice(0, end).reduce((sum, number) => sum + number, 0)).toBe(1_480);
    expect(stdout).toContain('1480  in all, which is\n');
    const json = await desk.answer('credits', 'explain', accountId);
    expect(json).toMatchObject({ total: 1_480, unexplained: 0 });
  });
});
