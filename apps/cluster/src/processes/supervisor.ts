import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from './service-process.js';

const PAUSE_MS = 1_000;

export class Supervisor {
  private isStopped = false;

  private constructor(private readonly say: (line: string) => void) {}

  static over(services: ServiceProcess[], say: (line: string) => void): Supervisor {
    const supervisor = new Supervisor(say);
    for (const service of services) void supervisor.follow(service);
    return supervisor;
  }

  /** From now on, treats every end of a service as intentional. */
  stop(): void {
    this.isStopped = true;
  }

  private async follow(service: ServiceProcess): Promise<void> {
    for (;;) {
      await service.untilEnded();
      if (this.isStopped) return;
      this.say(`${service.name} has ended (${service.endedBy}) and is being restarted.`);
      try {
        await service.start();
        this.say(`${service.name} is up again.`);
      } catch (error) {
        this.say((error as Error).message);
        await sleep(PAUSE_MS);
      }
    }
  }
}
