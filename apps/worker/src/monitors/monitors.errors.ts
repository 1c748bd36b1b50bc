import type { MonitorKind } from '#libs/contracts';
import { Problem, counted } from '#libs/platform';

export class MonitorLimitReached extends Problem {
  /** @param plan the smallest plan with a higher limit. */
  constructor(kind: MonitorKind, limit: number, plan: string | undefined) {
    const larger = plan === undefined ? '' : `, or buy the plan or package ${plan}`;
    super({
      code: 'monitor_limit_reached',
      status: 403,
      detail: `The account can have at most ${counted(limit, `active ${kind} monitor`)}. Pause or remove one${larger}.`,
      members: { kind, limit, ...(plan !== undefined && { plan }) },
    });
  }
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
