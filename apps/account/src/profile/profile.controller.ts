import { Body, Controller, Get, Patch } from '@nestjs/common';
import { type ActiveSession, CurrentSession, RequireSession } from '../sessions/require-session.js';
import { UpdateProfileRequest } from './profile.dto.js';
import { ProfileService } from './profile.service.js';

@Controller('internal/dashboard/account')
export class ProfileController {
  constructor(private readonly profile: ProfileService) {}

  @Get()
  @RequireSession()
  get(@CurrentSession() owner: ActiveSession) {
    return this.profile.get(owner);
  }

  @Patch()
  @RequireSession()
  update(@CurrentSession() owner: ActiveSession, @Body() request: UpdateProfileRequest) {
    return this.profile.update(owner, request);
  }
}
