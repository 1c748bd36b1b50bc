import { Body, Controller, Get, Patch } from '@nestjs/common';
import { type ActiveSession, CurrentSession, SignedIn } from '../sessions/signed-in.js';
import { UpdateProfileRequest } from './profile.dto.js';
import { ProfileService } from './profile.service.js';

@Controller('internal/dashboard/account')
export class ProfileController {
  constructor(private readonly profile: ProfileService) {}

  @Get()
  @SignedIn()
  get(@CurrentSession() owner: ActiveSession) {
    return this.profile.get(owner);
  }

  @Patch()
  @SignedIn()
  update(@CurrentSession() owner: ActiveSession, @Body() request: UpdateProfileRequest) {
    return this.profile.update(owner, request);
  }
}
