import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ZipFile } from 'yazl';
import { ARCHIVED_INVOICES_MAX, type InvoiceAnswer } from '#libs/contracts';
import { InvalidRequest } from '#libs/platform';
import { InvoiceEncryptionService } from '../invoice-encryption/invoice-encryption.service.js';
import { type AskedInvoices, OwnInvoicesService } from '../invoices/own-invoices.service.js';

const MISSING = 'missing.txt';

@Injectable()
export class InvoiceArchiveService {
  constructor(
    private readonly invoices: OwnInvoicesService,
    private readonly data: InvoiceEncryptionService,
  ) {}

  /**
   * Decrypts and sends invoices one after the other, as fast as the client reads them: only one PDF is in memory at a
   * time, and no transaction waits for the client. Invoices without a PDF are listed in `missing.txt`. If a PDF cannot
   * be decrypted, the ZIP file ends there, and no program accepts it as complete.
   * @throws InvalidRequest if there are too many invoices for one file.
   */
  async zip(accountId: string, asked: AskedInvoices): Promise<Readable> {
    const found = await this.invoices.newest(accountId, asked, ARCHIVED_INVOICES_MAX + 1);
    if (found.length > ARCHIVED_INVOICES_MAX) {
      const message = `must select at most ${ARCHIVED_INVOICES_MAX} invoices: choose a shorter period`;
      throw new InvalidRequest([{ field: 'from', message }]);
    }
    const zip = new ZipFile();
    const out = zip.outputStream as Readable;
    zip.on('error', (error: Error) => out.destroy(error));
    for (const invoice of found) if (this.isThere(invoice)) this.add(zip, accountId, invoice);
    const missing = found.filter((one) => !this.isThere(one)).map(({ number }) => number);
    if (missing.length > 0) {
      const text = `Not printed yet, or no longer kept:\n${missing.join('\n')}\n`;
      zip.addBuffer(Buffer.from(text), MISSING);
    }
    zip.end();
    return out;
  }

  private add(zip: ZipFile, accountId: string, { id, number, issued_at }: InvoiceAnswer): void {
    // PDFs are already compressed.
    const options = { compress: false, mtime: new Date(issued_at) };
    zip.addReadStreamLazy(`${number}.pdf`, options, (give) => {
      this.invoices.pdf(accountId, id).then(
        ({ pdf }) => give(null, Readable.from([pdf])),
        (error: Error) => give(error, Readable.from([])),
      );
    });
  }

  private isThere({ revision, issued_at: issuedAt }: InvoiceAnswer): boolean {
    return revision > 0 && new Date(issuedAt).getUTCFullYear() >= this.data.firstYearKept;
  }
}
