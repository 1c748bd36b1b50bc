import { Injectable } from '@nestjs/common';
import { InvalidRequest, ServiceIdentity, ServiceTokens } from '#libs/platform';
import type { Operation } from '../operation.js';
import { OUTCOME_HEADER, type Outcome, SOURCE_HEADER, type Source } from '../outcome.js';
import { creditsEach } from '../price.js';
import { PAGE_PARAMETERS, PREVIEW, pageSizeOf } from './paged-search.js';
import type { Paging, PreviewedMode, TotalKind } from './paging-answer.js';

/** The header in which an owner passes the cursor of the next page to the gateway, for `Link`. */
export const NEXT_CURSOR_HEADER = 'x-next-cursor';

export interface Total {
  records: number;
  is: TotalKind;
}

export interface Page<T> {
  items: T[];
  paging: Paging;
}

type Question = Readonly<Record<string, unknown>>;

/** The start of a page, as encoded in its cursor. */
interface Position {
  page: number;
  /** Number of records before the page. */
  seen: number;
  after: string[];
}

/**
 * Determines which page is requested, and creates the cursor of the next one. A cursor is signed by the service that
 * issued it, for one operation and its parameters.
 */
@Injectable()
export class Pages {
  constructor(
    private readonly tokens: ServiceTokens,
    private readonly identity: ServiceIdentity,
  ) {}

  /**
   * Determines which page is requested. @throws InvalidRequest for a cursor that was changed, or was issued for other
   * parameters.
   */
  asked(row: Operation, question: Question): AskedPage {
    const { page, page_size, cursor } = question;
    const usual = row.paged
      ? pageSizeOf(row.paged, modeOf(question))
      : row.parameters.page_size?.default;
    const wanted = page_size ?? usual;
    if (typeof wanted !== 'number') throw new Error(`${row.name} has no pages`);
    const subject = subjectOf(row, question);
    const write = (position: Position) => this.write(subject, position);
    const number = typeof page === 'number' ? page : 1;
    const position =
      typeof cursor === 'string'
        ? this.read(subject, cursor)
        : { page: number, seen: (number - 1) * wanted, after: undefined };
    return new AskedPage({ row, question, size: wanted, position, write });
  }

  private write(subject: string, { page, seen, after }: Position): string {
    const body = Buffer.from(JSON.stringify([page, seen, ...after])).toString('base64url');
    return `${body}.${this.tokens.seal(this.identity.name, `${subject} ${body}`)}`;
  }

  private read(subject: string, cursor: string): Position {
    const [body, seal] = cursor.split('.');
    const isOurs =
      seal !== undefined &&
      cursor === `${body}.${seal}` &&
      this.tokens.isSealed(this.identity.name, `${subject} ${body}`, seal);
    if (!isOurs) {
      throw new InvalidRequest([{ field: 'cursor', message: 'is not a valid cursor' }]);
    }
    const values = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown[];
    const [page, seen, ...after] = values as [number, number, ...string[]];
    return { page, seen, after };
  }
}

interface AskedPageParts {
  row: Operation;
  question: Question;
  size: number;
  position: Omit<Position, 'after'> & { after?: string[] };
  write: (position: Position) => string;
}

/** The requested page. */
export class AskedPage {
  readonly size: number;
  /** Number of rows to read: one more than the page has, which shows whether there is another page. */
  readonly limit: number;
  /** Number of rows to skip; 0 if `after` is set. */
  readonly offset: number;
  /** Sort values of the record before the page, if a cursor contains them. */
  readonly after?: readonly string[];
  readonly isPreview: boolean;

  constructor(private readonly parts: AskedPageParts) {
    const { size, position, question } = parts;
    this.size = size;
    this.limit = size + 1;
    this.after = position.after;
    this.offset = position.after === undefined ? position.seen : 0;
    this.isPreview = modeOf(question) === PREVIEW;
  }

