import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { SessionHeaders } from '../sessions/session-headers.js';
import { type ActiveSession, CurrentSession, RequireSession } from '../sessions/require-session.js';
import { DeleteAccountRequest } from './deletion.dto.js';
import { DeletionService } from './deletion.service.js';

@Controller('internal/dashboard/account')
@UseInterceptors(SessionHeaders)
export class DeletionController {
  constructor(private readonly deletion: DeletionService) {}

  @Post('delete')
  @HttpCode(200)
  @RequireSession()
  delete(@CurrentSession() owner: ActiveSession, @Body() request: DeleteAccountRequest) {
    return this.deletion.delete(owner, request);
  }

  @Post('restore')
  @HttpCode(200)
  @RequireSession({ deletedToo: true })
  restore(@CurrentSession() owner: ActiveSession) {
    return this.deletion.restore(owner);
  }
}
