import { Body, Controller, UseInterceptors } from '@nestjs/common';
import { ConfirmSignUpRequest, SIGN_UP, SIGN_UP_CONFIRM, SignUpRequest } from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { ServesBrowser } from '../sessions/session-guard.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { ConfirmationService } from './confirmation.service.js';
import { RegistrationService } from './registration.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class RegistrationController {
  constructor(
    private readonly attempts: LinkAttemptsService,
    private readonly registration: RegistrationService,
    private readonly confirmation: ConfirmationService,
  ) {}

  @ServesBrowser(SIGN_UP)
  signUp(@Body() request: SignUpRequest, @CurrentVisitor() visitor: Visitor) {
    return this.registration.signUp(request, visitor);
  }

  @ServesBrowser(SIGN_UP_CONFIRM)
  confirm(@Body() request: ConfirmSignUpRequest, @CurrentVisitor() visitor: Visitor) {
    return this.attempts.count(visitor, () => this.confirmation.confirm(request, visitor));
  }
}
