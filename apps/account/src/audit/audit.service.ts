import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Clock, Metrics, declareCounter, newId } from '#libs/platform';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import type { Actor, KeyActor, Operator, Visitor } from './actor.js';
import { INSTALLATION, chainHash } from './audit-chain.js';
import { AuditMaintenanceRepository } from './audit.repository.js';

/** One recorded action. States are hashed with the account's data key, never stored. */
export interface AuditRecord {
  /** Who acted: a person, a key, an unidentified visitor, an operator, or the service itself. */
  by: Actor | KeyActor | Visitor | Operator | 'system';
  /** The account in which the action happened, if `by` does not name it. */
  accountId?: string;
  /**
   * The sign-up to which the action belongs. Its data key, which an erasure destroys, encrypts the visitor's IP
   * address.
   */
  signUpId?: string;
  /** The action, as `<feature>.<event>`. */
  action: string;
  /** The object of the action, as `<kind>:<id>`. */
  object: string;
  before?: object;
  after?: object;
}

const ACTIONS = declareCounter(
  'dds_account_actions_total',
  'Actions, by the name in their audit log entry: registration.confirmed, session.logged-in, session.log-in-failed, and so on.',
  { labels: ['action'] },
);

/** The append-only log of who did what (S116, S117). */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly entries: AuditMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Appends one entry to the account's chain, or to the installation's. Call this last in a transaction: other entries
   * of the chain wait from then until the commit, and taking another lock afterwards could cause a deadlock.
   */
  async record(transaction: Transaction, record: AuditRecord): Promise<void> {
    const { by } = record;
    const { actor, accountId: ownAccountId, visitor } = originOf(by);
    const accountId = record.accountId ?? ownAccountId ?? null;
    const origin = visitor
      ? await this.personalData.encrypt(transaction, accountId ?? record.signUpId ?? null, [
          visitor.address,
          visitor.userAgent,
        ])
      : null;
    const states = [record.before, record.after];
    const [beforeHash, afterHash] = await this.personalData.hashes(transaction, accountId, states);
    const head = await this.entries.lockHead(transaction, accountId ?? INSTALLATION);
    const entry = {
      chain: head.chain,
      position: String(BigInt(head.position) + 1n),
      id: newId(),
      occurredAt: this.clock.now(),
      actor,
      action: record.action,
      object: record.object,
      beforeHash,
      afterHash,
      origin,
      requestId: visitor?.requestId ?? '',
      previousHash: head.hash,
    };
    await this.entries.append(transaction, { ...entry, hash: chainHash(entry) });
    transaction.afterCommit(() => this.metrics.counter(ACTIONS).inc({ action: record.action }));
  }

  /** Appends one entry in a separate transaction: for rejections, which change nothing else. */
  async recordRefusal(record: AuditRecord): Promise<void> {
    await this.database.transaction((transaction) => this.record(transaction, record));
  }
}

function originOf(by: AuditRecord['by']): {
  actor: string;
  accountId?: string;
  visitor?: Visitor;
} {
  if (by === 'system') return { actor: 'system' };
  if ('operator' in by) return { actor: `operator:${by.operator}` };
  if (!('accountId' in by)) return { actor: 'anonymous', visitor: by };
  const actor = 'keyId' in by ? `key:${by.keyId}` : `person:${by.personId}`;
  return { actor, accountId: by.accountId, visitor: by.visitor };
}
