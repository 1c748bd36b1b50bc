import { ValidateBy } from 'class-validator';
import { isMailAddress } from './mail-address.js';

/** Validates a member of a body that contains one e-mail address. */
export const IsEmailAddress = (): PropertyDecorator =>
  ValidateBy({
    name: 'isEmailAddress',
    validator: { validate: isMailAddress, defaultMessage: () => 'must be one e-mail address' },
  });
