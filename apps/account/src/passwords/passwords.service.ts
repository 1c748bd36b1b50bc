import { Injectable } from '@nestjs/common';
import { type FieldError, InvalidRequest, siteOf } from '#libs/platform';
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

/** The number of simultaneous hashes: two of libuv's four threads, with 19 MiB for each running hash. */
export const PARALLEL_MAX = 2;
export const WAITING_MAX = 64;
/** Maximum number of waiting calls per site, so that a flood from one site leaves room for other log-ins (S121). */
export const WAITING_OF_SITE_MAX = 8;

interface Call {
  site: string;
  person: string;
  start: () => void;
  refuse: () => void;
}

/**
 * Hashes and checks passwords, two at a time. A call is rejected if too many others are waiting (S20). Neither calls
 * for one person from many networks nor calls from one network for many people delay other calls by more than one hash
 * (S121).
 */
@Injectable()
export class PasswordsService {
  private readonly running = new Set<Call>();
  private readonly waiting: Call[] = [];
  /** The cost of new hashes; most specs use a low cost. */
  cost = HASH_COST;
  hashCount = 0;

  get queueLength(): number {
    return this.waiting.length;
  }

  /** Checks a new password. @throws InvalidRequest if it is too short, too long or easy to guess (S21). */
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

  /**
   * @param address the visitor's IP address; the number of waiting calls per site is limited.
   * @param person whose password it is, if known.
   * @throws PasswordQueueFull.
   */
  async hash(password: string, address: string, person = address): Promise<string> {
    return this.inTurn(address, person, () => hashPassword(password, this.cost));
  }

  /**
   * Compares a password with a stored hash. @returns false for a missing hash, after the same work, so that lookups
   * without a result take the same time (S24). @throws PasswordQueueFull.
   */
  async matches(
    password: string,
    stored: string | null,
    address: string,
    person = address,
  ): Promise<boolean> {
    const expected = stored ?? nobodysHash(this.cost);
    const isRight = await this.inTurn(address, person, () => matchesPassword(password, expected));
    return isRight && stored !== null;
  }

  /**
   * Hashes a correct password again if its stored hash does not have the current cost. @returns undefined if there is
   * no stored hash or it is up to date, or if calls are waiting; a later log-in then updates the hash.
   */
  async rehash(
    password: string,
    stored: string | null,
    address: string,
  ): Promise<string | undefined> {
    if (stored === null || !isOutdatedHash(stored, this.cost) || this.queueLength > 0)
      return undefined;
    return this.hash(password, address);
  }

  private async inTurn<T>(address: string, person: string, work: () => Promise<T>): Promise<T> {
    const site = siteOf(address);
    if (this.waiting.filter((one) => one.site === site).length >= WAITING_OF_SITE_MAX) {
      throw new PasswordQueueFull();
    }
    const { promise: turn, resolve: start, reject } = Promise.withResolvers<void>();
    const call = { site, person, start, refuse: () => reject(new PasswordQueueFull()) };
    this.waiting.push(call);
    this.startNext();
    if (this.waiting.length > WAITING_MAX) this.refuseLast();
    await turn;
    try {
      this.hashCount++;
      return await work();
    } finally {
      this.running.delete(call);
      this.startNext();
    }
  }

  /** Starts the first of those calls whose person and site have the fewest running calls. */
  private startNext(): void {
    if (this.running.size >= PARALLEL_MAX || this.waiting.length === 0) return;
    const runningLike = ({ person, site }: Call) =>
      [...this.running].reduce(
        (sum, one) => sum + Number(one.person === person) + Number(one.site === site),
        0,
      );
    const next = this.waiting.reduce((a, b) => (runningLike(b) < runningLike(a) ? b : a));
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.running.add(next);
    next.start();
  }

  /** Refuses the last call of the person with the most waiting calls. */
  private refuseLast(): void {
    const ofPersons = Map.groupBy(this.waiting, ({ person }) => person);
    const most = Math.max(...[...ofPersons.values()].map(({ length }) => length));
    const place = this.waiting.findLastIndex(
      ({ person }) => ofPersons.get(person)!.length === most,
    );
    const [last] = this.waiting.splice(place, 1);
    last.refuse();
  }
}
