/** A class whose class-validator rules describe its objects. */
export type DataClass<T extends object = object> = new () => T;

/** A JSON Schema (2020-12), as used by OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * How the text of one kind of parameter is read. All methods are pure. `clean` and `fault` accept any text; the others
 * may throw for a text with a fault.
 */
export interface ParameterKind<Value = unknown> {
  readonly schema: JsonSchema;
  /** Classes of the answers from which the parameter selects members; `status` and `meta` are always included. */
  readonly selectsFrom?: readonly DataClass[];
  /** Normalises the text; every other method gets the result. */
  clean?(text: string): string;
  /** Returns the fault of the text, to be read after the parameter's name ("must be …"); undefined if there is none. */
  fault(text: string): string | undefined;
  value(text: string): Value;
  /** Converts the text to the form sent to the owner, in query encoding. By default, it is only encoded. */
  write?(text: string): string;
  /** Whether the value is reserved for test keys, such as fixtures, so that a live key may not request it. */
  isReserved?(text: string): boolean;
  /** Whether the value is a fixture; a test key may request nothing else. */
  isFixture?(text: string): boolean;
}

export interface Parameter<Value = unknown> {
  kind: ParameterKind<Value>;
  /** A sentence without a full stop. */
  about: string;
  example: string;
  synonyms?: readonly string[];
  isRequired?: boolean;
  /** The owner's value if the parameter is missing. */
  default?: Value;
  /** The first version that has the parameter. By default, every version has it. */
  since?: number;
  /** The place of the parameter: by default, the query. A path parameter is in braces in the path of each route. */
  in?: 'query' | 'path';
  /** True for a parameter that only the gateway needs; it is not sent to the owner. */
  isForGateway?: boolean;
}

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P> = P extends { kind: ParameterKind<infer Value> } ? Value : never;
type Given = { isRequired: true } | { default: unknown } | { in: 'path' };

export type ValuesOf<P extends Parameters> = {
  [Name in keyof P as P[Name] extends Given ? Name : never]: ValueOf<P[Name]>;
} & {
  [Name in keyof P as P[Name] extends Given ? never : Name]?: ValueOf<P[Name]>;
};
