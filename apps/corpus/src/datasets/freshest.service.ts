import { Injectable } from '@nestjs/common';
import { type FreshAnswer, type FreshestAsked, NAME_RECORD_TYPES } from '#libs/contracts';
import { Clock, SECOND_MS } from '#libs/platform';
import { CoverageService } from '../coverage/coverage.service.js';
import { bitOf, keptTypeName, keptTypeNumber } from '../dns/dns-type.js';
import { type FiledName, fileName } from '../names/registrable-name.js';
import { FreshestRepository } from './freshest.repository.js';

const PART_NAMES = 100;

type Answer = Omit<FreshAnswer, 'index'>;

@Injectable()
export class FreshestService {
  constructor(
    private readonly repository: FreshestRepository,
    private readonly coverage: CoverageService,
    private readonly clock: Clock,
  ) {}

  /**
   * Yields the answers in parts, in the order of the names; names without a fresh answer are omitted. The last part
   * says only that it is the last.
   */
  async *answers(
    asked: FreshestAsked,
  ): AsyncGenerator<readonly (FreshAnswer | { isLast: true })[]> {
    const since = new Date(this.clock.now().getTime() - asked.maxAgeSeconds * SECOND_MS);
    for (let from = 0; from < asked.names.length; from += PART_NAMES) {
      const part = asked.names.slice(from, from + PART_NAMES).map((name) => fileName(name));
      const names = part.filter((name) => name !== undefined);
      const known = new Map((await this.found(asked, names, since)).map((one) => [one.name, one]));
      yield part.flatMap((name, place) => {
        const answer = name && known.get(name.name);
        return answer ? [{ index: from + place, ...answer }] : [];
      });
    }
    yield [{ isLast: true }];
  }

  private async found(
    { kind, types }: FreshestAsked,
    names: readonly FiledName[],
    since: Date,
  ): Promise<Answer[]> {
    if (names.length === 0) return [];
    const { ids } = await this.coverage.shown();
    if (kind === 'whois') {
      const rows = await this.repository.listRecords(names, since, ids);
      // A record without its contacts is omitted, because a lookup would also return the contacts.
      return rows
        .filter(({ record }) => record.contacts_not_kept !== true)
        .map(({ observedAt, ...row }) => ({ ...row, observedAt: observedAt.toISOString() }));
    }
    const rtypes = (types ?? NAME_RECORD_TYPES).map(keptTypeNumber);
    // If one of the types is not stored, no complete answer is possible.
    if (rtypes.some((rtype) => rtype === undefined)) return [];
    const kept = [...new Set(rtypes as number[])];
    const asked = { since, rtypes: kept, bits: kept.map(bitOf) };
    const rows = await this.repository.listDns(names, asked, ids);
    return rows.map(({ name, sourceId, observedAt, records }) => ({
      name,
      sourceId,
      observedAt: observedAt.toISOString(),
      records: records.map(({ rtype, value }) => ({ type: keptTypeName(rtype)!, value })),
    }));
  }
}
