import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, DAY_MS, NotFound } from '#libs/platform';
import { InvoiceDataDestroyed } from '../invoice-encryption/invoice-encryption.errors.js';
import { InvoiceEncryptionService } from '../invoice-encryption/invoice-encryption.service.js';
import { JudgedTaxIdsService } from '../tax-ids/judged-tax-ids.service.js';
import { type Buyer, type InvoiceDocument, buyerOf } from '../invoice-pdf/invoice-document.js';
import type { Contact } from '../contacts/contacts.service.js';
import { TooManyRevisions } from './invoices.errors.js';
import type { InvoiceRevision } from './invoice-revision.entity.js';
import { type Invoice, invoiceNumber, yearOf } from './invoice.entity.js';
import { InvoicesRepository } from './invoices.repository.js';
import { RevisionsRepository } from './revisions.repository.js';

/** Maximum number of reprints per account and day. Each revision is kept as long as its invoice. */
const REVISIONS_A_DAY_MAX = 20;

/** A document that is printed but not yet stored. */
export interface PrintedInvoice {
  invoice: Invoice;
  revision: number;
  buyer: Buyer | null;
  printedAt: Date;
  pdf: Buffer;
  isNew: boolean;
}

/** Prints invoices as documents. Each state of a buyer's details is a revision under the same number. */
@Injectable()
export class RevisionsService {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesRepository,
    private readonly revisions: RevisionsRepository,
    private readonly data: InvoiceEncryptionService,
    private readonly taxIds: JudgedTaxIdsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Prints an invoice with its buyer's current details, unless the latest revision already shows them. The first print
   * shows the tax id that determined the tax, even if the details have changed by then; later, the buyer may replace
   * that id, but not remove it.
   * @param contact null for an erased account.
   * @throws NotFound, TooManyRevisions, InvoiceDataDestroyed.
   */
  async print(
    accountId: string,
    invoiceId: string,
    contact: Contact | null,
  ): Promise<PrintedInvoice> {
    const { invoice, latest, judgedBy } = await this.database.transaction(async (transaction) => {
      const found = await this.invoices.find(transaction, accountId, invoiceId);
      if (!found) throw new NotFound();
      this.data.checkKept(yearOf(found));
      const subject = { accountId, subjectId: invoiceId };
      return {
        invoice: found,
        latest: await this.open(transaction, found),
        judgedBy: await this.taxIds.find(transaction, subject),
      };
    });
    const given = contact && buyerOf(contact);
    const taxId = latest ? (given?.taxId ?? judgedBy) : (judgedBy ?? given?.taxId ?? null);
    const buyer = given && { ...given, taxId };
    if (latest && isDeepStrictEqual(latest.buyer, buyer)) return { ...latest, isNew: false };
    const revision = (latest?.revision ?? 0) + 1;
    const printedAt = this.clock.now();
    if (revision > 1) await this.checkRevisions(accountId, printedAt);
    const printed = { revision, buyer, printedAt };
    // Loaded with the first invoice, because its fonts would delay each start.
    const { renderPdf } = await import('../invoice-pdf/pdf-renderer.js');
    const pdf = await renderPdf(documentOf(invoice, printed));
    return { invoice, ...printed, pdf, isNew: true };
  }

  /** Checks the limit on reprints. Simultaneous requests may exceed it slightly. @throws TooManyRevisions. */
  private async checkRevisions(accountId: string, now: Date): Promise<void> {
    const since = new Date(now.getTime() - DAY_MS);
    const made = await this.database.transaction((transaction) =>
      this.revisions.countSince(transaction, accountId, since),
    );
    if (made >= REVISIONS_A_DAY_MAX) throw new TooManyRevisions(REVISIONS_A_DAY_MAX);
  }

  /**
   * Stores a printed document unless another process has printed it in the meantime.
   * @returns the document that is now stored.
   */
  async keep(transaction: Transaction, printed: PrintedInvoice): Promise<PrintedInvoice> {
    const { invoice, revision, buyer, printedAt, pdf, isNew } = printed;
    if (!isNew) return printed;
    const { id: invoiceId, accountId } = invoice;
    await this.revisions.lock(transaction, accountId, invoiceId);
    const latest = await this.open(transaction, invoice);
    if (latest && latest.revision >= revision) return latest;
    const of = { accountId, year: yearOf(invoice) };
    await this.revisions.insert(transaction, {
      invoiceId,
      revision,
      accountId,
      buyer: await this.data.encrypt(transaction, of, Buffer.from(JSON.stringify(buyer))),
      pdf: await this.data.encrypt(transaction, of, pdf),
      sha256: hashOf(pdf),
      printedAt,
    });
    return printed;
  }

  /**
   * Decrypts the latest document. @returns null if there is none yet.
   * @throws InvoiceDataDestroyed; Error if its bytes differ from those that were printed.
   */
  async open(transaction: Transaction, invoice: Invoice): Promise<PrintedInvoice | null> {
    const { accountId, id } = invoice;
    const row = await this.revisions.findLatest(transaction, accountId, id);
    return row && this.opened(transaction, invoice, row);
  }

  private async opened(
    transaction: Transaction,
    invoice: Invoice,
    { accountId, revision, buyer, pdf, sha256, printedAt }: InvoiceRevision,
  ): Promise<PrintedInvoice> {
    const of = { accountId, year: yearOf(invoice) };
    const bytes = await this.data.decrypt(transaction, of, pdf);
    const said = await this.data.decrypt(transaction, of, buyer);
    if (!bytes || !said) throw new InvoiceDataDestroyed();
    if (!hashOf(bytes).equals(sha256)) {
      throw new Error(`revision ${revision} of invoice ${invoice.id} is not what was printed`);
    }
    return {
      invoice,
      revision,
      buyer: JSON.parse(said.toString('utf8')) as Buyer | null,
      printedAt,
      pdf: bytes,
      isNew: false,
    };
  }
}

export const hashOf = (pdf: Buffer) => createHash('sha256').update(pdf).digest();

function documentOf(
  invoice: Invoice,
  printed: Pick<InvoiceDocument, 'revision' | 'buyer' | 'printedAt'>,
): InvoiceDocument {
  const { kind, corrects, lines, taxMicros, totalMicros, carriedMicros, isReverseCharge } = invoice;
  const { currency, seller, paidBy } = invoice;
  return {
    kind,
    number: invoiceNumber(invoice),
    issuedAt: invoice.issuedAt,
    corrects,
    ...printed,
    seller,
    accountId: invoice.accountId,
    lines,
    taxMicros,
    isReverseCharge,
    totalMicros,
    carriedMicros,
    currency,
    paidBy,
  };
}
