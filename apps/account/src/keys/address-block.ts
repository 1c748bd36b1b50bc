import { isIP } from 'node:net';
import { ValidateBy, type ValidationOptions } from 'class-validator';

const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;

/** True for an IPv4 or IPv6 address or a CIDR block (RFC 4632, RFC 4291 §2.3); no zone, no host name. */
export function isAddressBlock(value: unknown): boolean {
  if (typeof value !== 'string' || value.includes('%')) return false;
  const [address, prefix, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return PREFIX.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

export const IsAddressBlock = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isAddressBlock',
      validator: {
        validate: isAddressBlock,
        defaultMessage: () => 'each must be an IP address or a CIDR block',
      },
    },
    options,
  );
