import { type FreshAnswer, isOutcomeCharged } from '#libs/contracts';
import type { ChunkFindings } from './chunk-answers.js';

/** The corpus's record of a name, in the format of a lookup's answer. */
export function findingsOf(known: FreshAnswer): ChunkFindings {
  const { index, observedAt, records } = known;
  const outcome = records?.length === 0 ? 'empty' : 'delivered';
  const body = { status: true, domain_name: known.name, ...membersOf(known) };
  return { index, observedAt, outcome, body, isCharged: isOutcomeCharged(outcome) };
}

function membersOf({ name, record, records = [] }: FreshAnswer): object {
  if (record) return { domain_registered: 'yes', ...record };
  const types = Object.entries(Object.groupBy(records, ({ type }) => type));
  return {
    dns_types: Object.fromEntries(types.map(([type, of = []]) => [type, of.length])),
    // How long it may be cached is unknown, so the record has no TTL.
    dns_records: records.map(({ type, value }) => ({
      name,
      type,
      raw_text: `${name}.\tIN\t${type}\t${value}`,
    })),
  };
}
