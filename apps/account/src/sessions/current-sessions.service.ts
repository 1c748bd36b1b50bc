import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, MINUTE_MS } from '#libs/platform';
import { tokenHash } from './session-token.js';
import {
  type FoundSession,
  SessionTokensMaintenanceRepository,
} from './session-tokens.repository.js';

export const IDLE_MS = DAY_MS;
export const ABSOLUTE_MS = 30 * DAY_MS;
const SEEN_WRITE_MS = MINUTE_MS;
const RECENT_MS = 10 * MINUTE_MS;

export interface DescribedSession extends Pick<
  FoundSession,
  'accountId' | 'personId' | 'accountState' | 'suspendedBecause' | 'hasPassword'
> {
  isRecent: boolean;
  /** The time until which a deleted account can be restored, in RFC 3339. */
  restorableUntil?: string;
}

@Injectable()
export class CurrentSessionsService {
  constructor(
    private readonly tokens: SessionTokensMaintenanceRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the session of a token and records that it was used. Finds nothing if the session has ended, was idle for 24
   * hours or is 30 days old (S27).
   */
  async find(token: unknown): Promise<FoundSession | null> {
    const hash = tokenHash(token);
    if (!hash) return null;
    const now = this.clock.now();
    const session = await this.tokens.find(hash, {
      seenAfter: new Date(now.getTime() - IDLE_MS),
      createdAfter: new Date(now.getTime() - ABSOLUTE_MS),
    });
    if (session && now.getTime() - session.lastSeenAt.getTime() >= SEEN_WRITE_MS) {
      await this.tokens.noteSeen(session.id, now);
    }
    return session;
  }

  /** Whether the owner was verified within the last 10 minutes (S35). */
  isRecent({ authenticatedAt }: Pick<FoundSession, 'authenticatedAt'>): boolean {
    return this.clock.now().getTime() - authenticatedAt.getTime() <= RECENT_MS;
  }

  async describe(token: unknown): Promise<DescribedSession | null> {
    const session = await this.find(token);
    if (!session) return null;
    const { accountId, personId, accountState, suspendedBecause, hasPassword } = session;
    return {
      accountId,
      personId,
      accountState,
      suspendedBecause,
      hasPassword,
      isRecent: this.isRecent(session),
      restorableUntil: session.restoreUntil?.toISOString(),
    };
  }
}
