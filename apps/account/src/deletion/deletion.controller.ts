import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { SessionHeaders } from '../sessions/session-headers.js';
import { type ActiveSession, CurrentSession, SignedIn } from '../sessions/signed-in.js';
import { DeleteAccountRequest } from './deletion.dto.js';
import { DeletionService } from './deletion.service.js';

@Controller('internal/dashboard/account')
@UseInterceptors(SessionHeaders)
export class DeletionController {
  constructor(private readonly deletion: DeletionService) {}

  @Post('delete')
  @HttpCode(200)
  @SignedIn()
  delete(@CurrentSession() owner: ActiveSession, @Body() request: DeleteAccountRequest) {
    return this.deletion.delete(owner, request);
  }

  @Post('restore')
  @HttpCode(200)
  @SignedIn({ deletedToo: true })
  restore(@CurrentSession() owner: ActiveSession) {
    return this.deletion.restore(owner);
  }
}
