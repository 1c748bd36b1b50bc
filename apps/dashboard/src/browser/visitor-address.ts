import type { FastifyRequest } from 'fastify';
import { forwardedAddress } from '#libs/platform';

/** Returns the address of a visitor, or that of the last proxy if what it forwards is not an address. */
export function visitorAddress({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  return forwardedAddress(ip) ?? socket.remoteAddress ?? '';
}
