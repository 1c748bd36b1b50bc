import { Body, Controller } from '@nestjs/common';
import { PROFILE, PROFILE_UPDATE, UpdateProfileRequest } from '#libs/contracts';
import { type ActiveSession, CurrentSession, Serves } from '../sessions/session-guard.js';
import { ProfileService } from './profile.service.js';

@Controller()
export class ProfileController {
  constructor(private readonly profile: ProfileService) {}

  @Serves(PROFILE)
  get(@CurrentSession() owner: ActiveSession) {
    return this.profile.get(owner);
  }

  @Serves(PROFILE_UPDATE)
  update(@CurrentSession() owner: ActiveSession, @Body() request: UpdateProfileRequest) {
    return this.profile.update(owner, request);
  }
}
