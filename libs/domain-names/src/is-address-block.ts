import { ValidateBy, type ValidationOptions } from 'class-validator';
import { isAddressBlock } from './address-block.js';

/** Validates that a setting or a member of a body is an IP address or a CIDR block. */
export const IsAddressBlock = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isAddressBlock',
      validator: {
        validate: isAddressBlock,
        defaultMessage: () => 'must be IP addresses or CIDR blocks',
      },
    },
    options,
  );
