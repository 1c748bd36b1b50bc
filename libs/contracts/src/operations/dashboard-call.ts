import type { Access } from './access.js';
import { text } from './kinds.js';
import type { Method, Operation, OwnerService } from './operation.js';

type DashboardCall = Pick<Operation, 'method' | 'routes' | 'owner' | 'price'> & {
  access: Access;
  parameters: Record<never, never>;
};

/**
 * What most calls of the dashboard's origin have in common: they are free, need a session and take no parameter. Their
 * owner has them at the same path, below what it keeps for the dashboard.
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
 * A call by key as the dashboard's origin has it: below `/api`, for a session. The owner answers both by one route.
 * A page may send a form once more, and shows what came of the first.
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

/** Access without a session. */
export const FOR_VISITORS = { kind: 'public', listener: 'dashboard' } as const satisfies Access;

/** Access for an account that is deleted too, and may be restored. */
export const IN_ANY_STATE = {
  kind: 'session',
  accountStates: ['active', 'deleted'],
} as const satisfies Access;

/** The parameter of a call about one thing. @param thing as people call it: "order". */
export function idOf<const Example extends string>(thing: string, example: Example) {
  return {
    id: { kind: text(64), about: `Id of the ${thing}`, example, in: 'path' },
  } as const;
}
