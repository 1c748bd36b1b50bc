import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { type ActiveSession, CurrentSession, RequireSession } from '../sessions/require-session.js';
import { ForgottenPasswordsService } from './forgotten-passwords.service.js';
import { PasswordChangesService } from './password-changes.service.js';
import {
  ChangePasswordRequest,
  ForgotPasswordRequest,
  ResetPasswordRequest,
} from './password-resets.dto.js';

@Controller('internal/dashboard/password')
@AllowCallers('gateway')
@UseInterceptors(SessionHeaders)
export class PasswordResetsController {
  constructor(
    private readonly forgotten: ForgottenPasswordsService,
    private readonly changes: PasswordChangesService,
  ) {}

  @Post('forgot')
  @HttpCode(202)
  forgot(@Body() request: ForgotPasswordRequest, @CurrentVisitor() visitor: Visitor) {
    return this.forgotten.forgot(request, visitor);
  }

  @Post('reset')
  @HttpCode(200)
  reset(@Body() request: ResetPasswordRequest, @CurrentVisitor() visitor: Visitor) {
    return this.changes.reset(request, visitor);
  }

  @Post('change')
  @HttpCode(200)
  @RequireSession()
  change(@CurrentSession() session: ActiveSession, @Body() request: ChangePasswordRequest) {
    return this.changes.change(session, request);
  }
}
