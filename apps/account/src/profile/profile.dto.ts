import type { AccountState } from '#libs/contracts';
import { IsFirstName } from '../registration/registration.dto.js';

export class UpdateProfileRequest {
  @IsFirstName()
  first_name: string;
}

export interface ProfileResponse {
  id: string;
  state: AccountState;
  first_name: string;
  email: string;
  created_at: string;
}
