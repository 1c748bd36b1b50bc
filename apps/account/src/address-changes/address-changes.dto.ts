import { IsString, Length } from 'class-validator';
import { IsEmailAddress } from '../registration/registration.dto.js';

export class ChangeAddressRequest {
  @IsEmailAddress()
  email: string;
}

export class ConfirmAddressRequest {
  @IsString()
  @Length(1, 100)
  token: string;
}
