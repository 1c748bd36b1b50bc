import { IsOptional, IsString, Matches } from 'class-validator';
import { Setting } from '../config.js';
import { SERVICE_SECRET_FORM } from './service-secret.js';

/** For a setting that holds one secret, or two while it is rotated. */
export const IsServiceSecret = () =>
  Matches(SERVICE_SECRET_FORM, {
    message:
      '$property must have at least 32 characters, on each of its two lines at most, or the lines of one service',
  });

/** How a service proves to another who it is; every service's config class extends it. */
export class ServiceSecretConfig {
  @Setting({
    env: 'SERVICE_SECRET',
    about:
      'Signs the tokens between services: one secret of the whole installation (a second line is accepted too, while it is rotated), or the lines that `cli secrets` makes for this service alone.',
    secret: true,
    generated: true,
  })
  @IsServiceSecret()
  serviceSecret: string;

  @Setting({
    env: 'SERVICE_SECRET_FILE',
    about: 'File of SERVICE_SECRET, which is read again whenever it changes.',
  })
  @IsOptional()
  @IsString()
  serviceSecretFile?: string;
}
