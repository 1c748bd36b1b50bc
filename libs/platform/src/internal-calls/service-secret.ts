import { readFileSync, statSync } from 'node:fs';
import { SECOND_MS } from '../clock.js';
import type { Logger } from '../logger.js';

/** One secret, or two on a line each. */
export const SERVICE_SECRET_FORM = /^[^\r\n]{32,}(\r?\n[^\r\n]{32,})?$/;

const LOOK_AGAIN_MS = 5 * SECOND_MS;
const FILE_SIZE_MAX_BYTES = 4_096;

/** Where a service secret comes from; a config that extends `ServiceSecretConfig` is one. */
export interface ServiceSecretSource {
  serviceSecret: string;
  serviceSecretFile?: string;
}

/**
 * The secret that signs the tokens between services, and a second one while it is rotated: tokens are
 * signed with the first and accepted under both. A file is looked at again every five seconds, when it is
 * used at all; one that cannot be read or holds no secret changes nothing and is logged, once.
 */
export class ServiceSecret {
  private secrets: readonly string[];
  private lookedAtMs = -Infinity;
  /** Which file it was, and in which state. */
  private state = '';
  private fault = '';

  constructor(
    private readonly source: ServiceSecretSource,
    private readonly logger: Logger,
  ) {
    this.secrets = secretsOf(source.serviceSecret);
  }

  /** The one that signs, then the other one; the same array until they change. */
  at(nowMs: number): readonly string[] {
    const { serviceSecretFile } = this.source;
    // A clock that was moved back must not keep an old secret.
    if (serviceSecretFile && Math.abs(nowMs - this.lookedAtMs) >= LOOK_AGAIN_MS) {
      this.lookedAtMs = nowMs;
      this.lookAt(serviceSecretFile);
    }
    return this.secrets;
  }

  private lookAt(path: string): void {
    try {
      const { ino, size, mtimeMs } = statSync(path);
      const state = `${ino} ${size} ${mtimeMs}`;
      if (state === this.state) return;
      if (size > FILE_SIZE_MAX_BYTES) throw new Error('it is too large');
      const text = readFileSync(path, 'utf8').trim();
      if (!SERVICE_SECRET_FORM.test(text)) throw new Error('it holds no secret');
      this.state = state;
      this.fault = '';
      const secrets = secretsOf(text);
      if (secrets.join() === this.secrets.join()) return;
      this.secrets = secrets;
      this.logger.info('SERVICE_SECRET_FILE has changed', { secrets: secrets.length });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const fault = code ?? message;
      if (fault !== this.fault) this.logger.warn('SERVICE_SECRET_FILE was not read', { fault });
      this.fault = fault;
    }
  }
}

/** The one that signs, then the other one. */
export function secretsOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}
