import { Controller } from '@nestjs/common';
import { ACCOUNT_EXPORT } from '#libs/contracts';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { ExportService } from './account-export.service.js';

@Controller()
export class ExportController {
  constructor(private readonly exports: ExportService) {}

  @ServesBrowser(ACCOUNT_EXPORT)
  async export(@CurrentSession() owner: ActiveSession) {
    return this.exports.begin(owner);
  }
}
