import { Body, Controller, Param, UseInterceptors } from '@nestjs/common';
import {
  AddPasskeyRequest,
  LOG_IN_PASSKEY,
  LOG_IN_PASSKEY_BEGIN,
  PASSKEYS,
  PASSKEY_ADD,
  PASSKEY_BEGIN,
  PASSKEY_REMOVE,
  PASSKEY_RENAME,
  PasskeyLogInRequest,
  RenamePasskeyRequest,
} from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { OwnPasskeysService } from './own-passkeys.service.js';
import { PasskeyLogInService } from './passkey-log-in.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class PasskeysController {
  constructor(
    private readonly logIns: PasskeyLogInService,
    private readonly own: OwnPasskeysService,
    private readonly attempts: LinkAttemptsService,
  ) {}

  @ServesBrowser(LOG_IN_PASSKEY_BEGIN)
  beginLogIn(@CurrentVisitor() visitor: Visitor) {
    return this.logIns.begin(visitor);
  }

  @ServesBrowser(LOG_IN_PASSKEY)
  logIn(@Body() request: PasskeyLogInRequest, @CurrentVisitor() visitor: Visitor) {
    return this.attempts.countStep(visitor, () => this.logIns.logIn(request, visitor));
  }

  @ServesBrowser(PASSKEYS)
  list(@CurrentSession() owner: ActiveSession) {
    return this.own.list(owner);
  }

  @ServesBrowser(PASSKEY_BEGIN)
  begin(@CurrentSession() owner: ActiveSession) {
    return this.own.begin(owner);
  }

  @ServesBrowser(PASSKEY_ADD)
  add(@CurrentSession() owner: ActiveSession, @Body() request: AddPasskeyRequest) {
    return this.own.add(owner, request);
  }

  @ServesBrowser(PASSKEY_RENAME)
  rename(
    @CurrentSession() owner: ActiveSession,
    @Param('id') id: string,
    @Body() request: RenamePasskeyRequest,
  ) {
    return this.own.rename(owner, id, request);
  }

  @ServesBrowser(PASSKEY_REMOVE)
  remove(@CurrentSession() owner: ActiveSession, @Param('id') id: string) {
    return this.own.remove(owner, id);
  }
}
