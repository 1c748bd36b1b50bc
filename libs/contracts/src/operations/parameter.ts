/** A class whose class-validator rules say what its objects hold. */
export type DataClass<T extends object = object> = new () => T;

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** How the text of one kind of parameter is read. All methods are pure and throw nothing. */
export interface ParameterKind<Value = unknown> {
  readonly schema: JsonSchema;
  /** Classes of the answers of which it selects members; `status` and `meta` are there whatever is selected. */
  readonly selectsFrom?: readonly DataClass[];
  /** Takes off what is not part of the value; what every other method gets. */
  clean?(text: string): string;
  /** The fault of the text, to be read after the parameter's name ("must be …"); undefined if there is none. */
  fault(text: string): string | undefined;
  /** The value of a valid text. */
  value(text: string): Value;
  /** How it is sent to the owner, in the encoding of a query. Default: as it is, encoded. */
  write?(text: string): string;
  /** Whether the value is kept free for test keys, so that a live key may not ask for it: fixtures and their like. */
  isReserved?(text: string): boolean;
  /** Whether the value is a fixture: all that a test key may ask for. */
  isFixture?(text: string): boolean;
}

export interface Parameter<Value = unknown> {
  kind: ParameterKind<Value>;
  /** A sentence, without its full stop. */
  about: string;
  example: string;
  /** Other names by which it may be given. */
  synonyms?: readonly string[];
  isRequired?: boolean;
  /** Stands in for an absent value at the owner. */
  default?: Value;
  /** First version that knows it. Default: every version does. */
  since?: number;
  /** Default: in the query. A path parameter stands in braces in the path of each route. */
  in?: 'query' | 'path';
  /** True for a parameter that only the gateway needs; it is not sent to the owner. */
  isForGateway?: boolean;
}

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P> = P extends { kind: ParameterKind<infer Value> } ? Value : never;
type Given = { isRequired: true } | { default: unknown } | { in: 'path' };

/** The values of parameters as their owner reads them. */
export type ValuesOf<P extends Parameters> = {
  [Name in keyof P as P[Name] extends Given ? Name : never]: ValueOf<P[Name]>;
} & {
  [Name in keyof P as P[Name] extends Given ? never : Name]?: ValueOf<P[Name]>;
};
