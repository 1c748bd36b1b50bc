import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Entry, type ZipFile, fromBuffer } from 'yauzl';
import type { InvoiceAnswer, InvoiceState } from '#libs/contracts';
import { withClient } from '#libs/database';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { readPdf } from '../../../../test/billing/pdf-text.js';
import { sideOf } from '../../../../test/billing/sides/side-of.js';

let billing: BillingUnderTest;
let accountId: string;
beforeAll(async () => {
  billing = await BillingUnderTest.start();
});
afterAll(() => billing?.stop());
beforeEach(() => {
  accountId = billing.newAccount();
});

async function buy(): Promise<string> {
  await billing.act(await billing.order(accountId, 15_000), 'pay');
  await billing.deliverMail(accountId);
  return (await sideOf(billing, 'stripe').paymentsOf(accountId))[0];
}
const list = async (query = ''): Promise<InvoiceAnswer[]> =>
  (await billing.call('GET', `invoices?${query}`, { accountId })).body.invoices;

/** Returns the texts in an archive by file name, read with a different library from the one that wrote it. */
async function unzipped(query = ''): Promise<Map<string, string>> {
  const { status, headers, body } = await billing.bytes(`invoices/archive?${query}`, accountId);
  expect([status, headers['content-type']]).toEqual([200, 'application/zip']);
  const texts = new Map<string, string>();
  for (const [name, bytes] of await entriesOf(body)) {
    texts.set(name, name.endsWith('.pdf') ? (await readPdf(bytes)).pages[0] : bytes.toString());
  }
  return texts;
}

async function entriesOf(zipped: Buffer): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const zip = await promisify<Buffer, object, ZipFile>(fromBuffer)(zipped, { lazyEntries: true });
  zip.on('entry', (entry: Entry) => {
    zip.openReadStream(entry, (_, stream) => {
      void buffer(stream).then((bytes) => {
        entries.set(entry.fileName, bytes);
        zip.readEntry();
      });
    });
  });
  zip.readEntry();
  await once(zip, 'end');
  return entries;
}

describe('the invoices of an account', () => {
  it('can be filtered by state and by day of issue', async () => {
    const side = sideOf(billing, 'stripe');
    const numbers = async (state: InvoiceState) =>
      (await list(`state=${state}`)).map(({ number }) => number);
    const payment = await buy();
    const [{ number, issued_at: issuedAt }] = await list();
    expect(await numbers('paid')).toEqual([number]);
    side.refund(payment, 10);
    await billing.settle();
    expect(await numbers('partly_returned')).toEqual([number]);
    expect(await numbers('paid')).toEqual([]);
    expect(await numbers('note')).toHaveLength(1);
    side.refund(payment, 44);
    await billing.settle();
    expect(await numbers('returned')).toEqual([number]);
    expect(await list('state=returned')).toMatchObject([{ state: 'returned' }]);
    const day = issuedAt.slice(0, 10);
    expect(await list(`from=${day}&to=${day}`)).toHaveLength(3);
    expect(await list('to=2025-12-31')).toEqual([]);
    expect(await list('from=2099-12-31')).toEqual([]);
    expect((await billing.call('GET', 'invoices?state=open', { accountId })).status).toBe(400);
  });

  it('S85: only the owner of invoices can download them, as one ZIP file, which lists the invoices that are not printed yet', async () => {
    await buy();
    const [{ number }] = await list();
    billing.contacts.isDown = true;
    await billing.act(await billing.order(accountId, 5_000), 'pay');
    const [{ number: waiting }] = await list();
    const files = await unzipped();
    expect([...files.keys()].toSorted()).toEqual([`${number}.pdf`, 'missing.txt']);
    expect(files.get(`${number}.pdf`)).toContain(number);
    expect(files.get('missing.txt')).toContain(waiting);
    billing.contacts.isDown = false;
    await billing.pass(10_000);
    await billing.deliverMail(accountId);
    expect([...(await unzipped('state=paid')).keys()].toSorted()).toEqual([
      `${number}.pdf`,
      `${waiting}.pdf`,
    ]);
    accountId = billing.newAccount();
    expect([...(await unzipped()).keys()]).toEqual([]);
  });

  it('are not packed if there are more than 500; the answer asks to choose fewer', async () => {
    const side = sideOf(billing, 'stripe');
    const payment = await buy();
    side.refund(payment, 10);
    await billing.settle();
    await withClient(billing.test.url(), (client) =>
      client.query(
        `insert into billing.invoices select (jsonb_populate_record(note, jsonb_build_object(
           'id', gen_random_uuid(), 'number', 1000 + n))).*
         from billing.invoices note, generate_series(1, 499) n
         where note.account_id = $1 and note.kind = 'credit_note'`,
        [accountId],
      ),
    );
    const archive = () => billing.call('GET', 'invoices/archive?', { accountId });
    expect(await archive()).toMatchObject({ status: 400, body: { errors: [{ field: 'from' }] } });
    expect([...(await unzipped('state=paid')).keys()]).toEqual([]);
    expect((await unzipped('state=returned')).size).toBe(1);
  });
});
