import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequest } from '#libs/platform';
import { isGuessablePassword } from './guessable-password.js';
import {
  HASH_COST,
  hashPassword,
  isOutdatedHash,
  matchesPassword,
  nobodysHash,
} from './password-hash.js';
import { PasswordQueueFull } from './passwords.errors.js';

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 128;

/** Two of libuv's four threads; each hash takes 19 MiB while it runs. */
export const PARALLEL_MAX = 2;
export const WAITING_MAX = 64;
/**
 * The most that wait of one network: a flood from there leaves room for everybody else's log-ins
 * (S121).
 */
export const WAITING_OF_NETWORK_MAX = 8;

/** Hashes and checks passwords, few at a time; who would wait too long is refused (S20). */
@Injectable()
export class PasswordsService {
  private running = 0;
  private readonly waiting: { network: string; start: () => void }[] = [];
  /** The cost of hashes from now on; specs about something else hash cheaply. */
  cost = HASH_COST;
  /** Hashes computed so far: what tests count instead of time. */
  hashCount = 0;

  /** The number of waiting calls. */
  get queueLength(): number {
    return this.waiting.length;
  }

  /** @throws InvalidRequest when it is too short, too long or easy to guess (S21). */
  check(password: string, field = 'password'): void {
    const refuse = (message: string): FieldError[] => [{ field, message }];
    const length = [...password].length;
    if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
      const message = `must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`;
      throw new InvalidRequest(refuse(message));
    }
    if (isGuessablePassword(password)) {
      throw new InvalidRequest(refuse('is easy to guess; choose another'));
    }
  }

  /** @param network of the visitor, whose turns are limited. @throws PasswordQueueFull. */
  async hash(password: string, network: string): Promise<string> {
    return this.inTurn(network, () => hashPassword(password, this.cost));
  }

  /** False for null, after the same work: look-ups that find nobody cost the same (S24). @throws PasswordQueueFull. */
  async matches(password: string, stored: string | null, network: string): Promise<boolean> {
    const expected = stored ?? nobodysHash(this.cost);
    const isRight = await this.inTurn(network, () => matchesPassword(password, expected));
    return isRight && stored !== null;
  }

  /**
   * The hash to store instead, when a right password is stored at another cost than today's.
   * @returns undefined when it is up to date, or when nobody has time for it now: the next log-in will do.
   */
  async rehash(
    password: string,
    stored: string | null,
    network: string,
  ): Promise<string | undefined> {
    if (stored === null || !isOutdatedHash(stored, this.cost) || this.queueLength > 0)
      return undefined;
    return this.hash(password, network);
  }

  private async inTurn<T>(network: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= PARALLEL_MAX) {
      const ofNetwork = this.waiting.filter((one) => one.network === network).length;
      if (this.waiting.length >= WAITING_MAX || ofNetwork >= WAITING_OF_NETWORK_MAX) {
        throw new PasswordQueueFull();
      }
      await new Promise<void>((start) => this.waiting.push({ network, start }));
    } else this.running++;
    try {
      this.hashCount++;
      return await work();
    } finally {
      // The place is handed over, so that nobody slips in between.
      const next = this.waiting.shift();
      if (next) next.start();
      else this.running--;
    }
  }
}
