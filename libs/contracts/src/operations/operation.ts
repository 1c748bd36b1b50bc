import type { ServiceName } from '#libs/platform';
import type { Access, RateClass } from './access.js';
import type { ItemClass } from './bulk.js';
import type { DataClass, ParameterKind, Parameters } from './parameter.js';
import type { PagedSearch } from './paging/paged-search.js';
import type { Price } from './price.js';
import type { ProblemCode } from './openapi/problem-codes.js';
import type { OperationUpload } from './transfers/upload.js';

/** Only uploads have rows for HEAD. A download answers HEAD by its row for GET. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Version = 1 | 2;

/** The services that may own an operation: they answer it and store its data. */
export type OwnerService = Exclude<ServiceName, 'cli'>;

export interface RouteChoice {
  parameter: string;
  value: string;
  further?: readonly string[];
  /**
   * True if this operation is selected when the parameter is missing; it must then be the first of its path in the
   * table.
   */
  isDefault?: boolean;
}

export interface OperationRoute {
  /** Path at the public listener, with path parameters in braces: `/v2.0/tlds/{tld}`. */
  path: string;
  version: Version;
  /** If several operations share a path, this one is selected when the parameter has this value. */
  when?: RouteChoice;
  /** The class of its JSON answer, if it differs from the operation's. */
  answer?: DataClass;
  /** The path that replaced this one. If it is set, answers have the headers `Deprecation` and `Link`. */
  successor?: string;
}

/** A format in which an operation answers; the first is the default. */
export type AnswerForm =
  | {
      type: 'application/json';
      of: DataClass;
      /** 200 by default. */
      status?: 200 | 201 | 202;
      /**
       * Whether `meta` (request id, cost, balance) is sent as the last member. By default, it is sent in version 2 of
       * priced operations.
       */
      hasMeta?: boolean;
    }
  /** One item per line, in the order of arrival; `last` is the class of the closing line. */
  | { type: 'application/x-ndjson'; of: ItemClass; last: DataClass }
  | { type: 'text/csv'; columns: readonly string[] }
  /**
   * A file: the owner's bytes as they arrive, a part of them for `Range`, or 302 to an https address that the owner
   * names. It is sent with one of these types, and as `application/octet-stream` if the owner names another.
   */
  | { type: 'file'; mediaTypes: readonly string[] }
  /** No body: the headers contain everything. */
  | { type: 'none'; status: 200 | 204 };

export interface OperationBody {
  of: DataClass;
  limitBytes: number;
  /** The maximum length of each list in the body; a longer list gets 413. */
  itemsMax?: number;
  example: object;
  /** The members that name the subject, each read as its kind: they decide whether a test key may make the request. */
  subjects?: readonly {
    kind: ParameterKind;
    of: (body: never, values: Readonly<Record<string, unknown>>) => readonly string[];
  }[];
}

export interface OperationExample {
  title: string;
  parameters: Readonly<Record<string, string>>;
  body?: object;
  answer: object;
}

/** The classes of running requests; each has its own slots. */
export type ConcurrencyClass = RateClass | 'public';

export interface OperationLimits {
  /** Time limit, in milliseconds, until the owner begins to answer, and between two parts of the answer. */
  timeoutMs: number;
  bodyBytes: number;
  /** Maximum size of a complete JSON answer. */
  answerBytes: number;
  /** The group of slots that the request uses while it runs, on the API's origin. */
  concurrency: ConcurrencyClass;
}

/** A value that gets the same answer for test keys on every installation, free of charge. */
export interface Fixture {
  value: string;
  answers: string;
}

/**
 * A row of the table of operations: the complete description of a public HTTP call. Routes, validation at both ends,
 * prices, scopes, OpenAPI, documents and tests are derived from it and written nowhere else.
 */
export interface Operation<P extends Parameters = Parameters> {
  /** For example `whois.live`: the name in metrics, in the request log and as `operationId`. */
  name: string;
  /** A line without a full stop. */
  summary: string;
  /** Further facts for callers, in Markdown. */
  description?: string;
  method: Method;
  /** Newest first. */
  routes: readonly OperationRoute[];
  access: Access;
  /** The service that answers, and the path at its internal listener, with braces as in `routes`. */
  owner: { service: OwnerService; path: string };
  /**
   * Services that each contribute a part: the answer is one object with a member for each of them, the owner's first.
   */
  parts?: readonly { service: OwnerService; path: string }[];
  parameters: P;
  /**
   * The parameter that is the subject, for the request log and for fixtures. If there are several, exactly one must be
   * given.
   */
  subject?: string | readonly string[];
  body?: OperationBody;
  /** Replaces `body` for an upload. */
  upload?: OperationUpload;
  /** Whether a repeated request with the same `Idempotency-Key` has no further effect. */
  takesIdempotencyKey?: boolean;
  /** The member of the answer that contains a secret. It is shown only once: a repeat gets the answer without it. */
  secretMember?: string;
  answers: readonly AnswerForm[];
  price: Price;
  /** Replaces the limits that `limitsOf` would otherwise return. */
  limits?: Partial<OperationLimits>;
  /** Only for a paged search; `pagedSearch` creates it, with its parameters and its price. */
  paged?: PagedSearch;
  /** Codes of this operation's rejections, in addition to the codes for its access, price and body. */
  problems: readonly ProblemCode[];
  /** At least one; the first is for a test key if the operation has fixtures. */
  examples: readonly OperationExample[];
  fixtures?: readonly Fixture[];
}

/** Returns a row with the types of its parameters, from which its owner's types are derived. */
export function defineOperation<const P extends Parameters>(
  row: Operation<P> & { subject?: keyof P | readonly (keyof P)[] },
): Operation<P> {
  return row;
}

/**
 * An *upload* has a body that streams to its owner; the answer of a *download* is a file. Both may take as long as data
 * keeps flowing; every other row has one answer within its time limit.
 */
export type OperationKind = 'answer' | 'upload' | 'download';

export function kindOf({ upload, answers }: Pick<Operation, 'upload' | 'answers'>): OperationKind {
  if (upload) return 'upload';
  return answers[0]?.type === 'file' ? 'download' : 'answer';
}

/** The parameter for requests that only return their expected result: nothing is created, and the status is 200. */
export const DRY_RUN_PARAMETER = 'dry_run';
export const hasDryRun = ({ parameters }: Pick<Operation, 'parameters'>) =>
  DRY_RUN_PARAMETER in parameters;

export function subjectsOf({ subject }: Pick<Operation, 'subject'>): readonly string[] {
  if (subject === undefined) return [];
  return typeof subject === 'string' ? [subject] : subject;
}

export function newestVersion({ routes }: Pick<Operation, 'routes'>): Version {
  return routes[0].version;
}

/**
 * Returns the address of a row, such as `GET /v2.0/dns/reverse?type=PTR`, with the parameter that distinguishes it from
 * rows with the same path.
 */
export function endpointOf(
  { method, routes }: Pick<Operation, 'method' | 'routes'>,
  { path, when }: Operation['routes'][number] = routes[0],
): string {
  return `${method} ${path}${when ? `?${when.parameter}=${when.value}` : ''}`;
}
