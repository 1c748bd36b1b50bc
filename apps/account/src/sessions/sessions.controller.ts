import { Controller, Get, Headers, Param, UseInterceptors } from '@nestjs/common';
import { LOG_OUT, SESSION, SESSION_END, SESSIONS, SESSIONS_END_OTHERS } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { CurrentSessionsService } from './current-sessions.service.js';
import { SessionHeaders } from './session-headers.js';
import { SessionsService } from './sessions.service.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from './session-guard.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly current: CurrentSessionsService,
  ) {}

  @ServesBrowser(LOG_OUT)
  logOut(@CurrentSession() session: ActiveSession) {
    return this.sessions.logOut(session);
  }

  @ServesBrowser(SESSION)
  session(@CurrentSession() session: ActiveSession) {
    return this.sessions.current(session);
  }

  @ServesBrowser(SESSIONS)
  list(@CurrentSession() session: ActiveSession) {
    return this.sessions.list(session);
  }

  @ServesBrowser(SESSION_END)
  end(@CurrentSession() session: ActiveSession, @Param('id') id: string) {
    return this.sessions.end(session, id);
  }

  @ServesBrowser(SESSIONS_END_OTHERS)
  endOthers(@CurrentSession() session: ActiveSession) {
    return this.sessions.endOthers(session);
  }

  @Get('internal/sessions/current')
  @AllowCallers('dashboard', 'gateway')
  async find(@Headers('x-session-token') token?: string) {
    return { session: await this.current.describe(token) };
  }
}
