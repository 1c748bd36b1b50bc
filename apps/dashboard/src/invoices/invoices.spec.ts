import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type InvoiceAnswer, onePage } from '#libs/contracts';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const INVOICE: InvoiceAnswer = {
  id: '0197-i',
  number: 'INV-2026-000042',
  kind: 'invoice',
  corrects: null,
  state: 'partly_returned',
  issued_at: '2026-11-22T10:00:00.000Z',
  items: ['API plan <15K>, 2026-11-22 to 2026-12-22'],
  net_micros: '27000000',
  tax_micros: '5130000',
  total_micros: '32130000',
  currency: 'USD',
  revision: 1,
  sha256: 'ab',
};
const NOTE: InvoiceAnswer = {
  ...INVOICE,
  kind: 'credit_note',
  state: 'note',
  number: 'CN-2026-000001',
  corrects: INVOICE.number,
  revision: 0,
};

describe('the invoices of an account', () => {
  let under: DashboardUnderTest;
  beforeAll(async () => {
    under = await DashboardUnderTest.start();
  });
  afterAll(() => under?.stop());
  beforeEach(() => under.forget());

  const get = async (path: string) => {
    const { status, body } = await under.send('GET', path, { cookie: under.cookie });
    return { status, text: body.toString().replaceAll(/\s+/g, ' ') };
  };

  it('the list shows purchases, refunds and tax', async () => {
    const paging = { ...onePage(50, 2), has_next: true, next_cursor: 'MDE5' };
    under.answers.set('GET /internal/invoices?page_size=50', { invoices: [NOTE, INVOICE], paging });
    const { text } = await get('/invoices');
    expect(text).toContain('API plan &lt;15K&gt;, 2026-11-22 to 2026-12-22');
    expect(text).toContain('<span>refunded in part</span>');
    expect(text).toContain('$5.13 of it is tax');
    expect(text).toContain('<span>credit note for INV-2026-000042</span>');
    expect(text).toContain('being printed');
    expect(text).toContain('href="/api/invoices/archive?"');
    expect(text).toContain('href="/invoices?cursor=MDE5"');
  });

  it('the list can be filtered by days and state, and archive and older pages keep the filter', async () => {
    const filter = 'from=2026-01-01&to=2026-12-31&state=paid';
    const paging = { ...onePage(50, 1), has_next: true, next_cursor: 'MDE5' };
    const answer = { invoices: [INVOICE], paging };
    under.answers.set(`GET /internal/invoices?${filter}&page_size=50`, answer);
    const { text } = await get(`/invoices?${filter}`);
    const inAddress = filter.replaceAll('&', '&amp;');
    expect(text).toContain(`href="/api/invoices/archive?${inAddress}"`);
    expect(text).toContain(`href="/invoices?${inAddress}&amp;cursor=MDE5"`);
    expect(text).toMatch(/value="paid" selected/);
    expect(text).toContain('value="2026-01-01"');
  });

  it('a rejected filter is named, and its input is kept', async () => {
    const errors = [{ field: 'from', message: 'must be a day such as 2026-11-20' }];
    const refused = { code: 'invalid_request', status: 400, detail: '', errors };
    const body = Buffer.from(JSON.stringify(refused));
    under.answer = { status: 400, type: 'application/json', body };
    const { status, text } = await get('/invoices?from=soon');
    expect(status).toBe(400);
    expect(text).toContain('From must be a day such as 2026-11-20.');
    expect(text).toContain('value="soon"');
  });
});
