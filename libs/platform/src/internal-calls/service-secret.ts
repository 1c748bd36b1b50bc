import { readFileSync, statSync } from 'node:fs';
import { SECOND_MS } from '../clock.js';
import type { Logger } from '../logger.js';
import { PairSecrets } from './pair-secrets.js';

/**
 * Matches an installation's secret, or two, one per line; or the pairs of one service in the format of `PairSecrets`.
 */
export const SERVICE_SECRET_FORM =
  /^(?:[^\r\n]{32,}(\r?\n[^\r\n]{32,})?|[a-z]+>[a-z]+=[\w-]{43}(\r?\n[a-z]+>[a-z]+=[\w-]{43}){1,59})$/;

const LOOK_AGAIN_MS = 5 * SECOND_MS;
const FILE_SIZE_MAX_BYTES = 4_096;

/** The source of a service secret: any config that extends `InternalCallsConfig`. */
export interface ServiceSecretSource {
  serviceSecret: string;
  serviceSecretFile?: string;
}

/**
 * The secret that signs the tokens between services, and a second one during a rotation: tokens are signed with the
 * first and accepted under both. When the secret is used, the file is checked for changes, at most every five seconds;
 * a file that is unreadable or contains no secret changes nothing and is logged once.
 */
export class ServiceSecret {
  private secrets: PairSecrets;
  private lookedAtMs = -Infinity;
  /** The identity and state of the file that was read. */
  private state = '';
  private fault = '';

  constructor(
    private readonly source: ServiceSecretSource,
    private readonly logger: Logger,
  ) {
    this.secrets = new PairSecrets(source.serviceSecret);
  }

  /** Returns the current secrets, which are the same object until they change. */
  at(nowMs: number): PairSecrets {
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
      if (!SERVICE_SECRET_FORM.test(text)) throw new Error('it contains no valid secret');
      this.state = state;
      this.fault = '';
      const secrets = new PairSecrets(text);
      if (secrets.text === this.secrets.text) return;
      this.secrets = secrets;
      this.logger.info('SERVICE_SECRET_FILE has changed', { lines: text.split('\n').length });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const fault = code ?? message;
      if (fault !== this.fault) this.logger.warn('SERVICE_SECRET_FILE was not read', { fault });
      this.fault = fault;
    }
  }
}
