import { Readable } from 'node:stream';
import { Controller, StreamableFile } from '@nestjs/common';
import { ACCOUNT_EXPORT } from '#libs/contracts';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { ExportService } from './export.service.js';

@Controller()
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @ServesBrowser(ACCOUNT_EXPORT)
  async export(@CurrentSession() owner: ActiveSession) {
    const text = await this.exports.begin(owner);
    return new StreamableFile(Readable.from(text, { objectMode: false }), {
      type: 'application/json',
    });
  }
}
