import { ValidateBy } from 'class-validator';
import { isMailAddress } from './mail-address.js';

/** For bodies: one e-mail address. */
export const IsEmailAddress = (): PropertyDecorator =>
  ValidateBy({
    name: 'isEmailAddress',
    validator: { validate: isMailAddress, defaultMessage: () => 'must be one e-mail address' },
  });
