import { Body, Controller, UseInterceptors } from '@nestjs/common';
import {
  CodeRequest,
  SECOND_FACTOR,
  SECOND_FACTOR_BEGIN,
  SECOND_FACTOR_CODES,
  SECOND_FACTOR_CONFIRM,
  SECOND_FACTOR_REMOVE,
} from '#libs/contracts';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { OwnSecondFactorService } from './own-second-factor.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class SecondFactorController {
  constructor(private readonly own: OwnSecondFactorService) {}

  @ServesBrowser(SECOND_FACTOR)
  describe(@CurrentSession() owner: ActiveSession) {
    return this.own.describe(owner);
  }

  @ServesBrowser(SECOND_FACTOR_BEGIN)
  begin(@CurrentSession() owner: ActiveSession) {
    return this.own.begin(owner);
  }

  @ServesBrowser(SECOND_FACTOR_CONFIRM)
  confirm(@CurrentSession() owner: ActiveSession, @Body() { code }: CodeRequest) {
    return this.own.confirm(owner, code);
  }

  @ServesBrowser(SECOND_FACTOR_CODES)
  newCodes(@CurrentSession() owner: ActiveSession, @Body() { code }: CodeRequest) {
    return this.own.newCodes(owner, code);
  }

  @ServesBrowser(SECOND_FACTOR_REMOVE)
  remove(@CurrentSession() owner: ActiveSession, @Body() { code }: CodeRequest) {
    return this.own.remove(owner, code);
  }
}
