import type { InvoiceKind } from '#libs/contracts';
import type { Buyer, InvoiceDocument, Seller } from './invoice-document.js';
import { moneyText } from '../pricing/money-text.js';
import { taxNameOf } from '../tax/tax-rates.js';
import { printable } from './printable-text.js';

/** A piece of a page in pdfmake's format, or plain text. */
export type Content = string | { readonly [member: string]: unknown };

export interface Layout {
  content: Content[];
  [member: string]: unknown;
}

const TITLES: Readonly<Record<InvoiceKind, string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  debit_note: 'Debit note',
};

/** The text required by Council Directive 2006/112/EC, article 226 (11a). */
const REVERSE_CHARGE = 'Reverse charge: the recipient owes the tax.';
const SMALL = 8;
const GREY = '#555555';

/** Returns the document in pdfmake's format, as pure data, so that no text can become markup. */
export function layoutOf(document: InvoiceDocument): Layout {
  const { kind, number, issuedAt, seller } = document;
  const title = `${TITLES[kind]} ${number}`;
  return {
    // Nothing depends on the time of printing, so two prints have equal bytes.
    info: { title, author: printable(seller.name), creationDate: issuedAt, producer: 'pdfmake' },
    language: 'en',
    pageSize: 'A4',
    pageMargins: [56, 56, 56, 64],
    defaultStyle: { font: 'Roboto', fontSize: 10, lineHeight: 1.15 },
    content: [
      { text: title, fontSize: 18, bold: true, margin: [0, 0, 0, 16] },
      { columns: [partyOf('From', sellerLines(seller)), partyOf('To', buyerLines(document))] },
      { ...table(facts(document), ['auto', '*']), layout: 'noBorders', margin: [0, 16, 0, 16] },
      linesOf(document),
      { ...table(totals(document), ['*', 'auto']), layout: 'noBorders', margin: [0, 12, 0, 0] },
      ...(document.isReverseCharge ? [{ text: REVERSE_CHARGE, margin: [0, 12, 0, 0] }] : []),
    ],
    footer: (page: number, pages: number) => ({
      text: `${number} · page ${page} of ${pages}`,
      alignment: 'center',
      fontSize: SMALL,
      color: GREY,
      margin: [0, 24, 0, 0],
    }),
  };
}

function partyOf(role: string, [name, ...lines]: readonly string[]): Content {
  return {
    stack: [
      { text: role, fontSize: SMALL, color: GREY },
      { text: printable(name), bold: true },
      ...lines.map((line) => printable(line)),
    ],
    margin: [0, 0, 12, 0],
  };
}

function sellerLines({ name, address, taxId }: Seller): string[] {
  return [name, ...address, ...taxLines(taxId)];
}

function buyerLines({ buyer, accountId }: InvoiceDocument): string[] {
  if (!buyer) return [`Account ${accountId}`];
  const { name, contact, address, email, taxId }: Buyer = buyer;
  return [name, ...(contact === null ? [] : [contact]), ...address, email, ...taxLines(taxId)];
}

const taxLines = (taxId: string | null) => (taxId === null ? [] : [`Tax ID: ${taxId}`]);

function facts(document: InvoiceDocument): Content[][] {
  const { corrects, revision, paidBy, buyer, kind } = document;
  const note: [string, string][] = corrects === null ? [] : [['Corrects invoice', corrects]];
  const order = buyer?.purchaseOrder;
  const rows: [string, string][] = [
    ['Date', day(document.issuedAt)],
    ...note,
    ...(order ? [['Purchase order', order] as [string, string]] : []),
    [
      kind === 'credit_note' ? 'Returned by' : 'Paid by',
      `${paidBy.title ?? paidBy.processor}, ${paidBy.reference}`,
    ],
    ['Account', document.accountId],
  ];
  if (revision > 1) rows.push(['Revision', `${revision}, printed ${day(document.printedAt)}`]);
  return rows.map(([name, text]) => [{ text: name, color: GREY }, printable(text)]);
}

function linesOf({ lines, currency }: InvoiceDocument): Content {
  const head = ['Description', 'Quantity', `Net (${currency})`].map((text, column) => ({
    text,
    bold: true,
    alignment: alignment(column),
  }));
  const rows = lines.map(({ text, quantity, netMicros }) =>
    [printable(text), String(quantity), moneyText(BigInt(netMicros))].map((cell, column) => ({
      text: cell,
      alignment: alignment(column),
    })),
  );
  const { table: body } = table([head, ...rows], ['*', 'auto', 'auto']);
  return { table: { ...body, headerRows: 1, dontBreakRows: true }, layout: 'lightHorizontalLines' };
}

function totals(document: InvoiceDocument): Content[][] {
  const { lines, totalMicros, taxMicros, carriedMicros, currency } = document;
  const rows: [string, bigint][] = [
    ['Net', totalMicros - taxMicros],
    [taxMicros > 0n ? taxNameOf(lines[0].taxPpm) : 'Tax', taxMicros],
    ['Total', totalMicros],
    ...(carriedMicros === 0n ? [] : carriedRows(totalMicros, carriedMicros)),
  ];
  return rows.map(([name, micros]) =>
    [name, `${moneyText(micros)} ${currency}`].map((text) => ({
      text,
      alignment: 'right',
      bold: name === 'Total',
    })),
  );
}

/** Returns the rows for the amount carried over from or to another bill and for the amount paid. */
const carriedRows = (totalMicros: bigint, carriedMicros: bigint): [string, bigint][] => [
  [`Carried over ${carriedMicros > 0n ? 'from an earlier bill' : 'or deducted'}`, carriedMicros],
  ['Paid', totalMicros + carriedMicros],
];

const table = (body: Content[][], widths: string[]) => ({ table: { body, widths } });
const alignment = (column: number) => (column === 0 ? 'left' : 'right');
const day = (date: Date) => date.toISOString().slice(0, 10);
