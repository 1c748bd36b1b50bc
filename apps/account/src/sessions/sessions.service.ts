import { Inject, Injectable } from '@nestjs/common';
import type {
  CurrentSessionAnswer,
  ListedSession,
  LoggedOutAnswer,
  OthersEndedAnswer,
  SessionEndedAnswer,
  SessionsAnswer,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS, NotFound, NotLoggedIn, isId, newId } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Actor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { ABSOLUTE_MS, IDLE_MS } from './current-sessions.service.js';
import { SessionAnswer } from './session-headers.js';
import { newToken, tokenHash } from './session-token.js';
import { currentSessionAnswer } from './current-session-answer.js';
import { SessionTokensMaintenanceRepository } from './session-tokens.repository.js';
import { type OpenLimits, SessionsRepository } from './sessions.repository.js';
import type { ActiveSession } from './session-guard.js';

const KEEP_MS = 60 * DAY_MS;
/** Maximum number of open sessions; a further log-in ends the oldest. */
const OPEN_MAX = 50;
/** Maximum number of stored sessions, so that repeated log-ins cannot fill the table. */
const KEPT_MAX = 500;

/** Opens, lists and ends sessions. Only the browser has the token; the service stores the token's hash. */
@Injectable()
export class SessionsService {
  @Inject(SessionTokensMaintenanceRepository)
  private readonly tokens!: SessionTokensMaintenanceRepository;

  constructor(
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsRepository,
    private readonly people: PeopleService,
    private readonly personalData: PersonalDataService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a session. Ends the browser's previous session, even one of another account, because the browser forgets its
   * token, and the oldest open sessions beyond 50. Deletes sessions that began more than 60 days ago, and, if more than
   * 500 are stored, the oldest that are not open.
   * @returns the only copy of the token.
   */
  async open(transaction: Transaction, actor: Actor): Promise<string> {
    const { accountId, personId, visitor } = actor;
    const { person } = await this.people.get(transaction, accountId, personId);
    const [now, token] = [this.clock.now(), newToken()];
    const before = tokenHash(visitor.sessionToken);
    if (before) await this.tokens.end(transaction, before, now);
    await this.sessions.deleteOlder(transaction, accountId, new Date(now.getTime() - KEEP_MS));
    await this.sessions.insert(transaction, {
      id: newId(),
      accountId,
      personId,
      tokenHash: hashOf(token),
      origin: await this.personalData.encrypt(transaction, accountId, [
        visitor.address,
        visitor.userAgent,
      ]),
      networkHash: this.people.networkHash(person.addressHash ?? Buffer.of(), visitor.address),
      createdAt: now,
      lastSeenAt: now,
      authenticatedAt: now,
      endedAt: null,
    });
    const limits = this.openLimits();
    const most = { newest: OPEN_MAX, endedAt: now, ...limits };
    const ended = await this.sessions.endBeyond(transaction, accountId, most);
    if (ended > 0) {
      const object = `person:${personId}`;
      const entry = { by: actor, action: 'session.oldest-ended', object, after: { ended } };
      await this.audit.record(transaction, entry);
    }
    await this.sessions.deleteBeyond(transaction, accountId, { kept: KEPT_MAX, ...limits });
    return token;
  }

  /**
   * Continues the session under a new token. The old token is invalid from then on (S26). Under the account's lock,
   * also checks that no new password has ended the session in the meantime.
   * @param isProven whether the owner has just been verified (S35).
   * @throws NotLoggedIn.
   */
  async renew(
    transaction: Transaction,
    { accountId, sessionId }: Pick<ActiveSession, 'accountId' | 'sessionId'>,
    { isProven = false } = {},
  ): Promise<string> {
    const token = newToken();
    const isOpen = await this.sessions.replaceToken(transaction, accountId, sessionId, {
      tokenHash: hashOf(token),
      ...(isProven && { authenticatedAt: this.clock.now() }),
    });
    if (!isOpen) throw new NotLoggedIn();
    return token;
  }

  /**
   * Checks under the account's lock that no new password has ended the session. Calls that replace the token use
   * `renew` instead. @throws NotLoggedIn.
   */
  async checkOpen(
    transaction: Transaction,
    { accountId, sessionId }: Pick<ActiveSession, 'accountId' | 'sessionId'>,
  ): Promise<void> {
    if (!(await this.sessions.isOpen(transaction, accountId, sessionId))) throw new NotLoggedIn();
  }

  async list({ accountId, sessionId }: ActiveSession): Promise<SessionsAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const sessions: ListedSession[] = [];
      for (const session of await this.listOpen(transaction, accountId)) {
        const [address, userAgent] = await this.personalData.decrypt<[string, string]>(
          transaction,
          accountId,
          session.origin,
        );
        sessions.push({
          id: session.id,
          current: session.id === sessionId,
          address,
          user_agent: userAgent,
          created_at: session.createdAt.toISOString(),
          last_seen_at: session.lastSeenAt.toISOString(),
        });
      }
      return { sessions };
    });
  }

  /** @throws NotFound. */
  async end(by: ActiveSession, sessionId: string): Promise<SessionEndedAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const isEnded =
        isId(sessionId) &&
        (await this.sessions.end(transaction, by.accountId, sessionId, this.clock.now()));
      if (!isEnded) throw new NotFound();
      await this.audit.record(transaction, {
        by,
        action: 'session.ended',
        object: `session:${sessionId}`,
      });
      return { ended: true };
    });
  }

  /** Ends all other sessions. @returns how many of them had not expired. */
  async endOthers(by: ActiveSession): Promise<OthersEndedAnswer> {
    const { accountId, sessionId } = by;
    return this.accounts.transaction(async (transaction) => {
      const open = await this.listOpen(transaction, accountId);
      const ended = open.filter(({ id }) => id !== sessionId).length;
      await this.endAll(transaction, accountId, sessionId);
      // This call is never limited, so repeating it must not add entries to a log that is kept permanently.
      if (ended === 0) return { ended };
      const after = { ended };
      const object = `session:${sessionId}`;
      await this.audit.record(transaction, { by, action: 'session.others-ended', object, after });
      return { ended };
    });
  }

  async logOut(by: ActiveSession): Promise<SessionAnswer<LoggedOutAnswer>> {
    await this.accounts.transaction(async (transaction) => {
      await this.sessions.end(transaction, by.accountId, by.sessionId, this.clock.now());
      const object = `session:${by.sessionId}`;
      await this.audit.record(transaction, { by, action: 'session.logged-out', object });
    });
    return new SessionAnswer({ status: 'logged_out' }, null);
  }

  async endAll(transaction: Transaction, accountId: string, butOne?: string): Promise<void> {
    await this.sessions.endAll(transaction, accountId, this.clock.now(), butOne);
  }

  async deleteAll(transaction: Transaction, accountId: string): Promise<void> {
    await this.sessions.deleteAll(transaction, accountId);
  }

  current(session: ActiveSession): CurrentSessionAnswer {
    return currentSessionAnswer(session);
  }

  private async listOpen(transaction: Transaction, accountId: string) {
    return this.sessions.listOpen(transaction, accountId, this.openLimits());
  }

  private openLimits(): OpenLimits {
    const nowMs = this.clock.now().getTime();
    return { seenAfter: new Date(nowMs - IDLE_MS), createdAfter: new Date(nowMs - ABSOLUTE_MS) };
  }
}

function hashOf(token: string): Buffer {
  return tokenHash(token) as Buffer;
}
