import { Body, Controller, UseInterceptors } from '@nestjs/common';
import { ACCOUNT_DELETE, ACCOUNT_RESTORE, DeleteAccountRequest } from '#libs/contracts';
import { SessionHeaders } from '../sessions/session-headers.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { DeletionService } from './deletion.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class DeletionController {
  constructor(private readonly deletion: DeletionService) {}

  @ServesBrowser(ACCOUNT_DELETE)
  delete(@CurrentSession() owner: ActiveSession, @Body() request: DeleteAccountRequest) {
    return this.deletion.delete(owner, request);
  }

  @ServesBrowser(ACCOUNT_RESTORE)
  restore(@CurrentSession() owner: ActiveSession) {
    return this.deletion.restore(owner);
  }
}
