import { Type } from 'class-transformer';
import { IsInt, IsString, ValidateNested } from 'class-validator';
import { PagedAnswer, defineOperation, domainName, oneOf, pagedSearch } from '#libs/contracts';
import type { ServiceName } from '#libs/platform';

export const ARCHIVE = 'archive' as Exclude<ServiceName, 'cli'>;

export class ArchivedRecord {
  @IsInt()
  num: number;

  @IsString()
  domain_name: string;
}

export class ArchivedRecords extends PagedAnswer {
  @ValidateNested({ each: true })
  @Type(() => ArchivedRecord)
  records: ArchivedRecord[];
}

const PAGES = pagedSearch({
  default: { credits: 5, pageSize: 3 },
  mini: { credits: 2, pageSize: 4 },
});

export const ARCHIVE_SEARCH = defineOperation({
  ...PAGES,
  name: 'archive.search',
  summary: 'Archived records of a domain name',
  method: 'GET',
  routes: [
    { path: '/v2.0/archive/records', version: 2 },
    { path: '/v1.0/archive', version: 1, successor: '/v2.0/archive/records' },
  ],
  access: { kind: 'key', scope: 'whois', class: 'heavy' },
  owner: { service: ARCHIVE, path: '/internal/archive/records' },
  subject: 'domainName',
  parameters: {
    domainName: {
      kind: domainName(),
      about: 'A domain name',
      example: 'registered.test',
      isRequired: true,
    },
    order: { kind: oneOf(['oldest']), about: 'The order', example: 'oldest' },
    ...PAGES.parameters,
  },
  answers: [{ type: 'application/json', of: ArchivedRecords }],
  problems: [],
  examples: [
    {
      title: 'One record',
      parameters: { domainName: 'registered.test' },
      answer: {
        status: true,
        records: [{ num: 1, domain_name: 'registered.test' }],
        paging: {
          page: 1,
          page_size: 3,
          total_records: 1,
          total_is: 'exact',
          total_pages: 1,
          has_next: false,
          next_cursor: null,
        },
        coverage: {
          has_data: true,
          sources: [
            { source: 'archive', since: '2020-01-01', updated_at: '2026-11-20', records: 7 },
          ],
        },
      } satisfies ArchivedRecords,
    },
  ],
  fixtures: [{ value: 'registered.test', answers: 'the same records as every other name' }],
});
