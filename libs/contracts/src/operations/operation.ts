import type { ServiceName } from '#libs/platform';
import type { Access, RateClass } from './access.js';
import type { ItemClass } from './bulk.js';
import type { DataClass, ParameterKind, Parameters } from './parameter.js';
import type { PagedSearch } from './paging/paged-search.js';
import type { Price } from './price.js';
import type { ProblemCode } from './openapi/problem-codes.js';
import type { OperationUpload } from './transfers/upload.js';

/** HEAD stands in the table for uploads alone; a download answers it beside GET. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Version = 1 | 2;

/** The services that may own an operation: answer it, and hold its data. */
export type OwnerService = Exclude<ServiceName, 'cli'>;

/** By which value of a parameter an operation is chosen among those of its path. */
export interface RouteChoice {
  parameter: string;
  value: string;
  /** Other values by which it is chosen. */
  further?: readonly string[];
  /** It is meant where the parameter is not given; the first one of its path in the table. */
  isDefault?: boolean;
}

/** One public address of an operation. */
export interface OperationRoute {
  /** Path at the public listener; path parameters stand in braces: `/v2.0/tlds/{tld}`. */
  path: string;
  version: Version;
  /** Where several operations share a path, this one is meant when the parameter has this value. */
  when?: RouteChoice;
  /** The class of its JSON answer, where it is another one than the operation's. */
  answer?: DataClass;
  /** The path that took this one's place; its answers then carry `Deprecation` and `Link`. */
  successor?: string;
}

/** One form in which an operation answers; the first is the one for clients that ask for no form. */
export type AnswerForm =
  | {
      type: 'application/json';
      of: DataClass;
      /** 200 unless given. */
      status?: 200 | 201 | 202;
      /** Sends `meta` (request id, cost, balance) as the last member. Default: in version 2 of priced operations. */
      hasMeta?: boolean;
    }
  /** One item a line, sent as they come; `last` is the class of the closing line. */
  | { type: 'application/x-ndjson'; of: ItemClass; last: DataClass }
  | { type: 'text/csv'; columns: readonly string[] }
  /**
   * A file: the owner's bytes as they come, in part where `Range` asks for one, or 302 to an https address that the
   * owner names. It is sent as one of these types, and as `application/octet-stream` where the owner names another.
   */
  | { type: 'file'; mediaTypes: readonly string[] }
  /** No body: the headers say everything. */
  | { type: 'none'; status: 200 | 204 };

export interface OperationBody {
  of: DataClass;
  limitBytes: number;
  example: object;
  /** The members that name the subject, each read as its kind: they decide whether a test key may ask. */
  subjects?: readonly {
    kind: ParameterKind;
    of: (body: never, values: Readonly<Record<string, unknown>>) => readonly string[];
  }[];
}

/** A request as a customer may send it, with what it answers. */
export interface OperationExample {
  /** A few words. */
  title: string;
  parameters: Readonly<Record<string, string>>;
  body?: object;
  /** The answer's body in JSON. */
  answer: object;
}

/** Requests under way are counted by these classes, each of which has its own places. */
export type ConcurrencyClass = RateClass | 'public';

/** The limits of one request of an operation. */
export interface OperationLimits {
  /** Until its owner begins to answer, and between two parts of the answer, in milliseconds. */
  timeoutMs: number;
  bodyBytes: number;
  /** The most bytes of an answer that is held as a whole: JSON. */
  answerBytes: number;
  /** The group of places that it takes while it is under way, on the API's origin. */
  concurrency: ConcurrencyClass;
}

/** A value that answers the same on every installation, to test keys, for nothing. */
export interface Fixture {
  /** An example of the operation's subject. */
  value: string;
  /** Its answer in a few words. */
  answers: string;
}

/**
 * One row of the table of operations: everything that is known of a public HTTP call. Routes, validation
 * at both ends, prices, scopes, OpenAPI, documents and tests are derived from it and written nowhere else.
 */
export interface Operation<P extends Parameters = Parameters> {
  /** `whois.live`: in metrics, the request log and `operationId`. */
  name: string;
  /** A line without its full stop. */
  summary: string;
  /** Further facts for callers; Markdown. */
  description?: string;
  method: Method;
  /** The newest first. */
  routes: readonly OperationRoute[];
  access: Access;
  /** The service that answers, and the path at its internal listener; braces as in `routes`. */
  owner: { service: OwnerService; path: string };
  /** Services that answer a part: the answer is one object with a member for each, the owner's first. */
  parts?: readonly { service: OwnerService; path: string }[];
  parameters: P;
  /**
   * The parameter that the question is about, for the request log and for fixtures. Of several, exactly one
   * must be given.
   */
  subject?: string | readonly string[];
  body?: OperationBody;
  /** In place of `body`, of an upload. */
  upload?: OperationUpload;
  /** Whether a repeat with the same `Idempotency-Key` has no further effect. */
  takesIdempotencyKey?: boolean;
  answers: readonly AnswerForm[];
  price: Price;
  /** Where its requests take more or less than `limitsOf` gives those of its kind. */
  limits?: Partial<OperationLimits>;
  /** Only for a paged search; `pagedSearch` makes it, with its parameters and its price. */
  paged?: PagedSearch;
  /** Codes of the refusals that this operation has beside those that its access, price and body bring. */
  problems: readonly ProblemCode[];
  /** At least one, the first of them for a test key where the operation has fixtures. */
  examples: readonly OperationExample[];
  fixtures?: readonly Fixture[];
}

/** Keeps the types of a row's parameters, from which its owner's are derived. */
export function defineOperation<const P extends Parameters>(
  row: Operation<P> & { subject?: keyof P | readonly (keyof P)[] },
): Operation<P> {
  return row;
}

/**
 * An *upload* has a body that streams to its owner; the answer of a *download* is a file. Both take as long as bytes
 * flow; every other row has one answer within its time limit.
 */
export type OperationKind = 'answer' | 'upload' | 'download';

export function kindOf({ upload, answers }: Pick<Operation, 'upload' | 'answers'>): OperationKind {
  if (upload) return 'upload';
  return answers[0]?.type === 'file' ? 'download' : 'answer';
}

/** Whether it can be asked only to tell what it would do, by this parameter: then nothing is made, and its status is 200. */
export const DRY_RUN_PARAMETER = 'dry_run';
export const hasDryRun = ({ parameters }: Pick<Operation, 'parameters'>) =>
  DRY_RUN_PARAMETER in parameters;

/** Parameters that a question may be about. */
export function subjectsOf({ subject }: Pick<Operation, 'subject'>): readonly string[] {
  if (subject === undefined) return [];
  return typeof subject === 'string' ? [subject] : subject;
}

/** The version of a request that names none. */
export function newestVersion({ routes }: Pick<Operation, 'routes'>): Version {
  return routes[0].version;
}
