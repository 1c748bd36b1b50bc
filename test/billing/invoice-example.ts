import type {
  Buyer,
  InvoiceDocument,
} from '../../apps/billing/src/invoice-pdf/invoice-document.js';

export const BUYER: Buyer = {
  name: 'Example Holdings GmbH',
  contact: 'Ada',
  email: 'ada@payer.example',
  address: ['1 Quay', '20457 Hamburg', 'DE'],
  taxId: 'DE123456789',
  purchaseOrder: 'PO 7',
};

export function invoiceDocument(members: Partial<InvoiceDocument> = {}): InvoiceDocument {
  return {
    kind: 'invoice',
    number: 'INV-2026-000042',
    issuedAt: new Date('2026-03-02T09:00:00Z'),
    corrects: null,
    revision: 1,
    printedAt: new Date('2026-03-02T09:00:01Z'),
    seller: { name: 'Domain Data Ltd', address: ['2 Pier', 'Leith'], taxId: 'GB123456789' },
    buyer: BUYER,
    accountId: '019a5f00-0000-7000-8000-000000000009',
    lines: [{ text: '15,000 credits', quantity: 1, netMicros: '54000000', taxPpm: 190_000 }],
    taxMicros: 0n,
    isReverseCharge: false,
    totalMicros: 54_000_000n,
    carriedMicros: 0n,
    currency: 'USD',
    paidBy: { processor: 'stripe', title: 'Stripe', reference: 'pi_123' },
    ...members,
  };
}
