import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  UseInterceptors,
} from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { CurrentSessionsService } from './current-sessions.service.js';
import { LogInService } from './log-in.service.js';
import { SessionHeaders } from './session-headers.js';
import { LogInRequest, ReauthenticateRequest } from './sessions.dto.js';
import { SessionsService } from './sessions.service.js';
import { type ActiveSession, CurrentSession, RequireSession } from './require-session.js';

@Controller('internal')
@UseInterceptors(SessionHeaders)
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly logIns: LogInService,
    private readonly current: CurrentSessionsService,
  ) {}

  @Post('dashboard/log-in')
  @HttpCode(200)
  @AllowCallers('gateway')
  logIn(@Body() request: LogInRequest, @CurrentVisitor() visitor: Visitor) {
    return this.logIns.logIn(request, visitor);
  }

  @Post('dashboard/log-out')
  @HttpCode(200)
  @RequireSession({ deletedToo: true })
  logOut(@CurrentSession() session: ActiveSession) {
    return this.sessions.logOut(session);
  }

  @Get('dashboard/session')
  @RequireSession({ deletedToo: true })
  session(@CurrentSession() session: ActiveSession) {
    return this.sessions.current(session);
  }

  @Post('dashboard/session/reauthenticate')
  @HttpCode(200)
  @RequireSession()
  reauthenticate(@CurrentSession() session: ActiveSession, @Body() request: ReauthenticateRequest) {
    return this.logIns.reauthenticate(session, request);
  }

  @Get('dashboard/sessions')
  @RequireSession()
  list(@CurrentSession() session: ActiveSession) {
    return this.sessions.list(session);
  }

  @Delete('dashboard/sessions/:id')
  @RequireSession()
  end(@CurrentSession() session: ActiveSession, @Param('id') id: string) {
    return this.sessions.end(session, id);
  }

  /** For the calls that the gateway sends to other services. */
  @Get('sessions/current')
  @AllowCallers('gateway')
  async find(@Headers('x-session-token') token?: string) {
    return { session: await this.current.describe(token) };
  }
}
