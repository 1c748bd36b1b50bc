import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  type Coverage,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  type Total,
  pageHeaders,
} from '#libs/contracts';
import { ARCHIVE_SEARCH, type ArchivedRecord, type ArchivedRecords } from './archive-operations.js';

/** The number of records of every name except two. */
const RECORDS = 7;
/** A name that was looked up and has no records. */
export const WITHOUT_RECORDS = 'nothing.example';
/** A name that was never looked up. */
export const NOT_LOADED = 'never-loaded.example';

const LOADED: Coverage = {
  has_data: true,
  sources: [{ source: 'archive', since: '2020-01-01', updated_at: '2026-11-20', records: RECORDS }],
};

@Controller()
export class ArchiveController {
  constructor(private readonly pages: Pages) {}

  @Serves(ARCHIVE_SEARCH)
  search(
    @Question(ARCHIVE_SEARCH) question: QuestionOf<typeof ARCHIVE_SEARCH>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): ArchivedRecords {
    const asked = this.pages.asked(ARCHIVE_SEARCH, question);
    const all = recordsOf(question.domainName);
    const total: Total = { records: all.length, is: 'exact' };
    const coverage = question.domainName === NOT_LOADED ? { has_data: false, sources: [] } : LOADED;
    if (asked.isPreview) {
      const counted = asked.preview(total);
      void reply.headers(pageHeaders(counted));
      return { status: true, records: [], ...counted, coverage };
    }
    const rows = asked.after
      ? all.filter(({ num }) => num > Number(asked.after![0]))
      : all.slice(asked.offset);
    const page = asked.cut(rows.slice(0, asked.limit), ({ num }) => [String(num)], total);
    void reply.headers(pageHeaders(page));
    return { status: true, records: page.items, paging: page.paging, coverage };
  }
}

function recordsOf(domainName: string): ArchivedRecord[] {
  const isEmpty = [WITHOUT_RECORDS, NOT_LOADED].includes(domainName);
  const length = isEmpty ? 0 : RECORDS;
  return Array.from({ length }, (_, place) => ({ num: place + 1, domain_name: domainName }));
}
