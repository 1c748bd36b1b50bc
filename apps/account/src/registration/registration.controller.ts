import { Body, Controller, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { ConfirmationService } from './confirmation.service.js';
import { ConfirmRequest, SignUpRequest } from './registration.dto.js';
import { RegistrationService } from './registration.service.js';

@Controller('internal/dashboard/sign-up')
@AllowCallers('gateway')
@UseInterceptors(SessionHeaders)
export class RegistrationController {
  constructor(
    private readonly registration: RegistrationService,
    private readonly confirmation: ConfirmationService,
  ) {}

  @Post()
  @HttpCode(202)
  signUp(@Body() request: SignUpRequest, @CurrentVisitor() visitor: Visitor) {
    return this.registration.signUp(request, visitor);
  }

  @Post('confirm')
  confirm(@Body() request: ConfirmRequest, @CurrentVisitor() visitor: Visitor) {
    return this.confirmation.confirm(request, visitor);
  }
}
