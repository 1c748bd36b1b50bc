import type { MonitorKind } from '#libs/contracts';
import { Problem, counted } from '#libs/platform';

export class MonitorLimitReached extends Problem {
  /** @param plan the smallest plan with a higher limit; undefined if there is none. */
  constructor(kind: MonitorKind, limit: number, plan: string | undefined) {
    super({
      code: 'monitor_limit_reached',
      status: 403,
      detail: detailOf(kind, limit, plan),
      members: { kind, limit, ...(plan !== undefined && { plan }) },
    });
  }
}

function detailOf(kind: MonitorKind, limit: number, plan: string | undefined): string {
  const larger = plan === undefined ? '' : `a plan or package of at least the size ${plan}`;
  if (limit === 0) {
    const offer = larger && ` Buy ${larger} first.`;
    return `The account can have no ${kind} monitors at present.${offer}`;
  }
  const offer = larger && `, or buy ${larger}`;
  return `The account can have at most ${counted(limit, `active ${kind} monitor`)}. Pause or remove one${offer}.`;
}

export class TooManyMonitors extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_monitors',
      status: 409,
      detail: `An account can have at most ${counted(max, 'monitor')}, including paused ones. Remove one first.`,
    });
  }
}