  /**
   * Cuts the rows that were read with `limit` down to the page.
   * @param sortValuesOf a row's values in the order of the list, as text; they become `after` of the next page.
   * @param total the owner's count; by default, only what the pages so far show.
   */
  cut<T>(rows: readonly T[], sortValuesOf: (row: T) => string[], total?: Total): Page<T> {
    const { size, position, write } = this.parts;
    const items = rows.slice(0, this.size);
    const hasNext = rows.length > this.size;
    const seen = position.seen + items.length;
    const isEnd = !hasNext && (items.length > 0 || position.page === 1);
    const { records, is } = totalOf(total, { seen, hasNext, isEnd });
    const next = {
      page: position.page + 1,
      seen,
      after: hasNext ? sortValuesOf(items.at(-1)!) : [],
    };
    return {
      items,
      paging: {
        page: position.page,
        page_size: size,
        total_records: records,
        total_is: is,
        total_pages: Math.ceil(records / size),
        has_next: hasNext,
        next_cursor: hasNext ? write(next) : null,
      },
    };
  }

  /** Returns a preview: an empty page, and the price of the search in each mode. */
  preview({ records, is }: Total): { paging: Paging; preview: PreviewedMode[] } {
    const { row, question, size } = this.parts;
    const preview = Object.entries(row.paged!.modes).map(([mode, { credits, pageSize }]) => {
      const each = creditsEach(credits, { values: { ...question, mode } });
      const pages = Math.ceil(records / pageSize);
      return {
        mode,
        page_size: pageSize,
        total_pages: pages,
        credits_per_page: each,
        credits_total: pages * each,
      };
    });
    const paging = {
      page: 1,
      page_size: size,
      total_records: records,
      total_is: is,
      total_pages: Math.ceil(records / size),
      has_next: false,
      next_cursor: null,
    };
    return { paging, preview };
  }
}

/**
 * Returns the headers that the gateway needs to charge a page and link the next one. An empty page is free.
 *
 * @param page the result of `cut` or `preview`.
 */
export function pageHeaders(
  { paging, items }: { paging: Paging; items?: readonly unknown[] },
  servedFrom: Source = 'live',
): Record<string, string> {
  const count = items?.length ?? paging.total_records;
  const outcome: Outcome = count === 0 ? 'empty' : 'delivered';
  return {
    [OUTCOME_HEADER]: outcome,
    [SOURCE_HEADER]: servedFrom,
    ...linkHeaders(paging),
  };
}

/** Returns the header that the gateway needs to link the next page; none on the last page. */
export function linkHeaders({ next_cursor }: Paging): Record<string, string> {
  return next_cursor === null ? {} : { [NEXT_CURSOR_HEADER]: next_cursor };
}

/**
 * Returns the total of a list: at its end, the number of records read, unless an exact count is given; before that, the
 * given count or a lower bound.
 */
function totalOf(counted: Total | undefined, { seen, hasNext, isEnd }: Read): Total {
  if (isEnd && counted?.is !== 'exact') return { records: seen, is: 'exact' };
  const least = hasNext ? seen + 1 : 0;
  if (counted === undefined) return { records: least, is: 'at_least' };
  // A count that is older than its rows must not contradict them.
  return { ...counted, records: Math.max(counted.records, least) };
}

interface Read {
  /** The number of records up to the end of the page. */
  seen: number;
  hasNext: boolean;
  /** Whether the list is known to end here: an empty page may be far past the end. */
  isEnd: boolean;
}

/** Returns the operation and the search parameters; a cursor is valid only for them. */
function subjectOf({ name, parameters }: Operation, question: Question): string {
  const asked = Object.keys(parameters)
    .filter((one) => !PAGE_PARAMETERS.has(one) && question[one] !== undefined)
    .sort()
    .map((one) => [one, question[one]]);
  return `cursor ${name} ${JSON.stringify(asked)}`;
}

function modeOf({ mode }: Question): string | undefined {
  return typeof mode === 'string' ? mode : undefined;
}
