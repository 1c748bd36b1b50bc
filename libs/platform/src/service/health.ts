import { Controller, Get, Injectable, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AllowCallers } from './internal-route.js';

/** Something a process cannot work without. `check` throws when it is away. */
export interface HealthCheck {
  name: string;
  check(): Promise<void>;
}

/** Tells probes whether the process lives and whether it should get work. */
@Injectable()
export class Health {
  private readonly checks: HealthCheck[] = [];
  private draining = false;

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** From here on `/ready` answers 503, so that a balancer sends no new work. */
  drain(): void {
    this.draining = true;
  }

  /** Names of what is away; empty when ready. */
  async faults(): Promise<string[]> {
    if (this.draining) return ['draining'];
    const results = await Promise.all(
      this.checks.map(async ({ name, check }) =>
        check().then(
          () => undefined,
          () => name,
        ),
      ),
    );
    return results.filter((name) => name !== undefined);
  }
}

@Controller()
@AllowCallers('anyone')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('/health')
  alive(): { status: string } {
    return { status: 'ok' };
  }

  @Get('/ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const faults = await this.health.faults();
    if (faults.length > 0) void reply.status(503);
    return { status: faults.length === 0 ? 'ok' : 'unavailable', faults };
  }
}
