import { IsString, Length, Matches, ValidateBy } from 'class-validator';
import { isMailAddress } from '#libs/mail';

/**
 * Letters of any script and what names are written with. No dot before a letter and no slash: a name
 * that mail programs turn into a link would make our mail carry somebody's advertisement.
 */
const NAME = /^(?!.*\.\S)[\p{L}\p{M}][\p{L}\p{M}\p{N} .'’-]{0,49}$/u;

export const IsFirstName = () =>
  Matches(NAME, { message: 'must be a name of 1 to 50 letters, spaces, hyphens and apostrophes' });

export const IsEmailAddress = () =>
  ValidateBy({
    name: 'isEmailAddress',
    validator: { validate: isMailAddress, defaultMessage: () => 'must be one e-mail address' },
  });

/** The rules of passwords are checked by `PasswordsService`. */
export const IsPassword = () => IsString({ message: 'must be a text' });

export class SignUpRequest {
  @IsFirstName()
  first_name: string;

  @IsEmailAddress()
  email: string;

  @IsPassword()
  password: string;
}

export class ConfirmRequest {
  @IsString()
  @Length(1, 100)
  token: string;
}

export interface SignUpResponse {
  status: 'confirmation_sent';
}

export interface ConfirmedResponse {
  account_id: string;
  /** The first live key, shown this once. */
  key: string;
  /** Answers fixtures, for 0 credits; shown this once. */
  test_key: string;
}
