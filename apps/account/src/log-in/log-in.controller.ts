import { Body, Controller, UseInterceptors } from '@nestjs/common';
import {
  CodeRequest,
  LOG_IN,
  LOG_IN_CODE,
  LogInRequest,
  REAUTHENTICATE,
  ReauthenticateRequest,
} from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { LogInService } from './log-in.service.js';
import { ReauthenticationService } from './reauthentication.service.js';
import { SecondStepService } from './second-step.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class LogInController {
  constructor(
    private readonly logIns: LogInService,
    private readonly secondSteps: SecondStepService,
    private readonly reauthentication: ReauthenticationService,
    private readonly attempts: LinkAttemptsService,
  ) {}

  @ServesBrowser(LOG_IN)
  logIn(@Body() request: LogInRequest, @CurrentVisitor() visitor: Visitor) {
    return this.logIns.logIn(request, visitor);
  }

  @ServesBrowser(LOG_IN_CODE)
  logInWithCode(@Body() request: CodeRequest, @CurrentVisitor() visitor: Visitor) {
    return this.attempts.countStep(visitor, () => this.secondSteps.logIn(request, visitor));
  }

  @ServesBrowser(REAUTHENTICATE)
  reauthenticate(@CurrentSession() session: ActiveSession, @Body() request: ReauthenticateRequest) {
    return this.reauthentication.reauthenticate(session, request);
  }
}
