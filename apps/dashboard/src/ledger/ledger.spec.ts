import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { LEDGER, type LedgerAnswer } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

let under: DashboardUnderTest;

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(() => under?.stop());

const [{ answer }] = LEDGER.examples;
const {
  items: [grant],
  paging,
} = answer as LedgerAnswer;
const use = {
  ...grant,
  id: 'use-1',
  kind: 'use',
  amount: '-20',
  balance: '480',
  operation: 'whois.live',
  day: '2026-11-20',
};

beforeEach(() => {
  under.forget();
  const first = { items: [use], paging: { ...paging, next_cursor: 'b2xk' } };
  const last = { items: [grant], paging };
  under.answers.set('GET /internal/ledger', first);
  under.answers.set('GET /internal/ledger?cursor=b2xk', last);
  under.answers.set('GET /internal/ledger?page_size=1000', first);
  under.answers.set('GET /internal/ledger?cursor=b2xk&page_size=1000', last);
});

it('the ledger shows the balance after each line, and leads to older lines', async () => {
  const { text } = await under.get('/ledger');
  expect(text).toMatch(/-20<\/td>\s*<td data-label="Balance" class="number">\s*480/);
  expect(text).toContain('href="/requests?day=2026-11-20&amp;operation=whois.live"');
  expect(text).toContain('href="/ledger?cursor=b2xk"');
  const older = await under.get('/ledger?cursor=b2xk');
  expect(older.text).toContain('Received');
  expect(older.text).toContain('href="/ledger.csv?cursor=b2xk"');
  expect(older.text).not.toMatch(/null|>Older lines<\/a>/);
});

it('the CSV has the lines of all pages from its start on', async () => {
  const rows = async (path: string) => (await under.get(path)).text.split('\r\n').slice(1, -1);
  const oldest = `${grant.at},Received,Trial,500,500,${grant.id}`;
  expect(await rows('/ledger.csv')).toEqual(['2026-11-20,Used,whois.live,-20,480,use-1', oldest]);
  expect(await rows('/ledger.csv?cursor=b2xk')).toEqual([oldest]);
});

it('a line of an entitlement service of an earlier release is shown without a balance', async () => {
  const { balance: _none, ...old } = grant;
  under.answers.set('GET /internal/ledger', { items: [old], paging });
  expect((await under.get('/ledger')).text).toMatch(/data-label="Balance" class="number">\s*–/);
});
