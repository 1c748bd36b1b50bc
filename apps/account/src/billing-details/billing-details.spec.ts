import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '#libs/database';
import { AccountUnderTest, type Owner } from '../../../../test/account/account-under-test.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { plainTaxId } from './tax-id.js';

const details = {
  organisation: 'Example Holdings',
  tax_id: 'DE 123.456.789',
  address_line1: '1 Quay',
  city: 'Leith',
  country: 'DE',
};

describe('billing details', () => {
  let account: AccountUnderTest;
  let owner: Owner;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
  });
  afterAll(() => account.stop());
  beforeEach(async () => {
    owner = await account.newOwner();
  });

  const put = (body: object) =>
    account.dashboard('PUT', 'billing-details', { token: owner.token, body });
  const get = () => account.dashboard('GET', 'billing-details', { token: owner.token });
  const contactOf = async (accountId: string) => {
    const authorization = `Bearer ${account.tokenOf('billing')}`;
    const headers = { authorization, 'x-account-id': accountId };
    const url = '/internal/billing-contact';
    return (await account.service.app.inject({ method: 'GET', url, headers })).json();
  };

  it('S119: billing details are replaced completely, read back, and encrypted in the table', async () => {
    expect((await get()).body).toEqual({ details: null });
    await put({ ...details, purchase_order: 'PO 7' });
    await put(details);
    expect((await get()).body).toEqual({ details: { ...details, tax_id: 'DE123456789' } });
    const dump = await account.dump();
    for (const text of ['Example Holdings', 'DE123456789', '1 Quay']) {
      expect(dump).not.toContain(text);
    }
  });

  it('S85: no account can read another account’s details', async () => {
    await put(details);
    owner = await account.newOwner();
    expect((await get()).body).toEqual({ details: null });
  });

  it('S86: the gateway cannot read the billing contact', async () => {
    const answer = await account.service.app.inject({
      method: 'GET',
      url: '/internal/billing-contact',
      headers: {
        authorization: `Bearer ${account.tokenOf('gateway')}`,
        'x-account-id': owner.accountId,
      },
    });
    expect(answer.json()).toMatchObject({ status: 403, code: 'caller_not_allowed' });
  });

  it("billing reads the owner's name, address and details", async () => {
    const { accountId, token } = await account.register('payer@example.com');
    await account.dashboard('PUT', 'billing-details', { token, body: details });
    expect(await contactOf(accountId)).toEqual({
      firstName: 'Ada',
      email: 'payer@example.com',
      details: { ...details, tax_id: 'DE123456789' },
    });
  });

  it('nulls that an earlier release stored count as absent', async () => {
    const { accountId } = (owner = await account.register('older@example.com'));
    await put(details);
    await account.get(Database).transaction(async (transaction) => {
      const older = { ...details, tax_id: null, region: null };
      const encrypted = await account
        .get(PersonalDataService)
        .encrypt(transaction, accountId, older);
      await transaction.query('update billing_details set details = $2 where account_id = $1', [
        accountId,
        encrypted,
      ]);
    });
    const { tax_id: _, ...given } = details;
    expect((await get()).body).toEqual({ details: given });
    expect((await contactOf(accountId)).details).toEqual(given);
  });

  it.each([
    ['a tax id of another country', { tax_id: 'FR12345678901' }],
    ['an unknown country', { country: 'XX' }],
    ['a country in lower case', { country: 'de' }],
    ['a line break', { city: 'Leith\r\nX' }],
    ['a bidi control', { organisation: 'Example \u202eHoldings' }],
    ['a long line', { organisation: 'x'.repeat(151) }],
    ['a name of 10,000 characters', { organisation: 'x'.repeat(10_000) }],
    ['Hebrew, which invoices cannot print,', { organisation: 'חברה לדוגמה' }],
    ['Arabic, which invoices cannot print,', { city: 'القاهرة' }],
    ['Chinese, which invoices cannot print,', { address_line1: '北京市朝阳区' }],
    ['an emoji', { organisation: 'Example 🎉' }],
    ['no address', { address_line1: undefined }],
    ['a blank organisation', { organisation: ' \u00a0' }],
    ['null as the tax id', { tax_id: null }],
    ['null as the second line', { address_line2: null }],
    ['an unknown member', { account_id: 'x' }],
  ])('S81, S90: %s is rejected and changes nothing', async (_, change) => {
    expect((await put({ ...details, ...change })).body.code).toBe('invalid_request');
    expect((await get()).body).toEqual({ details: null });
  });

  it('characters that an invoice cannot print are rejected with the reason; printable ones are kept', async () => {
    const refused = await put({ ...details, organisation: '株式会社' });
    expect(refused.body.errors).toEqual([
      { field: 'organisation', message: expect.stringContaining('Latin, Greek or Cyrillic') },
    ]);
    const organisation = 'Εταιρεία «Пример» Łódź, <b>№ 7</b> & Söhne';
    expect((await put({ ...details, organisation })).body).toMatchObject({
      details: { organisation },
    });
  });

  it.each([
    ['AT', 'ATU 12345678', 'ATU12345678'],
    ['GB', 'gb 123 4567 89', 'GB123456789'],
    ['GR', 'EL123456789', 'EL123456789'],
    ['GR', 'GR123456789', undefined],
    ['NL', 'NL123456789B01', 'NL123456789B01'],
    ['US', '12-3456789', '123456789'],
    ['US', '12-345678', undefined],
    ['CH', 'CHE-123.456.789 MWST', 'CHE123456789MWST'],
    ['IN', '22AAAAA0000A1Z5', '22AAAAA0000A1Z5'],
    ['BR', '12.345.678/0001-95', '12345678000195'],
    ['BR', '=1+1', undefined],
  ])('S81: in %s, the tax id %p is read as %p', (country, text, plain) => {
    expect(plainTaxId(country, text)).toBe(plain);
  });
});
