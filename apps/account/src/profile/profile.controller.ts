import { Body, Controller } from '@nestjs/common';
import { PROFILE, PROFILE_UPDATE, UpdateProfileRequest } from '#libs/contracts';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { ProfileService } from './profile.service.js';

@Controller()
export class ProfileController {
  constructor(private readonly profile: ProfileService) {}

  @ServesBrowser(PROFILE)
  get(@CurrentSession() owner: ActiveSession) {
    return this.profile.get(owner);
  }

  @ServesBrowser(PROFILE_UPDATE)
  update(@CurrentSession() owner: ActiveSession, @Body() request: UpdateProfileRequest) {
    return this.profile.update(owner, request);
  }
}
