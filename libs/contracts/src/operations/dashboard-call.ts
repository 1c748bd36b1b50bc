import type { Access } from './access.js';
import { text } from './kinds.js';
import type { Method, Operation, OwnerService } from './operation.js';

type DashboardCall = Pick<Operation, 'method' | 'routes' | 'owner' | 'price'> & {
  access: Access;
  parameters: Record<never, never>;
};

/**
 * Returns the settings that most calls on the dashboard's origin share: they are free, need a session and take no
 * parameter. The owner serves them at the same path, below its prefix for the dashboard.
 */
export function dashboardCall(
  service: OwnerService,
  address: `${Method} /api/${string}`,
): DashboardCall {
  const [method, path] = address.split(' ') as [Method, string];
  const kept = service === 'account' ? '/internal/dashboard' : '/internal';
  return {
    method,
    routes: [{ path, version: 2 }],
    access: { kind: 'session' },
    owner: { service, path: path.replace('/api', kept) },
    parameters: {},
    price: { per: 'free' },
  };
}

/**
 * Returns the form that a call with a key has on the dashboard's origin: below `/api`, for a session. The owner answers
 * both forms through one route. The pages send the idempotency keys of their forms to the owner themselves.
 */
export function atDashboard(row: Operation): Operation {
  const path = row.routes[0].path.replace('/v2.0', '/api');
  return {
    ...row,
    name: `own-${row.name}`,
    routes: [{ path, version: 2 }],
    access: { kind: 'session' },
    takesIdempotencyKey: false,
  };
}

export const FOR_VISITORS = { kind: 'public', listener: 'dashboard' } as const satisfies Access;

/** The access of calls that also accept a deleted account, which may be restored. */
export const IN_ANY_STATE = {
  kind: 'session',
  accountStates: ['active', 'deleted'],
} as const satisfies Access;

/** Returns the path parameter `id` of a call about one object. @param thing its everyday name: "order". */
export function idOf<const Example extends string>(thing: string, example: Example) {
  return {
    id: { kind: text(64), about: `Id of the ${thing}`, example, in: 'path' },
  } as const;
}
