import { Body, Controller, UseInterceptors } from '@nestjs/common';
import {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  PASSWORD_CHANGE,
  PASSWORD_FORGOT,
  PASSWORD_RESET,
  ResetPasswordRequest,
} from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { ForgottenPasswordsService } from './forgotten-passwords.service.js';
import { MailedResetsService } from './mailed-resets.service.js';
import { PasswordChangesService } from './password-changes.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class PasswordResetsController {
  constructor(
    private readonly forgotten: ForgottenPasswordsService,
    private readonly mailed: MailedResetsService,
    private readonly changes: PasswordChangesService,
  ) {}

  @ServesBrowser(PASSWORD_FORGOT)
  forgot(@Body() request: ForgotPasswordRequest, @CurrentVisitor() visitor: Visitor) {
    return this.forgotten.forgot(request, visitor);
  }

  @ServesBrowser(PASSWORD_RESET)
  reset(@Body() request: ResetPasswordRequest, @CurrentVisitor() visitor: Visitor) {
    return this.mailed.reset(request, visitor);
  }

  @ServesBrowser(PASSWORD_CHANGE)
  change(@CurrentSession() session: ActiveSession, @Body() request: ChangePasswordRequest) {
    return this.changes.change(session, request);
  }
}
