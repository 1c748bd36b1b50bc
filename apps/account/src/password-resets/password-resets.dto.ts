import { IsString, Length } from 'class-validator';
import { IsPassword } from '../registration/registration.dto.js';

export class ForgotPasswordRequest {
  @IsString()
  @Length(1, 254)
  email: string;
}

export class ResetPasswordRequest {
  @IsString()
  @Length(1, 100)
  token: string;

  @IsPassword()
  password: string;
}

export class ChangePasswordRequest {
  @IsString()
  @Length(1, 1_000)
  current_password: string;

  @IsPassword()
  password: string;
}
